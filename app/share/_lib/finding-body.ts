import { capitalized, formatCount, formatDay, formatMinute, plural } from "@/app/_lib/format";
import { type Html, html } from "@/server/platform/text/html";
import type { SharedPart } from "@/server/services/sharing/schemas";
import { costFacts, factList, summaryBlock, textBlock } from "./text";

type Finding = Extract<SharedPart, { kind: "finding" }>;

/** The facts of a shared Finding, and quotes of conversations that show it. */
export function findingBody(finding: Finding, others: readonly SharedPart[]): Html {
  const { summary, severity, signal, conversations, users, firstSeen, lastSeen, cost } = finding;
  const shown = others.filter((part) => part.kind === "occurrence");
  return html`${factList([
    ["Severity", capitalized(severity)],
    ["Signal", capitalized(signal.replaceAll("_", " "))],
    ["Seen in", plural(conversations, "conversation")],
    ["Users", formatCount(users)],
    ["First", formatDay(firstSeen, 0)],
    ["Last", formatDay(lastSeen, 0)],
    ...costFacts(cost),
  ])}
${summaryBlock(summary)}
${shown.length === 0 ? null : html`<h2>Conversations that show it most clearly</h2>`}
<ol>${shown.map(
    ({ at, summary, quotes }) => html`<li class="other">
<h3>${formatMinute(at, "UTC")}</h3>
${summaryBlock(summary)}
${quotes.map((quote) => html`<blockquote>${textBlock(quote)}</blockquote>`)}
</li>`,
  )}</ol>`;
}
