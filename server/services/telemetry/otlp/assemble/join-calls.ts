import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import type { SpanType } from "../../schemas";
import { byTime } from "./by-time";
import { hasMessages, joinDuplicates, sameTotals } from "./duplicate-spans";
import { Groups } from "./groups";
import type { CallSpan, SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

/** A model call with all spans that report it. The first is authoritative, the others fill in what it lacks. */
export type JoinedCall = { spans: CallSpan[] };

/** Returns the times of a call: if its stream's end is a separate span, from the start of the request to that end. */
export function timesOf(span: CallSpan, of: readonly CallSpan[]): { startedUs: number; endedUs: number } {
  if (of.every(({ call }) => call.streamUs === null)) return span;
  const halves = of.filter(({ scopeName }) => scopeName === span.scopeName);
  return {
    startedUs: Math.min(...halves.map(({ startedUs }) => startedUs)),
    endedUs: Math.max(...halves.map(({ endedUs }) => endedUs)),
  };
}

const isCall = (span: SpanFacts): span is CallSpan => span.call !== null;

/**
 * Returns the calls that count: of nested model spans the innermost, of duplicates one. Spans that wrap or repeat a call join
 * it, so that it has the messages of one and the usage of the other.
 */
export function joinCalls(spans: readonly SpanFacts[], tree: SpanTree): JoinedCall[] {
  const candidates = spans.filter(isCall);
  const wrappers = new Set(
    CALL_TYPES.flatMap((type) =>
      wrappersOf(
        candidates.filter((span) => span.type === type),
        tree,
      ),
    ),
  );
  const leaves = candidates.filter((span) => !wrappers.has(span));
  const groups = new Groups(candidates);
  joinDuplicates(candidates, (span) => wrappers.has(span), groups);
  joinWrappers(candidates, wrappers, leaves, groups, tree);
  // Drops wrappers around wrappers: they add nothing.
  const reported = groups.all().filter((group) => group.some((span) => !wrappers.has(span)));
  return reported.map((group) => ({ spans: group.sort(mostInformativeFirst) }));
}

const CALL_TYPES = ["llm", "embedding"] as const;

/** A model span above a tool or agent does not wrap the calls that those make. */
const BOUNDARIES: ReadonlySet<SpanType> = new Set<SpanType>(["tool", "agent"]);
const isBoundary = (span: SpanFacts) => BOUNDARIES.has(span.type);

function wrappersOf(candidates: readonly CallSpan[], tree: SpanTree): CallSpan[] {
  const above = tree.allAbove(candidates, isBoundary);
  return candidates.filter((span) => above.has(span));
}

/** Joins each wrapper to the one call inside that it completes: by response id, else by totals, else the last. */
function joinWrappers(
  candidates: readonly CallSpan[],
  wrappers: ReadonlySet<SpanFacts>,
  leaves: readonly CallSpan[],
  groups: Groups,
  tree: SpanTree,
): void {
  const inside = new Map<SpanFacts, CallSpan[]>();
  const wrapperOf = tree.finderAbove((above) => wrappers.has(above), isBoundary);
  for (const leaf of leaves) {
    const wrapper = wrapperOf(leaf);
    if (!wrapper) continue;
    const others = inside.get(wrapper);
    if (others) others.push(leaf);
    else inside.set(wrapper, [leaf]);
  }
  for (const wrapper of candidates) {
    const calls = inside
      .get(wrapper)
      ?.filter((leaf) => leaf.type === wrapper.type)
      .sort(byTime);
    if (!calls || calls.length === 0) continue;
    const { responseId } = wrapper.call;
    const own =
      (responseId === null ? undefined : calls.find((leaf) => leaf.call.responseId === responseId)) ??
      (wrapper.call.usage === null
        ? undefined
        : calls.find((leaf) => leaf.call.usage !== null && sameTotals(leaf, wrapper))) ??
      calls.at(-1);
    if (own) groups.join(own, wrapper);
  }
}

/** Compares by usage buckets, then by messages; time only makes the order deterministic. */
function mostInformativeFirst(one: CallSpan, other: CallSpan): number {
  return (
    bucketsOf(other) - bucketsOf(one) || Number(hasMessages(other)) - Number(hasMessages(one)) || byTime(one, other)
  );
}

const bucketsOf = ({ call }: CallSpan) => Object.keys(call.usage ?? {}).filter(isOfKnownBucket).length;
