import type { SentFeedback } from "../types";
import type { SpanFacts } from "./span-facts";

/** More feedback than this in one conversation comes from a program. */
const FEEDBACK_MAX = 1000;

/** Returns the feedback that spans report, oldest first, each on the span that it evaluates. */
export function sentFeedback(spans: readonly SpanFacts[]): SentFeedback[] {
  const reporting = spans.filter(({ feedback }) => feedback.length > 0);
  if (reporting.length === 0) return [];
  const spanOfResponse = new Map(
    spans.flatMap(({ call, spanId, traceId }) => (call?.responseId ? [[call.responseId, { spanId, traceId }]] : [])),
  );
  return reporting
    .flatMap((span) =>
      span.feedback.map(({ onParent, responseId, ...rest }) => ({
        ...rest,
        traceId: span.traceId,
        spanId: onParent ? (span.parentSpanId ?? span.spanId) : span.spanId,
        ...spanOfResponse.get(responseId ?? ""),
      })),
    )
    .sort((one, other) => one.atUs - other.atUs)
    .slice(0, FEEDBACK_MAX);
}
