import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import { byTime } from "./by-time";
import type { Groups } from "./groups";
import { EMPTY_LIST } from "./list-tree";
import type { CallSpan, SpanFacts } from "./span-facts";

/** A way in which clients report one call in two spans. */
type DuplicateKind = {
  /** Key that both spans share; `null` if the kind does not apply to a span. */
  key: (span: CallSpan) => string | null;
  /** Whether two spans with the same key, the earlier first, report one call. */
  same: (earlier: CallSpan, later: CallSpan) => boolean;
  /** Whether a span has at most one duplicate of this kind. */
  pairs: boolean;
  /** Whether one instrumentation may report a call any number of times. */
  repeats?: boolean;
};

/** All kinds of duplicates, the most certain first. */
const DUPLICATE_KINDS: readonly DuplicateKind[] = [
  // Logfire ends the span of a streamed call at the headers, and creates another when the stream ends.
  { key: ofSameRequest, same: (request, end) => isEndOfStream(request, end), pairs: true },
  // A span that is created again under another id, such as by two exporters or by a callback that runs twice.
  { key: (span) => span.call.responseId, same: isRepeated, pairs: false, repeats: true },
  // The provider's response id identifies a call across traces; test servers repeat ids, so times must agree.
  {
    key: (span) => span.call.responseId,
    same: (one, other) => touch(one, other) && complement(one, other),
    pairs: false,
  },
  // Without an id: same parent, model, totals and time, by another instrumentation.
  {
    key: ofSameParent,
    same: (one, other) =>
      touch(one, other) &&
      complement(one, other) &&
      sameModel(one, other) &&
      sameTotals(one, other) &&
      mayBeOneResponse(one, other),
    pairs: false,
  },
];

/** Largest gap between two spans of one call by two instrumentations. */
const TOUCHING_US = 50_000;
/** Maximum number of earlier spans with the same key that a span is compared with. */
const MAX_COMPARED = 8;

/** Joins spans that report one call, kind by kind. */
export function joinDuplicates(
  spans: readonly CallSpan[],
  isWrapper: (span: CallSpan) => boolean,
  groups: Groups,
): void {
  for (const kind of DUPLICATE_KINDS) {
    // Wrappers are joined to what they wrap by `joinWrappers`; only the end of a stream is a sibling of its call.
    const alike = groupBy(kind.pairs ? spans : spans.filter((span) => !isWrapper(span)), kind.key);
    for (const some of alike.values()) if (some.length > 1) joinAlike(some.sort(byTime), kind, groups);
  }
}

function joinAlike(spans: readonly CallSpan[], { same, pairs, repeats }: DuplicateKind, groups: Groups): void {
  const earlier: CallSpan[] = [];
  for (const span of spans) {
    const compared = earlier.slice(-MAX_COMPARED).reverse();
    const duplicate = compared.find((other) => (repeats || groups.mayJoin(other, span)) && same(other, span));
    if (duplicate) groups.join(duplicate, span);
    if (duplicate && pairs) earlier.splice(earlier.lastIndexOf(duplicate), 1);
    else earlier.push(span);
  }
}

function ofSameParent({ traceId, parentSpanId }: SpanFacts): string | null {
  return parentSpanId === null ? null : `${traceId}/${parentSpanId}`;
}

function ofSameRequest(span: CallSpan): string | null {
  // Most calls are neither half: a request has no usage, and only the end of a stream has its duration.
  if (span.call.streamUs === null && saysUsage(span)) return null;
  // Without a parent span, each half is its own trace.
  return [ofSameParent(span), span.scopeName, span.call.requestedModel, span.input].join("\n");
}

function isEndOfStream(request: CallSpan, end: CallSpan): boolean {
  const { streamUs } = end.call;
  return (
    streamUs !== null &&
    request.call.streamUs === null &&
    !saysUsage(request) &&
    request.error === null &&
    request.endedUs <= end.startedUs - streamUs + TOUCHING_US
  );
}

/** Clocks of milliseconds round the times of a call that is reported twice. */
const ROUNDED_US = 1_000;

function isRepeated(one: CallSpan, other: CallSpan): boolean {
  return (
    Math.abs(one.startedUs - other.startedUs) <= ROUNDED_US &&
    Math.abs(one.endedUs - other.endedUs) <= ROUNDED_US &&
    one.input === other.input &&
    one.output === other.output &&
    one.type === other.type &&
    sameTotals(one, other)
  );
}

const touch = (one: SpanFacts, other: SpanFacts) =>
  one.startedUs <= other.endedUs + TOUCHING_US && other.startedUs <= one.endedUs + TOUCHING_US;

/** Whether two spans come from different instrumentations, or one has what the other lacks. */
const complement = (one: CallSpan, other: CallSpan) =>
  one.scopeName !== other.scopeName || saysUsage(one) !== saysUsage(other) || hasMessages(one) !== hasMessages(other);

export const hasMessages = (span: SpanFacts) => span.input !== EMPTY_LIST || span.output !== EMPTY_LIST;

const mayBeOneResponse = (one: CallSpan, other: CallSpan) =>
  one.call.responseId === null || other.call.responseId === null || one.call.responseId === other.call.responseId;

const plain = (model: string | null) => (model === null ? null : model.slice(model.lastIndexOf("/") + 1).toLowerCase());

function sameModel(one: CallSpan, other: CallSpan): boolean {
  const models = [one.call.requestedModel, one.call.responseModel].map(plain).filter((model) => model !== null);
  const others = [other.call.requestedModel, other.call.responseModel].map(plain).filter((model) => model !== null);
  return models.length === 0 || others.length === 0 || models.some((model) => others.includes(model));
}

/** Whether both usages have the same total, whatever the buckets. One token may differ: some clients count a stream's last event. */
export function sameTotals(one: CallSpan, other: CallSpan): boolean {
  if (!saysUsage(one) || !saysUsage(other)) return true;
  const sums = [one, other].map(({ call }) => totalOf(call.usage ?? {}));
  return Math.abs((sums[0] ?? 0) - (sums[1] ?? 0)) <= 1;
}

/** Whether a span says what its call used: zeros may be the figures of an instrumentation that knows none. */
export const saysUsage = ({ call: { usage } }: CallSpan): boolean =>
  usage !== null && Object.values(usage).some((count) => count > 0);

/** Returns the sum of the known buckets. */
export const totalOf = (usage: Readonly<Record<string, number>>) =>
  Object.entries(usage).reduce((sum, [name, count]) => (isOfKnownBucket(name) ? sum + count : sum), 0);

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
