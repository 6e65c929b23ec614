import { setImmediate as nextTurn } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { type Io, type Outgoing, streamVerb } from "@/server/platform/stream-verb";
import {
  clientOf,
  isForNow,
  NOT_THERE,
  requireTrainer,
  TrainerRefused,
  TrainerUnreachable,
  trainerFailure,
} from "@/server/services/trainers";
import { doubt } from "../change-deployment";
import { gatewayInput } from "../schemas";
import { type ChatRequest, readChatRequest } from "./chat-request";
import { findTarget, type Target } from "./find-target";
import { emptyAnswer, foldAnswer } from "./fold-answer";
import { readEvents } from "./read-events";
import { askedOf, type Call, isRecorded, recordCall } from "./record-call";

const MAX_BYTES = 16 * 1024 * 1024;
/** The maximum time for one answer from a model's server. */
const SECONDS = 1800;
const DONE = "[DONE]";
const WRONG_STATE = 409;
const SERVER_ERROR = 500;
/** Agents that get this shorten their history and repeat the call. */
const TOO_LONG = "context_length_exceeded";
const CONVERSATION_HEADERS = ["x-session-id", "session_id"] as const;
const ID_CHARACTERS = 200;

const event = (data: string) => `data: ${data}\n\n`;
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the client's conversation id, from the request's metadata or from a header. */
function conversationIdOf({ metadata }: ChatRequest, headers: Io["headers"]): string | null {
  const candidates = [
    metadata?.conversation_id,
    metadata?.session_id,
    ...CONVERSATION_HEADERS.map((name) => headers[name]),
  ];
  const id = candidates.find((one) => typeof one === "string" && one !== "");
  return typeof id === "string" ? id.slice(0, ID_CHARACTERS) : null;
}

type Opened = Pick<Call, "deployment" | "input"> & { body: AsyncIterable<Uint8Array> };

/** Returns whether the deployment failed to answer, as opposed to the request being at fault. */
const isSilent = (error: unknown) =>
  error instanceof TrainerUnreachable ||
  (error instanceof TrainerRefused &&
    ([WRONG_STATE, NOT_THERE].includes(error.status) || error.status >= SERVER_ERROR));

/** Sends the request to the deployment behind the address; retries once if that was replaced at this very moment. */
async function open(
  ctx: Ctx,
  address: string,
  { found, request, signal }: { found: Promise<Target>; request: ChatRequest; signal: AbortSignal },
): Promise<Opened> {
  const target = await found;
  try {
    return await send(ctx, target, request, signal);
  } catch (error) {
    if (isSilent(error)) await doubt(ctx, target.deployment.id);
    if (!(error instanceof TrainerRefused) || error.status !== WRONG_STATE) throw error;
    const successor = await findTarget(ctx, address);
    if (successor.deployment.id === target.deployment.id) {
      throw new ServiceError("unavailable", "The deployment is being stopped or restarted.", { retryAfter: 1 });
    }
    return send(ctx, successor, request, signal);
  }
}

