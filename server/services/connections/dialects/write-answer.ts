import { randomUUID } from "node:crypto";
import type { LanguageModelV4FinishReason, LanguageModelV4GenerateResult, SharedV4Warning } from "@ai-sdk/provider";
import { SECOND_MS } from "@/server/platform/durations";
import type { ModelDialect } from "./dialect";
import type { Turn } from "./turn-memory";
import { writeUsage } from "./write-usage";

const FINISH_REASONS: Record<LanguageModelV4FinishReason["unified"], string> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  interrupted: "stop",
  error: "stop",
  other: "stop",
};
/** Returns why an answer ended, in OpenAI's words. */
export const finishReasonOf = ({ unified }: LanguageModelV4FinishReason): string => FINISH_REASONS[unified];

/** An id for a service that gives its answers none. */
export const newAnswerId = () => `chatcmpl-${randomUUID()}`;
export const createdNow = () => Math.floor(Date.now() / SECOND_MS);

/** The library's names of features that OpenAI's requests call otherwise. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  maxOutputTokens: ["max_completion_tokens", "max_tokens", "max_output_tokens"],
  reasoning: ["reasoning_effort", "reasoning.effort"],
  responseFormat: ["response_format", "text.format"],
  strict: ["tools.strict"],
};
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the fields of a request that the library says it has not sent as they were. */
export const fieldsWarnedOf = (warnings: readonly SharedV4Warning[], given: ReadonlySet<string>): string[] =>
  warnings
    .flatMap((one) => (one.type === "unsupported" ? (FIELDS[one.feature] ?? [snakeCase(one.feature)]) : []))
    .filter((name) => given.has(name.replace(/\..*/, "")));

/** Returns what an assistant has said, to send it back unchanged. */
export function turnOf(content: LanguageModelV4GenerateResult["content"]): Turn {
  return content.flatMap((part): Turn => {
    const { providerMetadata } = part;
    const options = providerMetadata && { providerOptions: providerMetadata };
    if (part.type === "text") return [{ type: "text", text: part.text, ...options }];
    if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...options }];
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId, toolName, input } = part;
    return [{ type: "tool-call", toolCallId, toolName, input: inputOf(input), ...options }];
  });
}

/** Returns the arguments of a call; those that are not JSON never come back. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return text;
  }
}

/** Returns a whole answer as a chat completion of the OpenAI API. */
export function writeAnswer(
  { content, finishReason, usage, response }: LanguageModelV4GenerateResult,
  model: string,
  dialect: ModelDialect,
) {
  const textOf = (type: "text" | "reasoning") =>
    content.map((part) => (part.type === type ? (part as { text: string }).text : "")).join("");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" && !part.providerExecuted
      ? [{ id: part.toolCallId, type: "function", function: { name: part.toolName, arguments: part.input || "{}" } }]
      : [],
  );
  const [said, reasoning] = [textOf("text"), textOf("reasoning")];
  return {
    id: response?.id ?? newAnswerId(),
    object: "chat.completion",
    created: createdNow(),
    model: response?.modelId ?? dialect.answeredBy?.(response?.body) ?? model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: said === "" && calls.length > 0 ? null : said,
          refusal: null,
          ...(reasoning !== "" && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReasonOf(finishReason),
      },
    ],
    ...written(writeUsage(usage, dialect)),
  };
}

const written = (usage: object | null) => (usage === null ? {} : { usage });
