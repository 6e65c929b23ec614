import { randomBytes } from "node:crypto";
import type { Ctx } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { decodeTraces, storeTraces } from "@/server/services/telemetry";
import type { ChatRequest } from "./chat-request";
import type { ServedDeployment } from "./find-target";
import type { Answer } from "./fold-answer";

type Fields = Record<string, unknown>;
type Attributes = ReturnType<typeof decodeTraces>["items"][number]["attributes"];

export type Call = {
  deployment: ServedDeployment;
  request: ChatRequest;
  /** The telemetry attributes of the request. */
  input: Promise<Attributes>;
  /** The client's own conversation id, if it sends one. */
  conversationId: string | null;
  answer: Answer;
  /** Unix ms. */
  startedAt: number;
  endedAt: number;
  firstTokenAt: number | null;
  /** Why the answer is incomplete; `null` if it is complete. */
  error: string | null;
};

const CLIENT = 3;
const FAILED = 2;
const PROVIDER = "whetstone";
const SCOPE = "whetstone.gateway";

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

function partOf(given: unknown): Fields {
  const { type, text, image_url: image, ...rest } = fields(given);
  if (typeof text === "string") return { type: "text", content: text };
  if (image !== undefined) return { type: "uri", modality: "image", uri: fields(image).url ?? image };
  return { type: String(type ?? "unknown"), ...rest };
}

const callPart = (id: unknown, name: unknown, given: unknown): Fields => ({
  type: "tool_call",
  id,
  name,
  arguments: given,
});

/** Converts a message of the OpenAI API to OpenTelemetry's GenAI convention. */
function messageOf({ role, content, tool_calls, tool_call_id, name }: ChatRequest["messages"][number]): Fields {
  if (role === "tool") {
    return { role, parts: [{ type: "tool_call_response", id: tool_call_id, response: content }] };
  }
  const said = Array.isArray(content)
    ? content.map(partOf)
    : typeof content === "string" && content !== ""
      ? [{ type: "text", content }]
      : [];
  const calls = (Array.isArray(tool_calls) ? tool_calls : []).map((one) => {
    const { id, function: called } = fields(one);
    return callPart(id, fields(called).name, fields(called).arguments);
  });
  return { role, parts: [...said, ...calls], ...(typeof name === "string" ? { name } : {}) };
}

const answerOf = ({ content, reasoning, toolCalls, finishReason }: Answer): Fields => ({
  role: "assistant",
  parts: [
    ...(reasoning === "" ? [] : [{ type: "reasoning", content: reasoning }]),
    ...(content === "" ? [] : [{ type: "text", content }]),
    ...toolCalls.map((call) => callPart(call.id, call.name, call.arguments)),
  ],
  finish_reason: finishReason,
});

const SETTINGS = {
  temperature: "temperature",
  top_p: "top_p",
  max_tokens: "max_tokens",
  max_completion_tokens: "max_tokens",
  seed: "seed",
  presence_penalty: "presence_penalty",
  frequency_penalty: "frequency_penalty",
} as const;

const settingsOf = (request: Fields) =>
  Object.entries(SETTINGS).map(([name, attribute]) => [`gen_ai.request.${attribute}`, request[name]] as const);

function usageOf({ usage }: Answer): (readonly [string, unknown])[] {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage ?? {};
  return [
    ["gen_ai.usage.input_tokens", prompt_tokens],
    ["gen_ai.usage.output_tokens", completion_tokens],
    ["gen_ai.usage.cache_read.input_tokens", fields(prompt_tokens_details).cached_tokens],
    ["gen_ai.usage.reasoning_tokens", fields(completion_tokens_details).reasoning_tokens],
  ];
}

function anyValue(value: unknown): Fields | null {
  if (typeof value === "number" && Number.isFinite(value)) {
    return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => ({ stringValue: String(one) })) } };
  return typeof value === "string" ? { stringValue: value } : null;
}

const attributesOf = (pairs: readonly (readonly [string, unknown])[]) =>
  pairs.flatMap(([key, given]) => {
    const value = anyValue(given);
    return value ? [{ key, value }] : [];
  });

/** Decodes a span as the batch that an application's own instrumentation would send for a call. */
function decoded(service: string, span: Fields) {
  const ids = { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex") };
  const resource = { attributes: attributesOf([["service.name", service]]) };
  const scopeSpans = [{ scope: { name: SCOPE, version: "1" }, spans: [{ ...ids, kind: CLIENT, ...span }] }];
  return decodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })), "json");
}

/** Returns the telemetry attributes of a request: most of a call's bytes, and known before there is an answer. */
export function askedOf(request: ChatRequest): Attributes {
  const attributes = attributesOf([
    ["user.id", request.user],
    ["gen_ai.input.messages", JSON.stringify(request.messages.map(messageOf))],
    ["gen_ai.tool.definitions", request.tools?.length ? JSON.stringify(request.tools) : null],
    ...settingsOf(request),
  ]);
  const [span] = decoded(PROVIDER, { name: "chat", startTimeUnixNano: `${Date.now()}000000`, attributes }).items;
  return span?.attributes ?? {};
}

function answeredOf({ deployment, conversationId, answer, startedAt, endedAt, firstTokenAt, error }: Call) {
  const { name } = deployment;
  const hasAnswer = answer.content !== "" || answer.toolCalls.length > 0 || answer.reasoning !== "";
  const attributes = attributesOf([
    ["gen_ai.operation.name", "chat"],
    ["gen_ai.provider.name", PROVIDER],
    ["gen_ai.request.model", name],
    ["gen_ai.response.model", name],
    ["gen_ai.response.id", answer.id],
    ["gen_ai.response.finish_reasons", answer.finishReason === null ? null : [answer.finishReason]],
    ["gen_ai.conversation.id", conversationId],
    ["gen_ai.output.messages", hasAnswer ? JSON.stringify([answerOf(answer)]) : null],
    ["gen_ai.response.time_to_first_chunk", firstTokenAt === null ? null : (firstTokenAt - startedAt) / 1000],
    ["error.type", error],
    ["whetstone.deployment.id", deployment.id],
    ["whetstone.checkpoint.id", deployment.checkpointId],
    ...usageOf(answer),
  ]);
  return decoded(name, {
    name: `chat ${name}`,
    startTimeUnixNano: `${startedAt}000000`,
    endTimeUnixNano: `${Math.max(startedAt, endedAt)}000000`,
    status: error === null ? {} : { code: FAILED, message: error },
    attributes,
  });
}

/** Returns whether calls to a deployment are recorded as telemetry. */
export const isRecorded = ({ purpose }: ServedDeployment) => purpose !== "playground";

/** Stores a call as telemetry, through the same path as an application's own. If that fails, the answer is still returned. */
export async function recordCall(ctx: Ctx, call: Call): Promise<void> {
  if (!isRecorded(call.deployment)) return;
  try {
    const [batch, input] = [answeredOf(call), await call.input];
    const items = batch.items.map((span) => ({ ...span, attributes: { ...input, ...span.attributes } }));
    await storeTraces(ctx, { ...batch, items });
  } catch (error) {
    logger("gateway").error(
      { err: loggable(error), deploymentId: call.deployment.id },
      "A call could not be recorded.",
    );
  }
}
