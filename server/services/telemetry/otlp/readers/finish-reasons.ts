import { ANTHROPIC_SDK } from "../conventions/anthropic";
import { GOOGLE_ADK } from "../conventions/google-adk";
import { OPENINFERENCE } from "../conventions/openinference";
import { OPENLLMETRY } from "../conventions/openllmetry";
import { OPENTELEMETRY } from "../conventions/opentelemetry";
import { SEMANTIC_KERNEL } from "../conventions/semantic-kernel";
import { VERCEL_AI_SDK } from "../conventions/vercel-ai-sdk";
import { sourcesOf } from "./precedence";
import { firstOf } from "./reader";
import type { SpanView } from "./span-view";

/** Attributes that say why the model stopped. Google's is read out of the whole response. */
export const FINISH_REASONS = sourcesOf("finishReasons", {
  first: [OPENTELEMETRY, SEMANTIC_KERNEL, OPENLLMETRY, OPENINFERENCE, VERCEL_AI_SDK, ANTHROPIC_SDK],
  last: [GOOGLE_ADK],
});

/** The same in a span's messages or events. */
const OF_SPAN = sourcesOf("finishReasonsOfSpan", { first: [OPENLLMETRY] });

/** Spellings of the same reason: the model calls tools. */
const TOOL_CALLS = new Set(["tool_call", "tool_calls", "tool-calls", "tool_use", "tooluse", "function_call"]);

/** Returns why the model stopped, in lower case, with all spellings of "tool_calls" as one. */
export function resolveFinishReasons(view: SpanView): string[] {
  const stated = firstOf(FINISH_REASONS, view.attributes);
  const sent = stated === undefined ? ofSpan(view) : [stated].flat();
  return sent.map((reason) => {
    const lower = reason.toLowerCase();
    return TOOL_CALLS.has(lower) ? "tool_calls" : lower;
  });
}

function ofSpan(view: SpanView): string[] {
  for (const read of OF_SPAN) {
    const found = read(view).filter((reason) => reason !== undefined);
    if (found.length > 0) return found;
  }
  return [];
}
