import { byTime } from "./by-time";
import { innerAgents } from "./inner-agents";
import { type JoinedCall, timesOf } from "./join-calls";
import { EMPTY_LIST } from "./list-tree";
import type { Exchange } from "./rebuild-messages";
import type { CallSpan, SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

const hasOutput = (span: SpanFacts) => span.output !== EMPTY_LIST;
const hasMessages = (span: SpanFacts) => span.input !== EMPTY_LIST || hasOutput(span);

/**
 * Returns the sources of a conversation's messages in order of time: the calls of each trace or, if they contain no messages,
 * the outermost spans that do.
 */
export function exchangesOf(spans: readonly SpanFacts[], calls: readonly JoinedCall[], tree: SpanTree): Exchange[] {
  const reporting = calls.map(reportingSpan).filter((span) => span !== undefined);
  const reportedTraces = new Set(reporting.map((span) => span.traceId));
  const messagesAbove = tree.finderAbove(hasMessages);
  const agentOf = innerAgents(calls, tree);
  const inCalls = new Set(calls.flatMap((call): SpanFacts[] => [...call.spans, ...call.around]));
  const outermost = spans.filter(
    (span) => hasMessages(span) && !reportedTraces.has(span.traceId) && !inCalls.has(span) && !messagesAbove(span),
  );
  const exchanges = withWrapperOutputs(reporting, tree).map((span) => ({ ...span, agent: agentOf(span) }));
  return [...exchanges, ...outermost.map((span) => ({ ...span, agent: null }))].sort(byTime);
}

/** Returns the span of a call with both input and output, otherwise the first with either. */
function reportingSpan({ spans, around }: JoinedCall): SpanFacts | undefined {
  const span = mostTelling(spans) ?? mostTelling(around);
  const times = span && timesOf(span, spans);
  return times === span ? span : ({ ...span, ...times } as SpanFacts);
}

const mostTelling = (spans: readonly CallSpan[]): CallSpan | undefined =>
  spans.find((span) => span.input !== EMPTY_LIST && hasOutput(span)) ?? spans.find(hasMessages);

/** Where calls have no output but a span around them does, uses that as the output of the last call inside. */
function withWrapperOutputs(reporting: readonly SpanFacts[], tree: SpanTree): SpanFacts[] {
  const outputAbove = tree.finderAbove(hasOutput);
  const lastInside = new Map<SpanFacts, SpanFacts>();
  for (const span of [...reporting].sort(byTime)) {
    const wrapper = outputAbove(span);
    if (wrapper) lastInside.set(wrapper, span);
  }
  return reporting.map((span) => {
    const wrapper = hasOutput(span) ? undefined : outputAbove(span);
    return wrapper && lastInside.get(wrapper) === span ? { ...span, output: wrapper.output } : span;
  });
}
