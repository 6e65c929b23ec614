import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { decodeTraces, GATEWAY_SCOPE, storeTraces } from "@/server/services/telemetry";
import type { Dialect, Pairs } from "../calls/dialect";
import { type Fields, fieldsOf } from "../calls/fields";
import { type Answer, emptyAnswer } from "../calls/fold-answer";
import type { Caller } from "./caller";

type Attributes = ReturnType<typeof decodeTraces>["items"][number]["attributes"];

/** What answers a call. */
export type Callee = {
  /** Names it as the source of the telemetry. */
  service: string;
  /** As prices are found by it; `null`: the model's name says enough. */
  provider: string | null;
  model: string;
  /** Whether it may reply with the name of another model, such as a dated one. */
  namesModel: boolean;
  /** Recorded with each call. */
  attributes: Pairs;
  /** Whether calls are recorded at all. */
  isRecorded: boolean;
};

/** A call in progress. */
export type Call = {
  dialect: Dialect;
  callee: Callee;
  caller: Caller;
  /** The telemetry attributes of the request. */
  input: Promise<Attributes>;
  answer: Answer;
  /** Unix ms. */
  startedAt: number;
  firstTokenAt: number | null;
};

const CLIENT = 3;
const FAILED = 2;

/** Begins a call. Converting a long request takes a while, so that is done while the model is working. */
export function beginCall(dialect: Dialect, callee: Callee, caller: Caller, request: Fields): Call {
  const input = callee.isRecorded ? nextTurn().then(() => askedOf(dialect.asked(request))) : Promise.resolve({});
  // Errors are reported where the promise is awaited.
  input.catch(() => {});
  return {
    dialect,
    callee,
    caller,
    input,
    answer: emptyAnswer(),
    startedAt: Date.now(),
    firstTokenAt: null,
  };
}

const messageOf = ({ content, reasoning, toolCalls, otherParts, finishReason }: Answer): Fields => ({
  role: "assistant",
  parts: [
    ...(reasoning === "" ? [] : [{ type: "reasoning", content: reasoning }]),
    ...otherParts,
    ...(content === "" ? [] : [{ type: "text", content }]),
    ...toolCalls.map((call) => ({ type: "tool_call", ...call })),
  ],
  finish_reason: finishReason,
});

/** Returns the counts in either of OpenAI's spellings; the whole object has the details that only some vendors tell. */
function usageOf({ usage }: Answer): Pairs {
  if (usage === null) return [];
  const input = fieldsOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const output = fieldsOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  return [
    ["gen_ai.usage.input_tokens", usage.prompt_tokens ?? usage.input_tokens],
    ["gen_ai.usage.output_tokens", usage.completion_tokens ?? usage.output_tokens],
    ["gen_ai.usage.cache_read.input_tokens", input.cached_tokens],
    ["gen_ai.usage.reasoning_tokens", output.reasoning_tokens],
    ["gen_ai.usage.raw", JSON.stringify(usage)],
  ];
}

function anyValue(value: unknown): Fields | null {
  if (typeof value === "number" && Number.isFinite(value)) {
    return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => ({ stringValue: String(one) })) } };
  return typeof value === "string" ? { stringValue: value } : null;
}

const attributesOf = (pairs: Pairs) =>
  pairs.flatMap(([key, given]) => {
    const value = anyValue(given);
    return value ? [{ key, value }] : [];
  });

/** Decodes a span as the batch that an application's own instrumentation would send for a call. */
function decoded(service: string, span: Fields) {
  const resource = { attributes: attributesOf([["service.name", service]]) };
  const scopeSpans = [{ scope: { name: GATEWAY_SCOPE, version: "1" }, spans: [{ kind: CLIENT, ...span }] }];
  return decodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })), "json");
}

const randomId = (bytes: number) => randomBytes(bytes).toString("hex");

/** Returns the telemetry attributes of a request: most of a call's bytes, and known before there is an answer. */
function askedOf(pairs: Pairs): Attributes {
  const ids = { traceId: randomId(16), spanId: randomId(8) };
  const attributes = attributesOf(pairs);
  const [span] = decoded(GATEWAY_SCOPE, {
    ...ids,
    name: "call",
    startTimeUnixNano: `${Date.now()}000000`,
    attributes,
  }).items;
  return span?.attributes ?? {};
}

function answeredOf({ dialect, callee, caller, answer, startedAt, firstTokenAt }: Call, error: string | null) {
  const { operation } = dialect;
  const { service, provider, model } = callee;
  const { content, toolCalls, reasoning, otherParts } = answer;
  const hasAnswer = content !== "" || toolCalls.length > 0 || reasoning !== "" || otherParts.length > 0;
  const attributes = attributesOf([
    ["gen_ai.operation.name", operation],
    ["gen_ai.provider.name", provider],
    ["gen_ai.request.model", model],
    ["gen_ai.response.model", callee.namesModel ? (answer.model ?? model) : model],
    ["gen_ai.response.id", answer.id],
    ["gen_ai.response.finish_reasons", answer.finishReason === null ? null : [answer.finishReason]],
    ["gen_ai.conversation.id", caller.conversationId],
    ["gen_ai.output.messages", hasAnswer ? JSON.stringify([messageOf(answer)]) : null],
    ["gen_ai.response.time_to_first_chunk", firstTokenAt === null ? null : (firstTokenAt - startedAt) / 1000],
    ["openai.response.service_tier", answer.serviceTier],
    ["error.type", error],
    ["whetstone.client.retries", caller.retries],
    ...callee.attributes,
    ...usageOf(answer),
  ]);
  return decoded(service, {
    traceId: caller.parent?.traceId ?? randomId(16),
    spanId: randomId(8),
    parentSpanId: caller.parent?.spanId ?? "",
    name: `${operation} ${model}`,
    startTimeUnixNano: `${startedAt}000000`,
    endTimeUnixNano: `${Math.max(startedAt, Date.now())}000000`,
    status: error === null ? {} : { code: FAILED, message: error },
    attributes,
  });
}

/**
 * Stores a call that ends now as telemetry, through the same path as an application's own; `error` says why its answer is
 * incomplete. If that fails, the answer is still returned.
 */
export async function recordCall(ctx: Ctx, call: Call, error: string | null): Promise<void> {
  if (!call.callee.isRecorded) return;
  try {
    const [batch, input] = [answeredOf(call, error), await call.input];
    const items = batch.items.map((span) => ({ ...span, attributes: { ...input, ...span.attributes } }));
    await storeTraces(ctx, { ...batch, items });
  } catch (failure) {
    logger("gateway").error({ err: loggable(failure), ...Object.fromEntries(call.callee.attributes) }, NOT_RECORDED);
  }
}
const NOT_RECORDED = "A call could not be recorded.";
