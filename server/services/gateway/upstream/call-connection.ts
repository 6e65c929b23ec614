import { LRUCache } from "lru-cache";
import type { Ctx } from "@/server/platform/context";
import { SECOND_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import type { OutboundStream } from "@/server/platform/outbound";
import type { Io, Outgoing } from "@/server/platform/stream-verb";
import {
  type CallableModel,
  type ConnectionClient,
  DROPPED_HEADER,
  UNSUPPORTED_HEADER,
} from "@/server/services/connections";
import { withinBudget } from "../budgets/within-budget";
import { type Dialect, limitIn } from "../calls/dialect";
import { type Fields, fieldsOf } from "../calls/fields";
import type { ModelRequest } from "../calls/read-request";
import { spliceFields } from "../calls/splice-fields";
import { callerOf } from "../recording/caller";
import { followCall } from "../recording/follow-call";
import { type Attempts, beginCall, type Callee, recordCall } from "../recording/record-call";
import { type Attempt, EVENT_STREAM, passOn, reasonOf } from "../streams/pass-on";
import { providerOf } from "./provider-of";
import { type Refusal, readRefusal, refusalOf } from "./refusal-of";

/** The maximum time for one answer. */
export const SECONDS = 1_800;
const ANSWER_MAX_BYTES = 128 * 1024 * 1024;
/** A stream's end after its last event, so that its connection can be used again. */
const END_MS = SECOND_MS;
const isSuccess = (status: number) => status >= 200 && status < 300;
const REFUSED: ReadonlySet<number> = new Set([400, 422]);

/** Names the fields of a request that the endpoint's API has nothing for. */
const DROPPED_ATTRIBUTE = "whetstone.gateway.dropped_fields";

/** How long OpenAI's clients wait, in seconds. */
const TIMEOUT_HEADERS = ["x-stainless-read-timeout", "x-stainless-timeout"] as const;
/** What clients tell the endpoint in headers. */
const PASSED_HEADERS = ["openai-beta"] as const;
export const CONNECTION_HEADERS = [...TIMEOUT_HEADERS, ...PASSED_HEADERS] as const;

/** The connections whose endpoints refused `stream_options`, with the time of their last change. */
const withoutOptions = new LRUCache<string, true>({ max: 10_000 });

/** What a client asks, at which address of the API. */
export type Asked = {
  dialect: Dialect;
  request: ModelRequest;
  headers: Io["headers"];
  /** Whether what is said in the call is stored. */
  storesContent: boolean;
};
/** As a connection's endpoint is asked. */
type Sent = Asked & {
  /** Its name there. */
  model: string;
  /** The limit on the answer, if the request sets none. */
  maxOutputTokens?: number | null;
  attempts?: Attempts;
};

const calleeOf = ({ id, baseUrl, dialect }: CallableModel, model: string): Callee => ({
  service: "gateway",
  provider: providerOf({ baseUrl, dialect }),
  model,
  namesModel: true,
  attributes: [
    ["whetstone.connection.id", id],
    ["server.address", new URL(baseUrl).hostname],
  ],
  isRecorded: true,
});

/** Returns the request as it is sent on: the bytes that came, with the endpoint's name of the model. */
function sentOf({ request, model, limit }: Sent & { limit: Fields }, more: Readonly<Record<string, unknown>>): Buffer {
  const values = Object.entries({ model, ...limit, ...more }).map(([name, value]) => [name, JSON.stringify(value)]);
  return spliceFields(request.bytes, Object.fromEntries(values));
}

/**
 * Aborts when the caller does, or when the client that told its time limit no longer waits for a first byte. `arrived` ends that
 * limit: a stream may take longer.
 */
export function waiting(signal: AbortSignal, headers: Io["headers"]) {
  const controller = new AbortController();
  const seconds = TIMEOUT_HEADERS.map((name) => Number(headers[name])).find((one) => one > 0 && one < SECONDS);
  const late = () => controller.abort(new ServiceError("timed_out", `The client’s time limit is ${seconds} s.`));
  const timer = seconds === undefined ? undefined : setTimeout(late, seconds * SECOND_MS);
  return { signal: AbortSignal.any([signal, controller.signal]), arrived: () => clearTimeout(timer) };
}

type Send = (body: Buffer) => Promise<OutboundStream>;

function sender(client: ConnectionClient, { dialect, request, headers }: Asked, signal: AbortSignal): Send {
  const passed = PASSED_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return (bytes) =>
    client.stream({
      method: "POST",
      path: dialect.path,
      bytes,
      headers: {
        ...Object.fromEntries(passed),
        accept: dialect.accept(request.fields.stream === true),
        "content-type": "application/json",
      },
      signal,
      timeoutMs: SECONDS * SECOND_MS,
      maxBytes: ANSWER_MAX_BYTES,
      accepts: () => true,
    });
}

/** Returns the field that limits an answer to what the alias says, if the request does not say it. */
function limitOf(connection: CallableModel, { dialect, request, maxOutputTokens = null }: Sent): Fields {
  const isLimited = limitIn(dialect, request.fields) !== null;
  return isLimited || maxOutputTokens === null ? {} : dialect.limit(maxOutputTokens, providerOf(connection));
}

/** Whether an endpoint refuses to be asked for token counts, rather than the request. */
const refusesOptions = ({ status, text }: Refusal) => REFUSED.has(status) && /stream_options|include_usage/.test(text);

/** Sends the request, with a question for the token counts if the endpoint takes it. Throws if it is refused. */
async function open(connection: CallableModel, client: ConnectionClient, sent: Sent, send: Send) {
  const { dialect, request } = sent;
  const asked = { ...sent, limit: limitOf(connection, sent) };
  const key = `${connection.id} ${connection.baseUrl}`;
  const more = request.fields.stream === true && !withoutOptions.has(key) ? dialect.usageFields(request.fields) : {};
  let reply = await send(sentOf(asked, more));
  if (isSuccess(reply.status)) return reply;
  let refusal = await readRefusal(reply);
  if (Object.keys(more).length > 0 && request.fields.stream_options === undefined && refusesOptions(refusal)) {
    reply = await send(sentOf(asked, {}));
    if (isSuccess(reply.status)) {
      withoutOptions.set(key, true);
      return reply;
    }
    refusal = await readRefusal(reply);
  }
  // An endpoint with OpenAI's own API could send the same header.
  const isUnsent = connection.dialect !== "openai" && refusal.headers[UNSUPPORTED_HEADER] !== undefined;
  throw refusalOf({ ...refusal, text: client.hide(refusal.text) }, connection.name, isUnsent);
}

/** Lets a finished answer's connection be used again, and ends any other call. */
function release({ body }: OutboundStream, isComplete: boolean) {
  if (!isComplete || body.closed) return void body.destroy();
  const timer = setTimeout(() => body.destroy(), END_MS);
  body.once("close", () => clearTimeout(timer));
  body.resume();
}

/** Returns an attempt at an answer of a connection's endpoint, which passes unchanged, within the caller's budgets. */
export const attemptAtConnection = (ctx: Ctx, connection: CallableModel, sent: Sent): Attempt =>
  withinBudget(ctx, attempt(ctx, connection, sent), sent);

function attempt(ctx: Ctx, connection: CallableModel, sent: Sent): Attempt {
  const { dialect, request, headers, storesContent, model, attempts } = sent;
  const asked = { dialect, caller: callerOf(request.fields, headers), request: request.fields, storesContent };
  const { include_usage: wantsUsage } = fieldsOf(request.fields.stream_options);
  const call = beginCall(asked, calleeOf(connection, model), attempts);
  return {
    call,
    async begin(signal) {
      followCall(ctx, call);
      const client = await connection.open(ctx);
      const reply = await open(connection, client, sent, sender(client, sent, signal));
      const dropped = connection.dialect === "openai" ? undefined : reply.headers[DROPPED_HEADER];
      if (dropped !== undefined) {
        const { callee } = call;
        call.callee = { ...callee, attributes: [...callee.attributes, [DROPPED_ATTRIBUTE, dropped.split(", ")]] };
      }
      return {
        headers: dropped === undefined ? {} : { [DROPPED_HEADER]: dropped },
        body: reply.body.iterator({ destroyOnReturn: false }),
        isStreamed: reply.headers["content-type"]?.startsWith(EVENT_STREAM) ?? false,
        hidesUsage: wantsUsage !== true,
        hide: client.hide,
        release: (isComplete) => release(reply, isComplete),
      };
    },
  };
}

/** Returns the answer of a connection's endpoint. The call is recorded, also if it fails. */
export async function answerFromConnection(
  ctx: Ctx,
  connection: CallableModel,
  sent: Sent & { signal: AbortSignal },
): Promise<Outgoing> {
  const { call, begin } = attemptAtConnection(ctx, connection, sent);
  const { signal, arrived } = waiting(sent.signal, sent.headers);
  try {
    return await passOn(ctx, call, await begin(signal));
  } catch (error) {
    await recordCall(ctx, call, reasonOf(error));
    throw error;
  } finally {
    arrived();
  }
}
