import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import type { SpanType } from "../../schemas";
import { byTime } from "./by-time";
import { hasMessages, joinDuplicates, sameTotals, saysUsage, totalOf } from "./duplicate-spans";
import { Groups } from "./groups";
import type { CallSpan, SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

/**
 * A model call with all spans that report it. The first is authoritative, the others fill in what it lacks. `around` are spans
 * around this and other calls, of which it is the last: they may have its messages, but their figures are those of all calls.
 */
export type JoinedCall = { spans: CallSpan[]; around: readonly CallSpan[] };

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
 * Returns the calls that count: of nested model spans the innermost, of duplicates one. A span that wraps or repeats one call
 * joins it, so that the call has the messages of one and the usage of the other. A span around several calls is no call.
 */
export function joinCalls(spans: readonly SpanFacts[], tree: SpanTree): JoinedCall[] {
  const candidates = spans.filter(isCall);
  const ofTypes = CALL_TYPES.map((type) => {
    const alike = candidates.filter((span) => span.type === type);
    return { alike, wrappers: wrappersOf(alike, tree) };
  });
  const wrappers = new Set(ofTypes.flatMap((ofType) => ofType.wrappers));
  const groups = new Groups(candidates);
  joinDuplicates(candidates, (span) => wrappers.has(span), groups);
  const wrapping: Wrapping = { around: new Map(), ofSeveral: new Set() };
  for (const { alike, wrappers: outer } of ofTypes)
    if (outer.length > 0) joinWrappers(alike, new Set(outer), groups, wrapping, tree);
  // Drops wrappers without calls inside, whose parents form a cycle.
  const reported = groups.all().filter((group) => group.some((span) => !wrappers.has(span)));
  return reported.map((group) => ({
    spans: inOrderOfTrust(group, wrappers, wrapping.ofSeveral),
    around: group.flatMap((span) => wrapping.around.get(span) ?? []),
  }));
}

const CALL_TYPES = ["llm", "embedding"] as const;

/** A model span above a tool or agent does not wrap the calls that those make. */
const BOUNDARIES: ReadonlySet<SpanType> = new Set<SpanType>(["tool", "agent"]);
const isBoundary = (span: SpanFacts) => BOUNDARIES.has(span.type);

function wrappersOf(candidates: readonly CallSpan[], tree: SpanTree): CallSpan[] {
  const above = tree.allAbove(candidates, isBoundary);
  return candidates.filter((span) => above.has(span));
}

/** Wrappers of several calls: by the last call inside, and those that joined it because no call inside has usage. */
type Wrapping = { around: Map<CallSpan, CallSpan[]>; ofSeveral: Set<CallSpan> };

/** With more calls inside, a wrapper is not compared with each: it does not repeat one of them. */
const MAX_COMPARED = 100;

/**
 * Joins each wrapper to the call inside that it completes: the only one, or the one with its response id or totals, or if no
 * call inside has usage, the last, so that the wrapper's is not lost. Any other is recorded in `around` for the last call.
 */
function joinWrappers(
  candidates: readonly CallSpan[],
  wrappers: ReadonlySet<SpanFacts>,
  groups: Groups,
  { around, ofSeveral }: Wrapping,
  tree: SpanTree,
): void {
  for (const { wrapper, inside } of fromInside(candidates, wrappers, groups, tree)) {
    const { responseId } = wrapper.call;
    const compared = inside.leaves.length > MAX_COMPARED ? [] : inside.leaves;
    const own =
      (inside.isOneCall ? inside.last : undefined) ??
      (responseId === null ? undefined : compared.find((leaf) => leaf.call.responseId === responseId)) ??
      (saysUsage(wrapper) ? compared.find((leaf) => saysUsage(leaf) && sameTotals(leaf, wrapper)) : undefined);
    if (own) groups.join(own, wrapper);
    else if (inside.hasUsage) around.set(inside.last, [...(around.get(inside.last) ?? []), wrapper]);
    else {
      groups.join(inside.last, wrapper);
      ofSeveral.add(wrapper);
    }
    inside.hasUsage ||= saysUsage(wrapper);
  }
}

/** The calls inside a wrapper. */
type Inside = { leaves: CallSpan[]; last: CallSpan; isOneCall: boolean; hasUsage: boolean };

/** Yields each wrapper that has calls inside, after the wrappers inside it. */
function* fromInside(
  candidates: readonly CallSpan[],
  wrappers: ReadonlySet<SpanFacts>,
  groups: Groups,
  tree: SpanTree,
): Generator<{ wrapper: CallSpan; inside: Inside }> {
  const wrapperOf = tree.finderAbove((above) => wrappers.has(above), isBoundary);
  const all = new Map<SpanFacts, Inside>();
  const give = (to: SpanFacts, more: Inside) => {
    const there = all.get(to);
    all.set(to, there ? both(there, more, groups) : more);
  };
  const pending = new Map<SpanFacts, number>();
  for (const span of candidates) {
    const outer = wrapperOf(span);
    if (!outer) continue;
    if (wrappers.has(span)) pending.set(outer, (pending.get(outer) ?? 0) + 1);
    else give(outer, { leaves: [span], last: span, isOneCall: true, hasUsage: saysUsage(span) });
  }
  const ready: SpanFacts[] = candidates.filter((span) => wrappers.has(span) && !pending.has(span));
  for (let wrapper = ready.pop(); wrapper; wrapper = ready.pop()) {
    const inside = all.get(wrapper);
    if (inside) yield { wrapper: wrapper as CallSpan, inside };
    const outer = wrapperOf(wrapper);
    if (!outer) continue;
    if (inside) give(outer, inside);
    const left = (pending.get(outer) ?? 1) - 1;
    pending.set(outer, left);
    if (left === 0) ready.push(outer);
  }
}

/** Appends the shorter list to the longer, so that deep nesting costs no more than wide. */
function both(one: Inside, other: Inside, groups: Groups): Inside {
  const [short, long] =
    one.leaves.length < other.leaves.length ? [one.leaves, other.leaves] : [other.leaves, one.leaves];
  for (const leaf of short) long.push(leaf);
  return {
    leaves: long,
    last: byTime(one.last, other.last) < 0 ? other.last : one.last,
    isOneCall: one.isOneCall && other.isOneCall && groups.areOne(one.last, other.last),
    hasUsage: one.hasUsage || other.hasUsage,
  };
}

/**
 * Orders the spans of a call: first those whose figures are the call's own, then by usage buckets, then by messages. Of equal
 * ones the innermost comes first.
 */
function inOrderOfTrust(
  group: CallSpan[],
  wrappers: ReadonlySet<SpanFacts>,
  ofSeveral: ReadonlySet<SpanFacts>,
): CallSpan[] {
  if (group.length === 1) return group;
  const totals = new Set(
    group
      .filter((span) => !wrappers.has(span) && span.call.usage !== null)
      .map(({ call }) => totalOf(call.usage ?? {})),
  );
  const isForeign = (span: CallSpan) =>
    ofSeveral.has(span) || (saysUsage(span) && totals.size > 0 && !totals.has(totalOf(span.call.usage ?? {})));
  return group.sort(
    (one, other) =>
      Number(isForeign(one)) - Number(isForeign(other)) ||
      bucketsOf(other) - bucketsOf(one) ||
      Number(hasMessages(other)) - Number(hasMessages(one)) ||
      Number(wrappers.has(one)) - Number(wrappers.has(other)) ||
      byTime(one, other),
  );
}

const bucketsOf = ({ call }: CallSpan) =>
  Object.entries(call.usage ?? {}).filter(([name, count]) => count > 0 && isOfKnownBucket(name)).length;
