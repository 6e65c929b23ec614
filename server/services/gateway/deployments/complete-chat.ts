import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { type Io, type Outgoing, streamVerb } from "@/server/platform/stream-verb";
import { doubt, findTarget, type ServedDeployment, type Target } from "@/server/services/serving";
import { gatewayInput } from "@/server/services/serving/deployments/schemas";
import {
  clientOf,
  isForNow,
  NOT_THERE,
  requireTrainer,
  TrainerRefused,
  TrainerUnreachable,
  trainerFailure,
} from "@/server/services/trainers";
import { CHAT } from "../calls/chat";
import { CALLER_HEADERS, callerOf } from "../recording/caller";
import { storesContent } from "../recording/content-setting";
import { followCall } from "../recording/follow-call";
import { type Attempts, beginCall, type Callee, leaveUnrecorded, recordCall } from "../recording/record-call";
import { type Attempt, passOn, reasonOf } from "../streams/pass-on";
import { type ChatRequest, readChatRequest } from "./chat-request";

const MAX_BYTES = 16 * 1024 * 1024;
/** The maximum time for one answer from a model's server. */
const SECONDS = 1800;
const WRONG_STATE = 409;
const SERVER_ERROR = 500;
/** Agents that get this shorten their history and repeat the call. */
const TOO_LONG = "context_length_exceeded";

type Asked = { target: Target; request: ChatRequest; signal: AbortSignal };
type Opened = { deployment: ServedDeployment; body: AsyncIterable<Uint8Array> };

const calleeOf = ({ id, name, purpose, checkpointId }: ServedDeployment): Callee => ({
  service: name,
  provider: "whetstone",
  model: name,
  namesModel: false,
  attributes: [
    ["whetstone.deployment.id", id],
    ["whetstone.checkpoint.id", checkpointId],
  ],
  isRecorded: purpose !== "playground",
});

/** Returns whether the deployment failed to answer, as opposed to the request being at fault. */
const isSilent = (error: unknown) =>
  error instanceof TrainerUnreachable ||
  (error instanceof TrainerRefused &&
    ([WRONG_STATE, NOT_THERE].includes(error.status) || error.status >= SERVER_ERROR));

/** Sends the request to the deployment behind the address; retries once if that was replaced at this very moment. */
async function open(ctx: Ctx, address: string, asked: Asked): Promise<Opened> {
  const { target } = asked;
  try {
    return await send(ctx, target, asked);
  } catch (error) {
    if (isSilent(error)) await doubt(ctx, target.deployment.id);
    if (!(error instanceof TrainerRefused) || error.status !== WRONG_STATE) throw error;
    const successor = await findTarget(ctx, address);
    if (successor.deployment.id === target.deployment.id) {
      throw new ServiceError("unavailable", "The deployment is being stopped or restarted.", { retryAfter: 1 });
    }
    return send(ctx, successor, asked);
  }
}

async function send(ctx: Ctx, { deployment, trainer: row }: Target, { request, signal }: Asked): Promise<Opened> {
  const trainer = clientOf(ctx.db, row);
  const isStreamed = request.stream === true;
  const json = {
    ...request,
    model: deployment.name,
    stream: isStreamed,
    // Costs need the token counts, even if the client does not.
    stream_options: isStreamed ? { ...request.stream_options, include_usage: true } : undefined,
  };
  const { body } = await trainer.stream({
    method: "POST",
    path: `/deployments/${encodeURIComponent(deployment.id)}/v1/chat/completions`,
    headers: { accept: CHAT.accept(isStreamed) },
    json,
    signal,
    projectId: ctx.projectId,
  });
  return { deployment, body };
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

type Sent = {
  target: Target;
  request: ChatRequest;
  headers: Io["headers"];
  storesContent: boolean;
  attempts?: Attempts;
};

/** Returns an attempt at an answer of the deployment behind an address, an id or a name. */
export function attemptAtDeployment(ctx: Ctx, address: string, sent: Sent): Attempt {
  const { target, request, headers, storesContent, attempts } = sent;
  const asked = { dialect: CHAT, caller: callerOf(request, headers), request, storesContent };
  const call = beginCall(asked, calleeOf(target.deployment), attempts);
  return {
    call,
    async begin(signal) {
      followCall(ctx, call);
      const { deployment, body } = await open(ctx, address, { target, request, signal }).catch((error) => {
        throw failureOf(error);
      });
      call.callee = calleeOf(deployment);
      return {
        body,
        isStreamed: request.stream === true,
        hidesUsage: request.stream_options?.include_usage !== true,
        hide: (text) => text,
        release: () => {},
      };
    },
  };
}

/** Returns the answer of the deployment behind an address, an id or a name. */
export async function answerAsDeployment(
  ctx: Ctx,
  address: string,
  sent: Sent & { signal: AbortSignal },
): Promise<Outgoing> {
  const { call, begin } = attemptAtDeployment(ctx, address, sent);
  const reply = await begin(sent.signal).catch(async (error: unknown) => {
    await leaveUnrecorded(ctx, call);
    throw error;
  });
  return passOn(ctx, call, reply).catch(async (error: unknown) => {
    await recordCall(ctx, call, reasonOf(error));
    throw trainerFailure(error);
  });
}

export const completeChat = streamVerb(
  {
    name: "deployments.completeChat",
    summary: "Call a deployed model, compatible with OpenAI's chat completions.",
    description:
      "For any client of the OpenAI API: its base URL is the deployment's `endpoint`, its key an API key of the project. `deploymentId` is the id of a deployment or the name it runs under, which always leads to the current version. `model` can be anything: the deployment answers. Each call is recorded as a conversation when the answer ends, under `metadata.conversation_id` or the header `X-Session-Id` if one is sent, and for `user`; calls to a playground are not. `tools`, `tool_choice`, `parallel_tool_calls` and `response_format` work as OpenAI's, for models whose template has tool calls; a schema or a choice that cannot be enforced is refused (400). Errors have OpenAI's `error` alongside the fields of a problem. 400: it has ended. 503 with Retry-After: it is starting or being restarted.",
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
    reads: CALLER_HEADERS,
    problems: "openai",
    unaudited: "The call is recorded as telemetry.",
  },
  async (ctx, { deploymentId }, { body, signal, headers }): Promise<Outgoing> => {
    await requireTrainer(ctx);
    // Looked up while the request is being read. If both fail, the request's error is reported.
    const found = findTarget(ctx, deploymentId);
    found.catch(() => {});
    const request = await body.whole(async (bytes) => readChatRequest(bytes));
    const [target, isStored] = [await found, await storesContent(ctx)];
    return answerAsDeployment(ctx, deploymentId, { target, request, signal, headers, storesContent: isStored });
  },
);
