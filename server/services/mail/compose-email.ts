import { escapeHtml } from "@/server/platform/text/html";

/** An e-mail's subject, and its body as plain text and as HTML. */
export type EmailContent = { subject: string; text: string; html: string };

/** Keeps user input (the name of a person or a project) on one line. */
const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Composes plain paragraphs around one link, whose URL is visible so that readers see where it leads. */
export function composeEmail(said: {
  subject: string;
  before: readonly string[];
  link: string;
  after: readonly string[];
}): EmailContent {
  const { link } = said;
  const [before, after] = [said.before.map(onOneLine), said.after.map(onOneLine)];
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escapeHtml(text)}</p>`);
  return {
    subject: onOneLine(said.subject),
    text: `${[...before, link, ...after].join("\n\n")}\n`,
    html: [
      ...paragraphs(before),
      `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`,
      ...paragraphs(after),
    ].join("\n"),
  };
}

/** Formats a day (Unix ms) in UTC: `27 November 2026`. */
export const dayOf = (at: number) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(at);
