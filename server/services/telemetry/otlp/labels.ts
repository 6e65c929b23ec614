import { LABEL_CHARACTERS, LABELS_MAX } from "../schemas";
import { CONVENTIONS } from "./conventions";
import { sourcesOf } from "./readers/precedence";
import type { Attributes, SpanRecord } from "./types";

/** Attributes that hold labels (clients call them tags). The labels of all readers are combined. */
export const LABELS = sourcesOf("labels");

/** Not labels: a scrubber's replacement, undecodable text, and what clients tag steps of their own with. */
const NO_LABEL = [/^(?:\[scrubbed\b|[\s\uFFFD]+$)/i, ...CONVENTIONS.flatMap(({ ownTags }) => ownTags ?? [])];

/** Returns a label as stored, trimmed and cut to `LABEL_CHARACTERS`, or `null` if the text is not a label. */
function labelOf(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "" || NO_LABEL.some((pattern) => pattern.test(trimmed))) return null;
  if (trimmed.length <= LABEL_CHARACTERS) return trimmed.toWellFormed();
  // Never split a surrogate pair, which Postgres would reject.
  const cut = trimmed
    .slice(0, LABEL_CHARACTERS)
    .toWellFormed()
    .replace(/\uFFFD$/, "")
    .trim();
  return cut === "" ? null : cut;
}

/** Collects the labels of a conversation, at most `LABELS_MAX`, independent of the order of its spans. */
export class LabelFold {
  private readonly found = new Set<string>();
  /** The last label in sort order once the set is full: later ones are skipped. */
  private last: string | null = null;

  addSpan({ attributes }: SpanRecord): void {
    for (const text of textsIn(attributes)) {
      const label = labelOf(text);
      if (label !== null) this.add(label);
    }
  }

  /** Returns the labels, distinct and sorted. */
  labels(): string[] {
    return [...this.found].sort();
  }

  private add(label: string): void {
    if (this.last !== null && label >= this.last) return;
    this.found.add(label);
    if (this.found.size > LABELS_MAX && this.last !== null) this.found.delete(this.last);
    if (this.found.size < LABELS_MAX) return;
    let last = label;
    for (const one of this.found) if (one > last) last = one;
    this.last = last;
  }
}

function* textsIn(attributes: Attributes) {
  for (const reader of LABELS) yield* reader.read(attributes) ?? [];
}
