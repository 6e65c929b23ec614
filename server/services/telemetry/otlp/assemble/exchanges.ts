import { byTime } from "./by-time";
import { type JoinedCall, timesOf } from "./join-calls";
import { EMPTY_LIST } from "./list-tree";
import type { Exchange } from "./rebuild-messages";
import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

const hasOutput = (span: SpanFacts) => span.output !== EMPTY_LIST;
const hasMessages = (span: SpanFacts) => span.input !== EMPTY_LIST || hasOutput(span);

/**
 * Where the messages of a conversation come from, in the order of time: the calls of each trace, or where they tell none, what
 * is outermost in it and does.
 */
export function exchangesOf(spans: readonly SpanFacts[], calls: readonly JoinedCall[], tree: SpanTree): Exchange[] {
  const told = calls.map(tellingSpan).filter((span) => span !== undefined);
  const tracesTold = new Set(told.map((span) => span.traceId));
  const tellingAbove = tree.finderAbove(hasMessages);
  const inCalls = new Set(calls.flatMap((call) => call.spans as SpanFacts[]));
  const outermost = spans.filter(
    (span) => hasMessages(span) && !tracesTold.has(span.traceId) && !inCalls.has(span) && !tellingAbove(span),
  );
  return [...withAnswersOfWrappers(told, tree), ...outermost].sort(byTime);
}

/** Of the spans of one call, the one that tells both sides, else the first that tells any. */
function tellingSpan({ spans }: JoinedCall): SpanFacts | undefined {
  const span = spans.find((span) => span.input !== EMPTY_LIST && hasOutput(span)) ?? spans.find(hasMessages);
  const times = span && timesOf(span, spans);
  return times === span ? span : ({ ...span, ...times } as SpanFacts);
}

/** Where a call does not tell its answer but the span around it does, that is the answer of the last call inside. */
function withAnswersOfWrappers(told: readonly SpanFacts[], tree: SpanTree): SpanFacts[] {
  const answeringAbove = tree.finderAbove(hasOutput);
  const lastInside = new Map<SpanFacts, SpanFacts>();
  for (const span of [...told].sort(byTime)) {
    const wrapper = answeringAbove(span);
    if (wrapper) lastInside.set(wrapper, span);
  }
  return told.map((span) => {
    const wrapper = hasOutput(span) ? undefined : answeringAbove(span);
    return wrapper && lastInside.get(wrapper) === span ? { ...span, output: wrapper.output } : span;
  });
}
