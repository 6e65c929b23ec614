import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

/** Compares spans by start time; those that start together by their order in the conversation. */
export const byTime = (one: SpanFacts, other: SpanFacts): number =>
  one.startedUs - other.startedUs || one.order - other.order;

/**
 * Sorts the spans of a conversation by time and notes the order. Of spans that start together, the outer comes first, then the
 * one that arrived first.
 */
export function putInOrder(spans: SpanFacts[], tree: SpanTree): SpanFacts[] {
  const depthOf = tree.depths();
  spans.sort(
    (one, other) =>
      one.startedUs - other.startedUs ||
      depthOf(one) - depthOf(other) ||
      one.arrival - other.arrival ||
      compare(one.traceId, other.traceId) ||
      compare(one.spanId, other.spanId),
  );
  for (const [order, span] of spans.entries()) span.order = order;
  return spans;
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
