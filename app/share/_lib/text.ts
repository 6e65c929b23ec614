import { formatUsd, plural } from "@/app/_lib/format";
import { prettyText } from "@/app/_lib/pretty-text";
import { type Html, html } from "@/server/platform/text/html";
import type { SharedCost, SharedText } from "@/server/services/sharing/schemas";

/** Text as it was said: nothing in it becomes a link or an element. */
export const textBlock = (text: SharedText, mono = false): Html =>
  "hidden" in text
    ? html`<p class="hidden">Hidden: ${plural(text.hidden, "character")}</p>`
    : mono
      ? html`<pre dir="auto" tabindex="0">${prettyText(text.text)}</pre>`
      : html`<p class="said" dir="auto">${text.text}</p>`;

/** Marks what is between backticks, as titles and summaries of Findings have it. */
export const withCode = (text: string): Html =>
  html`${text.split("`").map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;

export const summaryBlock = (text: SharedText): Html =>
  "hidden" in text ? textBlock(text) : html`<p class="said" dir="auto">${withCode(text.text)}</p>`;

export const factList = (facts: readonly (readonly [name: string, value: string])[]): Html =>
  html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** The cost as a fact, if the copy has it. */
export function costFacts(cost: SharedCost | null): (readonly [string, string])[] {
  if (cost === null) return [];
  if (cost.usd === null) return [["Cost", "unknown"]];
  return [["Cost", `${formatUsd(cost.usd)}${cost.complete ? "" : " or more: calls without a price are not counted"}`]];
}
