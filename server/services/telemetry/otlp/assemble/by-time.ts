import type { SpanFacts } from "./span-facts";

/** Compares spans by start time; of spans that start together, the outer comes first. */
export function byTime(one: SpanFacts, other: SpanFacts): number {
  return (
    one.startedUs - other.startedUs ||
    other.endedUs - one.endedUs ||
    compare(one.traceId, other.traceId) ||
    compare(one.spanId, other.spanId)
  );
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
