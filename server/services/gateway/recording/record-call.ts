import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { finishWithoutCaller } from "@/server/platform/event-loop/unfinished-work";
import { GATEWAY_SCOPE } from "@/server/services/telemetry";
import type { Dialect, Pairs } from "../calls/dialect";
import { type Fields, fieldsOf } from "../calls/fields";
import { type Answer, emptyAnswer } from "../calls/fold-answer";
import type { Caller } from "./caller";
import { forgetProgress } from "./calls-in-progress";
import { storeCall } from "./store-calls";
import { answerWithoutContent, askedWithoutContent, errorWithoutContent } from "./without-content";

/** As OTLP's JSON writes them. */
export type Attributes = readonly { key: string; value: Fields }[];

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

/** The attempts of one call at an answer that any of several models may give. */
export type Attempts = {
  alias: string;
  /** Recorded with each: the arm of an experiment. */
  arm: Pairs;
  traceId: string;
  /** Of the span around them. */
  spanId: string;
  /** Unix ms. */
  startedAt: number;
  /** The telemetry attributes of the request, once an attempt has begun. */
  input: Promise<Attributes> | null;
  /** The spans of those that failed, in order. */
  failed: SourcedSpan[];
};

/** A call in progress. */
export type Call = {
  dialect: Dialect;
  callee: Callee;
  caller: Caller;
  /** Whether what is said in it is stored. */
  storesContent: boolean;
  /** Those that it is one of. */
  attempts: Attempts | null;
  traceId: string;
  spanId: string;
  /** The telemetry attributes of the request. */
  input: Promise<Attributes>;
  answer: Answer;
  /** Unix ms. */
  startedAt: number;
  firstTokenAt: number | null;
  /** Called when it ends, however it does. */
  onEnd: (() => Promise<void>) | null;
};

const INTERNAL = 1;
const CLIENT = 3;
const FAILED = 2;

/** Begins a call. Converting a long request takes a while, so that is done while the model is working. */
export function beginCall(
  { dialect, caller, request, storesContent }: Pick<Call, "dialect" | "caller" | "storesContent"> & { request: Fields },
  callee: Callee,
  attempts: Attempts | null = null,
): Call {
  const asked = () => (storesContent ? dialect.asked(request) : askedWithoutContent(dialect.asked(request)));
  const convert = async () => (callee.isRecorded ? nextTurn().then(() => attributesOf(asked())) : []);
  const input = attempts?.input ?? convert();
  if (attempts) attempts.input = input;
  // Errors are reported where the promise is awaited.
  input.catch(() => {});
  return {
    dialect,
    callee,
    caller,
    storesContent,
    attempts,
    traceId: attempts?.traceId ?? caller.parent?.traceId ?? randomId(16),
    spanId: randomId(8),
    input,
    answer: emptyAnswer(),
    startedAt: Date.now(),
    firstTokenAt: null,
    onEnd: null,
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

/** Returns the tier that the call was served in, and the counts in either of OpenAI's spellings; the whole object has the details that only some vendors tell. */
export function usageOf({ usage, serviceTier }: Answer): Pairs {
  if (usage === null) return [["openai.response.service_tier", serviceTier]];
  const input = fieldsOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const output = fieldsOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  return [
    ["gen_ai.usage.input_tokens", usage.prompt_tokens ?? usage.input_tokens],
    ["gen_ai.usage.output_tokens", usage.completion_tokens ?? usage.output_tokens],
    ["gen_ai.usage.cache_read.input_tokens", input.cached_tokens],
    ["gen_ai.usage.reasoning_tokens", output.reasoning_tokens],
    ["gen_ai.usage.raw", JSON.stringify(usage)],
    ["openai.response.service_tier", serviceTier],
  ];
}

function anyValue(value: unknown): Fields | null {
  if (typeof value === "number" && Number.isFinite(value)) {
    return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => ({ stringValue: String(one) })) } };
  return typeof value === "string" ? { stringValue: value } : null;
}

const attributesOf = (pairs: Pairs): Attributes =>
  pairs.flatMap(([key, given]) => {
    const value = anyValue(given);
    return value ? [{ key, value }] : [];
  });

/** A span as OTLP's JSON writes it, with the name of its source. */
export type SourcedSpan = { service: string; span: Fields & { spanId: string; attributes: Attributes } };

/** Returns spans as an element of OTLP's `resourceSpans`, as the application's own instrumentation would send them. */
export const spansText = (spans: readonly SourcedSpan[]): string =>
  spans
    .map(({ service, span }) =>
      JSON.stringify({
        resource: { attributes: attributesOf([["service.name", service]]) },
        scopeSpans: [{ scope: SCOPE, spans: [{ kind: CLIENT, ...span }] }],
      }),
    )
    .join();
const SCOPE = { name: GATEWAY_SCOPE, version: "1" };

