import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import type { SpanType } from "../../schemas";
import { EMPTY_LIST } from "./list-tree";
import type { CallFacts, SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

/** A span that says what a model was asked, or answered. */
export type CallSpan = SpanFacts & { call: CallFacts };

/** One call of a model, with every span that tells about it. The first counts, the others fill what it leaves out. */
export type JoinedCall = { spans: CallSpan[] };

/** Spans of one call by two instrumentations may follow each other as closely as this. */
const TOUCHING_US = 50_000;
/** How many earlier spans under the same parent are compared with the next one. */
const MOST_SIBLINGS_COMPARED = 8;

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
  const groups = new Groups(leaves);
  joinByResponseId(leaves, groups);
  joinSiblings(leaves, groups);
  joinWrappers(candidates, wrappers, leaves, groups, tree);
  return groups.all().map((group) => ({ spans: group.sort(mostTelling) }));
}

const CALL_TYPES = ["llm", "embedding"] as const;

/** What runs below a tool or an agent is its own affair: a model span above that is not a wrapper of what they ask. */
const OWN_AFFAIR: ReadonlySet<SpanType> = new Set<SpanType>(["tool", "agent"]);
const isOwnAffair = (span: SpanFacts) => OWN_AFFAIR.has(span.type);

function wrappersOf(candidates: readonly CallSpan[], tree: SpanTree): CallSpan[] {
  const above = tree.allAbove(candidates, isOwnAffair);
  return candidates.filter((span) => above.has(span));
}

/** The provider's id tells one call, in whatever trace its spans are; test servers repeat one id, so times must agree. */
function joinByResponseId(leaves: readonly CallSpan[], groups: Groups): void {
  const byId = groupBy(leaves, (span) => span.call.responseId);
  for (const spans of byId.values())
    joinNeighbours(spans, groups, (one, other) => touch(one, other) && complete(one, other));
}

/** Without an id: same parent, same model, same totals, at the same time, by another instrumentation. */
function joinSiblings(leaves: readonly CallSpan[], groups: Groups): void {
  const byParent = groupBy(leaves, (span) =>
    span.parentSpanId === null ? null : `${span.traceId}/${span.parentSpanId}`,
  );
  for (const spans of byParent.values()) {
    joinNeighbours(
      spans,
      groups,
      (one, other) =>
        touch(one, other) &&
        complete(one, other) &&
        sameModel(one, other) &&
        sameTotals(one, other) &&
        mayBeOneResponse(one, other),
    );
  }
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
    if (own) groups.add(own, wrapper);
  }
}

function joinNeighbours(spans: CallSpan[], groups: Groups, same: (one: CallSpan, other: CallSpan) => boolean): void {
  if (spans.length < 2) return;
  spans.sort(byTime);
  for (const [index, span] of spans.entries()) {
    const earlier = spans.slice(Math.max(0, index - MOST_SIBLINGS_COMPARED), index).reverse();
    const twin = earlier.find((other) => groups.mayJoin(other, span) && same(other, span));
    if (twin) groups.join(twin, span);
  }
}

const touch = (one: SpanFacts, other: SpanFacts) =>
  one.startedUs <= other.endedUs + TOUCHING_US && other.startedUs <= one.endedUs + TOUCHING_US;

/** Two spans of one call come from two instrumentations, or one has what the other lacks. */
const complete = (one: CallSpan, other: CallSpan) =>
  one.scopeName !== other.scopeName ||
  (one.call.usage === null) !== (other.call.usage === null) ||
  hasMessages(one) !== hasMessages(other);

const hasMessages = (span: SpanFacts) => span.input !== EMPTY_LIST || span.output !== EMPTY_LIST;

const mayBeOneResponse = (one: CallSpan, other: CallSpan) =>
  one.call.responseId === null || other.call.responseId === null || one.call.responseId === other.call.responseId;

const plain = (model: string | null) => (model === null ? null : model.slice(model.lastIndexOf("/") + 1).toLowerCase());

function sameModel(one: CallSpan, other: CallSpan): boolean {
  const models = [one.call.requestedModel, one.call.responseModel].map(plain).filter((model) => model !== null);
  const others = [other.call.requestedModel, other.call.responseModel].map(plain).filter((model) => model !== null);
  return models.length === 0 || others.length === 0 || models.some((model) => others.includes(model));
}

/** Whatever the buckets, the sums are of the same call. One output token may differ: some count a stream's last event. */
function sameTotals(one: CallSpan, other: CallSpan): boolean {
  if (one.call.usage === null || other.call.usage === null) return true;
  const sums = [one, other].map(({ call }) => sumOf(call.usage ?? {}));
  return Math.abs((sums[0] ?? 0) - (sums[1] ?? 0)) <= 1;
}

const sumOf = (usage: Readonly<Record<string, number>>) =>
  Object.entries(usage).reduce((sum, [name, count]) => (isOfKnownBucket(name) ? sum + count : sum), 0);

/** The span with more buckets of usage counts, then the one with messages; the rest is only so that order never matters. */
function mostTelling(one: CallSpan, other: CallSpan): number {
  return (
    bucketsOf(other) - bucketsOf(one) || Number(hasMessages(other)) - Number(hasMessages(one)) || byTime(one, other)
  );
}

const bucketsOf = ({ call }: CallSpan) => Object.keys(call.usage ?? {}).filter(isOfKnownBucket).length;

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

function groupBy(spans: readonly CallSpan[], keyOf: (span: CallSpan) => string | null): Map<string, CallSpan[]> {
  const groups = new Map<string, CallSpan[]>();
  for (const span of spans) {
    const key = keyOf(span);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(span);
    else groups.set(key, [span]);
  }
  return groups;
}

/** Which spans are of one call. */
class Groups {
  private readonly groupOf = new Map<CallSpan, CallSpan[]>();

  constructor(leaves: readonly CallSpan[]) {
    for (const span of leaves) this.groupOf.set(span, [span]);
  }

  /** Each instrumentation tells of a call once; or one tells of it in two spans that complete each other. */
  mayJoin(one: CallSpan, other: CallSpan): boolean {
    const group = this.groupOf.get(one) ?? [];
    const joining = this.groupOf.get(other) ?? [];
    if (group === joining) return false;
    const scopes = new Set([...group, ...joining].map((span) => span.scopeName));
    return scopes.size === group.length + joining.length || group.length + joining.length === 2;
  }

  join(one: CallSpan, other: CallSpan): void {
    const group = this.groupOf.get(one);
    const joining = this.groupOf.get(other);
    if (!group || !joining) return;
    for (const span of joining) {
      group.push(span);
      this.groupOf.set(span, group);
    }
  }

  add(leaf: CallSpan, wrapper: CallSpan): void {
    this.groupOf.get(leaf)?.push(wrapper);
  }

  all(): CallSpan[][] {
    return [...new Set(this.groupOf.values())];
  }
}