async function send(
  ctx: Ctx,
  { deployment, trainer: row }: Target,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<Opened> {
  const trainer = clientOf(ctx.db, row);
  const isStreamed = request.stream === true;
  const json = {
    ...request,
    model: deployment.name,
    stream: isStreamed,
    // Costs need the token counts, even if the client does not.
    stream_options: isStreamed ? { ...request.stream_options, include_usage: true } : undefined,
  };
  const reply = trainer.stream({
    method: "POST",
    path: `/deployments/${encodeURIComponent(deployment.id)}/v1/chat/completions`,
    headers: { accept: isStreamed ? "text/event-stream" : "application/json" },
    json,
    signal,
    projectId: ctx.projectId,
  });
  // Converting a long request takes a while, so it is done while the model is working.
  const input = isRecorded(deployment) ? nextTurn().then(() => askedOf(request)) : Promise.resolve({});
  // Errors are reported where the promise is awaited.
  input.catch(() => {});
  const { body } = await reply;
  return { deployment, input, body };
}

/** Converts a refusal of the model's server: if the request is at fault, the caller gets `invalid`. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof TrainerRefused) || error.status >= SERVER_ERROR) return trainerFailure(error);
  const { message, hint, param } = error.problem;
  const said = hint === null ? message : `${message} ${hint}`;
  if (error.status === NOT_THERE || isForNow(error)) return new ServiceError("unavailable", said, { retryAfter: 1 });
  if (error.status === 401 || error.status === 403) return trainerFailure(error);
  return new ServiceError("invalid", said, {
    ...(param === null ? {} : { errors: [{ path: `/${param.replaceAll(".", "/")}`, message }] }),
    ...(error.problem.code === TOO_LONG ? { openAiCode: TOO_LONG } : {}),
  });
}

const isUsageOnly = (json: unknown) => {
  const { choices, usage } = (json ?? {}) as { choices?: unknown; usage?: unknown };
  return Array.isArray(choices) && choices.length === 0 && typeof usage === "object" && usage !== null;
};

/** Returns the error that a server reports among the events of an answer. */
function errorOf(json: unknown): string | null {
  const { error } = (json ?? {}) as { error?: { message?: unknown } | null };
  return error ? String(error.message ?? "The answer ended early.") : null;
}

const words = (error: unknown) =>
  error instanceof ServiceError || error instanceof TrainerUnreachable ? error.message : "The answer ended early.";

/**
 * Yields the answer as it arrives. The call is recorded before the end is sent, even if the answer breaks off or the client has
 * disconnected: then with what has arrived.
 */
async function* streamed(ctx: Ctx, { body }: Opened, call: Call, wantsUsage: boolean): AsyncGenerator<string> {
  let isRecorded = false;
  const record = async (error: string | null) => {
    if (isRecorded) return;
    isRecorded = true;
    await recordCall(ctx, { ...call, endedAt: Date.now(), error });
  };
  try {
    for await (const data of readEvents(body)) {
      if (data === DONE) {
        await record(null);
        yield event(DONE);
        return;
      }
      const json = parsed(data);
      call.firstTokenAt ??= Date.now();
      foldAnswer(call.answer, json);
      const broken = errorOf(json);
      if (broken !== null) {
        await record(broken);
        yield event(data);
        return;
      }
      if (wantsUsage || !isUsageOnly(json)) yield event(data);
    }
    throw new TrainerUnreachable("The model's server ended the answer early.");
  } catch (error) {
    await record(words(error));
    // The headers have been sent: clients of the API look for an error among the events.
    yield event(
      JSON.stringify({ error: { message: words(error), type: "server_error", param: null, code: "unavailable" } }),
    );
  } finally {
    await record("The client disconnected.");
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

async function answerWhole(ctx: Ctx, { body }: Opened, call: Call): Promise<Outgoing> {
  const text = await textOf(body).catch((error: unknown) => {
    throw trainerFailure(error);
  });
  const json = parsed(text);
  if (json === undefined)
    throw new ServiceError("unavailable", "The model's server did not reply with JSON.", { retryAfter: 1 });
  foldAnswer(call.answer, json);
  await recordCall(ctx, { ...call, endedAt: Date.now() });
  return { mediaType: "application/json", body: text };
}

export const completeChat = streamVerb(
  {
    name: "deployments.completeChat",
    summary: "Call a deployed model, compatible with OpenAI's chat completions.",
    description:
      "For any client of the OpenAI API: its base URL is the deployment's `endpoint`, its key an API key of the project. `deploymentId` is the id of a deployment or the name it runs under, which always leads to the current version. `model` can be anything: the deployment answers. Each call is recorded as a conversation before the answer ends, under `metadata.conversation_id` or the header `X-Session-Id` if one is sent, and for `user`; calls to a playground are not. `tools`, `tool_choice`, `parallel_tool_calls` and `response_format` work as OpenAI's, for models whose template has tool calls; a schema or a choice that cannot be enforced is refused (400). Errors have OpenAI's `error` alongside the fields of a problem. 409: it has ended. 503 with Retry-After: it is starting or being restarted.",
    effect: "write",
    capability: "telemetry:write",
    besides: "workspace:read",
    input: gatewayInput,
    consumes: {
      types: {
        "application/json": {
          type: "object",
          required: ["messages"],
          properties: {
            model: { type: "string" },
            messages: { type: "array", minItems: 1, items: { type: "object", required: ["role"] } },
            stream: { type: "boolean" },
          },
        },
      },
      maxBytes: MAX_BYTES,
    },
    produces: { "application/json": { type: "object" }, "text/event-stream": { type: "string" } },
    limits: { seconds: SECONDS },
    reads: CONVERSATION_HEADERS,
    problems: "openai",
    unaudited: "The call is recorded as telemetry.",
  },
  async (ctx, { deploymentId }, { body, signal, headers }): Promise<Outgoing> => {
    await requireTrainer(ctx);
    // Looked up while the request is being read. If both fail, the request's error is reported.
    const found = findTarget(ctx, deploymentId);
    found.catch(() => {});
    const request = await body.whole(async (bytes) => readChatRequest(bytes));
    const startedAt = Date.now();
    const opened = await open(ctx, deploymentId, { found, request, signal }).catch((error) => {
      throw failureOf(error);
    });
    const call: Call = {
      deployment: opened.deployment,
      input: opened.input,
      request,
      conversationId: conversationIdOf(request, headers),
      answer: emptyAnswer(),
      startedAt,
      endedAt: startedAt,
      firstTokenAt: null,
      error: null,
    };
    if (request.stream !== true) return answerWhole(ctx, opened, call);
    const wantsUsage = request.stream_options?.include_usage === true;
    return { mediaType: "text/event-stream", body: streamed(ctx, opened, call, wantsUsage) };
  },
);