/** Returns a span with the attributes of the request, too. */
const withRequest = ({ service, span }: SourcedSpan, request: Attributes): SourcedSpan => {
  const own = new Set(span.attributes.map(({ key }) => key));
  return {
    service,
    span: { ...span, attributes: [...request.filter(({ key }) => !own.has(key)), ...span.attributes] },
  };
};

const randomId = (bytes: number) => randomBytes(bytes).toString("hex");

const nanoseconds = (startedAt: number) => ({
  startTimeUnixNano: `${startedAt}000000`,
  endTimeUnixNano: `${Math.max(startedAt, Date.now())}000000`,
});
const statusOf = (error: string | null) => (error === null ? {} : { code: FAILED, message: error });

/** Returns the span of a call that ends now, without its request. */
export function spanOf(call: Call, why: string | null): SourcedSpan {
  const { dialect, callee, caller, attempts, traceId, spanId, storesContent, startedAt, firstTokenAt } = call;
  const answer = storesContent ? call.answer : answerWithoutContent(call.answer);
  const error = storesContent ? why : errorWithoutContent(why);
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
    ["error.type", error],
    ["whetstone.client.retries", caller.retries],
    ["whetstone.gateway.alias", attempts?.alias],
    ...(attempts?.arm ?? []),
    ...callee.attributes,
    ...usageOf(answer),
  ]);
  const span = {
    traceId,
    spanId,
    parentSpanId: attempts?.spanId ?? caller.parent?.spanId ?? "",
    name: `${operation} ${model}`,
    ...nanoseconds(startedAt),
    status: statusOf(error),
    attributes,
  };
  return { service, span };
}

/** Returns the text of a span that has nothing but the attributes of a call's request. */
export const requestText = ({ callee, traceId, spanId, startedAt }: Call, attributes: Attributes): string =>
  spansText([
    { service: callee.service, span: { traceId, spanId, name: "request", ...nanoseconds(startedAt), attributes } },
  ]);

/** Begins a call that several models may answer. */
export const beginAttempts = (alias: string, caller: Caller, arm: Pairs = []): Attempts => ({
  alias,
  arm,
  traceId: caller.parent?.traceId ?? randomId(16),
  spanId: randomId(8),
  startedAt: Date.now(),
  input: null,
  failed: [],
});

/** Returns the spans of the attempts before the last, below one that stands for them all. */
export function spansAround({ caller, attempts, storesContent }: Call, error: string | null): SourcedSpan[] {
  if (attempts === null) return [];
  const { alias, arm, traceId, spanId, startedAt, failed } = attempts;
  const span = {
    traceId,
    spanId,
    parentSpanId: caller.parent?.spanId ?? "",
    kind: INTERNAL,
    name: `alias ${alias}`,
    ...nanoseconds(startedAt),
    status: statusOf(storesContent ? error : errorWithoutContent(error)),
    attributes: attributesOf([
      ["gen_ai.conversation.id", caller.conversationId],
      ["whetstone.gateway.alias", alias],
      ...arm,
    ]),
  };
  return [{ service: "gateway", span }, ...failed];
}

/** Notes that an attempt has failed. It is stored with the last one, which has the request. */
export async function failAttempt(call: Call, error: string): Promise<void> {
  if (call.callee.isRecorded) call.attempts?.failed.push(spanOf(call, error));
  await end(call);
}

async function end(call: Call) {
  const { onEnd } = call;
  call.onEnd = null;
  await onEnd?.();
}

/** Stores a call of which this was the last attempt, and all have failed. */
export const recordFailed = (ctx: Ctx, call: Call, error: string): Promise<void> =>
  store(ctx, call, error, call.attempts?.failed.pop() ?? spanOf(call, error));

/**
 * Stores a call that ends now as telemetry, through the same path as an application's own; `error` says why its answer is
 * incomplete. The answer does not wait for it, but for what is left of the caller's budgets, which the next call needs.
 */
export const recordCall = (ctx: Ctx, call: Call, error: string | null): Promise<void> =>
  store(ctx, call, error, spanOf(call, error));

/** Returns the id under which a call in progress is known: of its attempts together, if it has several. */
export const progressIdOf = ({ attempts, spanId }: Call) => attempts?.spanId ?? spanId;

/** Forgets a call that is not recorded. */
export const leaveUnrecorded = (ctx: Ctx, call: Call): Promise<void> =>
  finishWithoutCaller(forgetProgress(ctx, progressIdOf(call)));

async function store(ctx: Ctx, call: Call, error: string | null, own: SourcedSpan): Promise<void> {
  const others = spansAround(call, error);
  await end(call);
  if (!call.callee.isRecorded) return leaveUnrecorded(ctx, call);
  const text = async () => spansText([...others, withRequest(own, await call.input)]);
  await finishWithoutCaller(storeCall(ctx, { id: progressIdOf(call), text }));
}
