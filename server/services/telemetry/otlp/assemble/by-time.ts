import type { SpanFacts } from "./span-facts";

/** Spans in the order in which things happened; of those that began at once the outer first. */
export function byTime(one: SpanFacts, other: SpanFacts): number {
  return (
    one.startedUs - other.startedUs ||
    other.endedUs - one.endedUs ||
    compare(one.traceId, other.traceId) ||
    compare(one.spanId, other.spanId)
  );
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
