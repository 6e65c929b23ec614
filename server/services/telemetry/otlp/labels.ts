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

/** What a scrubber leaves, and the tags that LangChain gives each of its steps: they say nothing of a conversation. */
const NO_LABEL = /^(?:\[scrubbed\b|(?:seq|graph):step:\d+$|map:key:|langsmith:)/i;

/** A label as it is kept: trimmed, cut to `LABEL_CHARACTERS`; `null` for what is none. */
function labelOf(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "" || NO_LABEL.test(trimmed)) return null;
  // Never through the middle of a surrogate pair, which Postgres would refuse.
  return trimmed
    .slice(0, LABEL_CHARACTERS)
    .toWellFormed()
    .replace(/\uFFFD$/, "")
    .trim();
}

/** Collects the labels of a conversation from its spans, the same in any order of theirs, and never many. */
export class LabelFold {
  private readonly found = new Set<string>();

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
    this.found.add(label);
    if (this.found.size <= LABELS_MAX) return;
    const last = this.labels().at(-1);
    if (last !== undefined) this.found.delete(last);
  }
}

function* textsIn(attributes: Attributes) {
  for (const reader of LABELS) yield* reader.read(attributes) ?? [];
}
