import { LABEL_CHARACTERS, LABELS_MAX } from "../schemas";
import { parseJson, unwrapList } from "./readers/json-text";
import { objectIn, type Reader, textOf } from "./readers/reader";
import type { Attributes, SpanRecord } from "./types";

/** What a conversation is labelled with, wherever a span says it: all that are found count. Clients call them tags. */
export const LABELS: readonly Reader<string[]>[] = [
  tags("langfuse.trace.tags"),
  tags("tag.tags"), // OpenInference
  tags("langsmith.span.tags"),
  tags("langwatch.labels"),
  tags("braintrust.tags"),
  tags("ai.telemetry.metadata.tags"), // Vercel AI SDK
  tags("ai.settings.context.tags"), // its version 7
  tags("traceloop.association.properties.tags"), // OpenLLMetry: names are free, this is usual
  tags("lmnr.association.properties.tags"), // Laminar
  {
    takes: ["metadata"],
    read: (attributes) => textsOf(objectIn(attributes.metadata)?.tags), // OpenInference
  },
];

function tags(name: string): Reader<string[]> {
  return { takes: [name], read: (attributes) => textsOf(attributes[name]) };
}

/** The texts of a list, or of JSON text of one; other text is split at its commas, as LangSmith and Langfuse do. */
function textsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const parsed = parseJson(value) ?? value;
  const items = unwrapList(parsed) ?? textOf(parsed)?.split(",");
  return items?.flatMap((item) => textOf(item) ?? []);
}

/** What a scrubber leaves, text that was none, and the tags that LangChain gives each step: they say nothing of a conversation. */
const NO_LABEL = /^(?:\[scrubbed\b|[\s\uFFFD]+$|(?:seq|graph):step:\d+$|map:key:|langsmith:)/i;

/** A label as it is kept: trimmed, cut to `LABEL_CHARACTERS`; `null` for what is none. */
function labelOf(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "" || NO_LABEL.test(trimmed)) return null;
  if (trimmed.length <= LABEL_CHARACTERS) return trimmed.toWellFormed();
  // Never through the middle of a surrogate pair, which Postgres would refuse.
  const cut = trimmed
    .slice(0, LABEL_CHARACTERS)
    .toWellFormed()
    .replace(/\uFFFD$/, "")
    .trim();
  return cut === "" ? null : cut;
}

/** Collects the labels of a conversation from its spans, the same in any order of theirs, and never many. */
export class LabelFold {
  private readonly found = new Set<string>();
  /** Of a full set the last in its order: what comes after it is passed over, however much there is of that. */
  private last: string | null = null;

  addSpan({ attributes }: SpanRecord): void {
    for (const text of textsIn(attributes)) {
      const label = labelOf(text);
      if (label !== null) this.add(label);
    }
  }

  /** Distinct and sorted. */
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
