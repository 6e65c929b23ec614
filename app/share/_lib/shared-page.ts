import { formatMinute } from "@/app/_lib/format";
import { type Html, html } from "@/server/platform/text/html";
import type { Shared } from "@/server/services/sharing";
import type { SharedPart, ShareMasking } from "@/server/services/sharing/schemas";
import { conversationBody } from "./conversation-body";
import { findingBody } from "./finding-body";
import { STYLE } from "./style";
import { withCode } from "./text";

type Open = Extract<Shared, { state: "open" }>;

/** Returns the document; its style needs the nonce of the response's policy. */
export type Page = (nonce: string) => string;

const LEFT_OUT: Record<ShareMasking, string> = {
  personal_data:
    "Personal data and credentials that were recognized are replaced with placeholders such as <EMAIL_1>; the same value has the same placeholder throughout. Recognition is automatic and can miss some.",
  content: "What was said is hidden; only its length is shown.",
  nothing: "Nothing is masked.",
};

/** The page of a shared copy. */
export function sharedPage({ masking, createdAt, expiresAt, parts: [first, ...others] }: Open): Page {
  const { title, body } = bodyOf(first, others);
  return document(
    title,
    html`<h1 dir="auto">${withCode(title)}</h1>
<p class="note">Read-only copy, made on ${formatMinute(createdAt, "UTC")}; the link works until ${formatMinute(expiresAt, "UTC")}. ${LEFT_OUT[masking]}</p>
${body}`,
  );
}

function bodyOf(first: SharedPart | undefined, others: readonly SharedPart[]): { title: string; body: Html } {
  if (first?.kind === "conversation") {
    return { title: first.title ?? "A conversation", body: conversationBody(first) };
  }
  if (first?.kind === "finding") return { title: first.title ?? "A Finding", body: findingBody(first, others) };
  throw new Error("A shared copy begins with a conversation or a Finding.");
}

const MESSAGES = {
  unknown: ["This link leads nowhere", "Check that you have all of it, up to the last character."],
  closed: [
    "This link no longer works",
    "It has expired, was revoked, or what it showed was deleted. Ask the person who sent it for a new one.",
  ],
  limited: ["Too many pages were opened", "Wait a few minutes and try again."],
} as const;

/** The page of a link that shows nothing. */
export function messagePage(which: keyof typeof MESSAGES): Page {
  const [title, text] = MESSAGES[which];
  return document(title, html`<h1>${title}</h1>\n<p>${text}</p>`);
}

const document =
  (title: string, main: Html): Page =>
  (nonce) =>
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title.replaceAll("`", "")} · Whetstone</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>Whetstone<span> · shared copy</span></header>
<main>
${main}
</main>
</body>
</html>
`.source;
