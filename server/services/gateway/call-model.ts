import { z } from "zod";
import { ServiceError } from "@/server/platform/errors";
import { type MediaTypes, type Outgoing, streamVerb } from "@/server/platform/stream-verb";
import { requireTrainer } from "@/server/services/trainers";
import { CHAT } from "./calls/chat";
import type { Dialect } from "./calls/dialect";
import { EMBEDDINGS } from "./calls/embeddings";
import { readModelRequest } from "./calls/read-request";
import { RESPONSES } from "./calls/responses";
import { chatRequestOf } from "./deployments/chat-request";
import { answerAsDeployment } from "./deployments/complete-chat";
import { answerFromAlias } from "./fallback/answer-from-alias";
import { CALLER_HEADERS } from "./recording/caller";
import { storesContent } from "./recording/content-setting";
import { answerFromConnection, CONNECTION_HEADERS, SECONDS } from "./upstream/call-connection";
import { findModel } from "./upstream/find-model";

/** Images are sent within the text of a request. */
const MAX_BYTES = 32 * 1024 * 1024;
const MODEL_CHARACTERS = 500;

const HOW =
  "For any client of the OpenAI API: its base URL is this API's, its key an API key of the project with `gateway:use` and `telemetry:write`. `model` is an alias of the gateway, or CONNECTION/MODEL, where CONNECTION is the name or the id of a model connection";
const RECORDED =
  "The call is recorded and priced as telemetry when its answer ends, under `metadata.conversation_id` or the header `X-Session-Id` if one is sent, for `user`, and within the client's span if it sends `traceparent`. Everything else passes unchanged in both directions. Errors have OpenAI's `error` alongside the fields of a problem; an unknown model is a 404 that says what can be named.";

/** The fields that the gateway reads; the endpoint behind the model checks the others. */
const model = z.string().min(1).max(MODEL_CHARACTERS);
const stream = z.boolean().nullish();

type Address = {
  name: string;
  summary: string;
  description: string;
  dialect: Dialect;
  request: z.ZodType<{ model: string }>;
  /** The same for the reference. */
  properties: Record<string, object>;
  required: readonly string[];
  produces: MediaTypes;
};

const JSON_ONLY: MediaTypes = { "application/json": { type: "object" } };
const STREAMED: MediaTypes = { ...JSON_ONLY, "text/event-stream": { type: "string" } };
const MODEL = { type: "string", minLength: 1, maxLength: MODEL_CHARACTERS };
const STREAM = { type: ["boolean", "null"] };

const address = ({ name, summary, description, dialect, request, properties, required, produces }: Address) =>
  streamVerb(
    {
      name,
      summary,
      description,
      effect: "write",
      capability: "gateway:use",
      besides: "telemetry:write",
      input: z.strictObject({}),
      consumes: {
        types: { "application/json": { type: "object", required, properties } },
        maxBytes: MAX_BYTES,
      },
      produces,
      limits: { seconds: SECONDS },
      reads: [...CALLER_HEADERS, ...CONNECTION_HEADERS],
      problems: "openai",
      unaudited: "The call is recorded as telemetry.",
    },
    async (ctx, _, { body, signal, headers }): Promise<Outgoing> => {
      const given = await body.whole(async (bytes) => readModelRequest(bytes, request));
      const found = await findModel(ctx, given.fields.model);
      const asked = { dialect, request: given, signal, headers, storesContent: await storesContent(ctx) };
      if ("alias" in found) return answerFromAlias(ctx, found.alias, asked);
      if ("connection" in found) return answerFromConnection(ctx, found.connection, { ...asked, model: found.model });
      if (dialect !== CHAT) {
        throw new ServiceError("invalid", `The deployment ${found.address} answers chat completions only.`);
      }
      await requireTrainer(ctx);
      const { target, address: name } = found;
      return answerAsDeployment(ctx, name, { ...asked, target, request: chatRequestOf(given.fields) });
    },
  );

export const completeGatewayChat = address({
  name: "gateway.completeChat",
  summary: "Call any model of the project, compatible with OpenAI's chat completions.",
  description: `${HOW}, or the name of a running deployment. ${RECORDED}`,
  dialect: CHAT,
  request: z.looseObject({ model, messages: z.array(z.looseObject({})).min(1), stream }),
  properties: { model: MODEL, messages: { type: "array", minItems: 1, items: { type: "object" } }, stream: STREAM },
  required: ["model", "messages"],
  produces: STREAMED,
});

export const createGatewayResponse = address({
  name: "gateway.createResponse",
  summary: "Call any model of the project, compatible with OpenAI's Responses.",
  description: `${HOW} whose endpoint has \`/responses\`, or an API of Anthropic or Google: those take functions as tools, and store no responses (400 for \`previous_response_id\`). ${RECORDED}`,
  dialect: RESPONSES,
  request: z.looseObject({ model, stream }),
  properties: { model: MODEL, stream: STREAM },
  required: ["model"],
  produces: STREAMED,
});

export const createGatewayEmbeddings = address({
  name: "gateway.createEmbeddings",
  summary: "Call any embedding model of the project, compatible with OpenAI's embeddings.",
  description: `${HOW}. ${RECORDED} Texts and vectors are not stored.`,
  dialect: EMBEDDINGS,
  request: z.looseObject({ model }),
  properties: { model: MODEL },
  required: ["model"],
  produces: JSON_ONLY,
});
