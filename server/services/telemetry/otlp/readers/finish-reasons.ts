import type { Attributes } from "../types";
import { firstOf, jsonText, objectIn, type Reader, text, textInJson, textOf, texts } from "./reader";
import type { SpanView } from "./span-view";

export const FINISH_REASONS: readonly Reader<string[]>[] = [
  texts("gen_ai.response.finish_reasons"), // OpenTelemetry GenAI; some clients write it as JSON text, some as a single string
  texts("gen_ai.response.finish_reason"), // Semantic Kernel, OpenLLMetry
  one(text("gen_ai.response.stop_reason")), // OpenLLMetry, Sentry
  one(text("llm.response.finish_reason")), // OpenLLMetry before
  one(text("llm.response.stop_reason")),
  one(text("llm.finish_reason")), // OpenInference
  one(text("ai.response.finishReason")), // Vercel AI SDK
  one(text("anthropic.message.stop_reason")), // Anthropic's own SDK
  ...["finish_reason", "finishReason", "stop_reason"].map((name) =>
    one(jsonText(`langfuse.observation.metadata.${name}`)),
  ),
  one(textInJson("langfuse.observation.metadata", "finish_reason", "finishReason", "stop_reason")),
  one(textInJson("genkit:output", "finishReason")),
  one(textInJson("gcp.vertex.agent.llm_response", "finish_reason", "finishReason")),
];

function one({ takes, read }: Reader<string>): Reader<string[]> {
  return {
    takes,
    read: (attributes: Attributes) => {
      const reason = read(attributes);
      return reason === undefined ? undefined : [reason];
    },
  };
}

/** Spellings of the same reason: the model calls tools. */
const TOOL_CALLS = new Set(["tool_call", "tool_calls", "tool-calls", "tool_use", "tooluse", "function_call"]);

/** Returns why the model stopped, in lower case, with all spellings of "tool_calls" as one. */
export function resolveFinishReasons(view: SpanView): string[] {
  const sent = firstOf(FINISH_REASONS, view.attributes) ?? fromCompletions(view) ?? fromChoices(view) ?? [];
  return sent.map((reason) => {
    const lower = reason.toLowerCase();
    return TOOL_CALLS.has(lower) ? "tool_calls" : lower;
  });
}

function fromCompletions(view: SpanView): string[] | undefined {
  const tree = view.treeOf("gen_ai.completion.");
  if (!tree) return undefined;
  return some(Object.values(tree).map((completion) => textOf(objectIn(completion)?.finish_reason)));
}

function fromChoices(view: SpanView): string[] | undefined {
  const choices = view.events.filter((event) => event.name === "gen_ai.choice");
  return some(
    choices.map(({ attributes, body }) => textOf(attributes.finish_reason) ?? textOf(objectIn(body)?.finish_reason)),
  );
}

function some(reasons: (string | undefined)[]): string[] | undefined {
  const found = reasons.filter((reason) => reason !== undefined);
  return found.length > 0 ? found : undefined;
}
