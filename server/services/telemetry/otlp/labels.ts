import { LABEL_CHARACTERS, LABELS_MAX } from "../schemas";
import { CONVENTIONS } from "./conventions";
import { cutText } from "./cut-text";
import { sourcesOf } from "./readers/precedence";
import { SmallestTexts } from "./smallest-texts";
import type { Attributes, SpanRecord } from "./types";

/** Attributes that hold labels (clients call them tags). The labels of all readers are combined. */
export const LABELS = sourcesOf("labels");

/** Not labels: a scrubber's replacement, undecodable text, and what clients tag steps of their own with. */
const NO_LABEL = [/^(?:\[scrubbed\b|[\s\uFFFD]+$)/i, ...CONVENTIONS.flatMap(({ ownTags }) => ownTags ?? [])];

/** Returns a label as stored, or `null` if the text is not a label. */
const labelOf = (text: string): string | null =>
  NO_LABEL.some((pattern) => pattern.test(text.trim())) ? null : cutText(text, LABEL_CHARACTERS);

/** Collects the labels of a conversation, at most `LABELS_MAX`, independent of the order of its spans. */
export class LabelFold {
  private readonly found = new SmallestTexts(LABELS_MAX);

  addSpan({ attributes }: SpanRecord): void {
    for (const text of textsIn(attributes)) {
      const label = labelOf(text);
      if (label !== null) this.found.add(label);
    }
  }

  /** Returns the labels, distinct and sorted. */
  labels(): string[] {
    return this.found.sorted();
  }
}

function* textsIn(attributes: Attributes) {
  for (const reader of LABELS) yield* reader.read(attributes) ?? [];
}
