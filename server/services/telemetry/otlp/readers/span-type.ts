import type { SpanType } from "../../schemas";
import { CONVENTIONS } from "../conventions";
import { LAMINAR } from "../conventions/laminar";
import { LANGFUSE } from "../conventions/langfuse";
import { LANGSMITH } from "../conventions/langsmith";
import { OPENINFERENCE } from "../conventions/openinference";
import { OPENLLMETRY } from "../conventions/openllmetry";
import { OPENTELEMETRY } from "../conventions/opentelemetry";
import { VERCEL_AI_SDK } from "../conventions/vercel-ai-sdk";
import { TYPE_OF_EVENT } from "./events";
import { sourcesOf } from "./precedence";
import { firstOf, present, type Reader } from "./reader";
import type { SpanView } from "./span-view";

/** Spans that repeat another. */
const IGNORED = new Set(CONVENTIONS.flatMap(({ ignoredSpans = [] }) => ignoredSpans));

/** Attributes that state a span's type, in order of trust. */
export const SPAN_TYPE = sourcesOf("spanType", {
  first: [LANGSMITH, OPENTELEMETRY, OPENINFERENCE, VERCEL_AI_SDK, OPENLLMETRY, LANGFUSE, LAMINAR],
});

/** Types by attributes that only spans of one type have, for clients that send no type. An agent's span may have a call's. */
export const SPAN_TYPE_EVIDENCE: readonly Reader<SpanType>[] = (["agent", "tool", "llm"] as const).flatMap((type) =>
  CONVENTIONS.flatMap(({ marks }) => marks?.[type] ?? []).map((name) => present(name, type)),
);

/** Returns the type of a span. Events are considered last: a choice event indicates a model's output. */
export function resolveSpanType(view: SpanView): SpanType {
  if (IGNORED.has(view.span.name)) return "other";
  return (
    firstOf(SPAN_TYPE, view.attributes) ??
    firstOf(SPAN_TYPE_EVIDENCE, view.attributes) ??
    view.events.map(({ name }) => TYPE_OF_EVENT.get(name)).find((type) => type !== undefined) ??
    "other"
  );
}
