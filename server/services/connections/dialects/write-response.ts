import { randomUUID } from "node:crypto";
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ModelDialect } from "./dialect";
import type { ResponsesFields } from "./responses-fields";
import { createdNow } from "./write-answer";
import { writeUsage } from "./write-usage";

/** A response as far as it is known before the model says anything. */
export type ResponseBase = ReturnType<typeof newResponse>;
export type OutputItem = ReturnType<typeof messageItem | typeof reasoningItem | typeof callItem>;

export const newId = (prefix: "resp" | "msg" | "rs" | "fc") => `${prefix}_${randomUUID().replaceAll("-", "")}`;

/** Returns a response that has just begun, with what was asked of it. */
export const newResponse = (asked: ResponsesFields, model: string) => ({
  id: newId("resp"),
  object: "response",
  created_at: createdNow(),
  status: "in_progress",
  background: false,
  error: null as { code: string; message: string } | null,
  incomplete_details: null as { reason: string } | null,
  instructions: asked.instructions ?? null,
  max_output_tokens: asked.max_output_tokens ?? null,
  metadata: asked.metadata ?? {},
  model,
  output: [] as OutputItem[],
  parallel_tool_calls: asked.parallel_tool_calls ?? true,
  previous_response_id: null,
  reasoning: { effort: asked.reasoning?.effort ?? null, summary: null },
  store: false,
  temperature: asked.temperature ?? null,
  text: { format: asked.text?.format ?? { type: "text" } },
  tool_choice: asked.tool_choice ?? "auto",
  tools: asked.tools ?? [],
  top_p: asked.top_p ?? null,
  truncation: "disabled",
  usage: null as object | null,
});

export const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
export const summaryPart = (text: string) => ({ type: "summary_text", text });
export const messageItem = (id: string, text: string) => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [textPart(text)],
});
export const reasoningItem = (id: string, text: string) => ({ id, type: "reasoning", summary: [summaryPart(text)] });
export const callItem = (id: string, call: { call_id: string; name: string; arguments: string }) => ({
  id,
  type: "function_call",
  status: "completed",
  ...call,
});

const INCOMPLETE: Partial<Record<LanguageModelV4FinishReason["unified"], string>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

/** Returns how a response has ended, and what it used. */
export function endOf({ unified }: LanguageModelV4FinishReason, usage: LanguageModelV4Usage, dialect: ModelDialect) {
  const reason = INCOMPLETE[unified];
  return {
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    usage: responseUsage(usage, dialect),
  };
}

/** Returns usage under the names of Responses, which are others than those of chat completions. */
function responseUsage(usage: LanguageModelV4Usage, dialect: ModelDialect) {
  const written = writeUsage(usage, dialect);
  if (written === null) return null;
  const {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details,
    completion_tokens_details,
    ...more
  } = written;
  return {
    ...more,
    input_tokens,
    input_tokens_details: { cache_write_tokens: 0, ...prompt_tokens_details },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0, ...completion_tokens_details },
  };
}

/** Returns a whole answer as a response of the OpenAI API. */
export function writeResponse(
  { content, finishReason, usage, response }: LanguageModelV4GenerateResult,
  { asked, model, dialect }: { asked: ResponsesFields; model: string; dialect: ModelDialect },
) {
  const base = newResponse(asked, response?.modelId ?? dialect.answeredBy?.(response?.body) ?? model);
  const output = content.flatMap((part): OutputItem[] => {
    if (part.type === "text") return part.text === "" ? [] : [messageItem(newId("msg"), part.text)];
    if (part.type === "reasoning") return part.text === "" ? [] : [reasoningItem(newId("rs"), part.text)];
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId: call_id, toolName: name, input } = part;
    return [callItem(newId("fc"), { call_id, name, arguments: input || "{}" })];
  });
  return { ...base, id: response?.id ?? base.id, output, ...endOf(finishReason, usage, dialect) };
}
