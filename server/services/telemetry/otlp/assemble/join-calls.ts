import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import type { SpanType } from "../../schemas";
import { byTime } from "./by-time";
import { hasMessages, joinDuplicates, sameTotals } from "./duplicate-spans";
import { Groups } from "./groups";
import type { CallSpan, SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

/** One call of a model, with every span that tells about it. The first counts, the others fill what it leaves out. */
export type JoinedCall = { spans: CallSpan[] };

/** When a call was made: where the end of its stream is told apart, from the beginning of the request until then. */
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
 * The calls that count: of nested model spans the innermost, of two that tell of one HTTP call only one. Spans that wrap or
 * repeat a call join it, so that it has the messages of the one and the usage of the other.
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
  // A wrapper around wrappers has nothing that they lack.
  const told = groups.all().filter((group) => group.some((span) => !wrappers.has(span)));
  return told.map((group) => ({ spans: group.sort(mostInformativeFirst) }));
}

const CALL_TYPES = ["llm", "embedding"] as const;

/** What runs below a tool or an agent is its own affair: a model span above that is not a wrapper of what they ask. */
const OWN_AFFAIR: ReadonlySet<SpanType> = new Set<SpanType>(["tool", "agent"]);
const isOwnAffair = (span: SpanFacts) => OWN_AFFAIR.has(span.type);

function wrappersOf(candidates: readonly CallSpan[], tree: SpanTree): CallSpan[] {
  const above = tree.allAbove(candidates, isOwnAffair);
  return candidates.filter((span) => above.has(span));
}

/** A model span around others wraps them all, but it has what one of them lacks: its own, by id, by totals, or the last. */
function joinWrappers(
  candidates: readonly CallSpan[],
  wrappers: ReadonlySet<SpanFacts>,
  leaves: readonly CallSpan[],
  groups: Groups,
  tree: SpanTree,
): void {
  const inside = new Map<SpanFacts, CallSpan[]>();
  const wrapperOf = tree.finderAbove((above) => wrappers.has(above), isOwnAffair);
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

/** The span with more buckets of usage counts, then the one with messages; the rest is only so that order never matters. */
function mostInformativeFirst(one: CallSpan, other: CallSpan): number {
  return (
    bucketsOf(other) - bucketsOf(one) || Number(hasMessages(other)) - Number(hasMessages(one)) || byTime(one, other)
  );
}

const bucketsOf = ({ call }: CallSpan) => Object.keys(call.usage ?? {}).filter(isOfKnownBucket).length;
