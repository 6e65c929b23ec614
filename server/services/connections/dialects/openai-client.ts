import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { z } from "zod";
import { OutboundError, type OutboundStream, retryAfterSeconds } from "@/server/platform/outbound";
import type { Call, ConnectionClient } from "../kinds/kind";
import type { ModelDialect } from "./dialect";
import { embed, readEmbeddings } from "./embed";
import { refusedBy } from "./failure";
import { providerFetch } from "./provider-fetch";
import { type ChatRequest, readChatRequest } from "./read-chat-request";
import { readResponsesRequest } from "./read-responses-request";
import { type TurnMemory, turnMemory } from "./turn-memory";
import { Unsupported } from "./unsupported";
import { fieldsWarnedOf, turnOf, writeAnswer } from "./write-answer";
import { writeEvents } from "./write-events";
import { writeResponse } from "./write-response";
import { writeResponseEvents } from "./write-response-events";

/** Names the fields of a request that a translation has left out or changed. */
export const DROPPED_HEADER = "x-whetstone-dropped";

type Of = { client: ConnectionClient; dialect: ModelDialect; memory: TurnMemory; host: string };
type Answer = (of: Of, call: Call, given: unknown) => Promise<OutboundStream>;

const OK = 200;
const isSuccess = (status: number) => status >= 200 && status < 300;

const named = (dropped: Iterable<string>): Record<string, string> => {
  const names = [...new Set(dropped)].sort().join(", ");
  return names === "" ? {} : { [DROPPED_HEADER]: names };
};

const whole = (json: object, headers: Record<string, string> = {}, status = OK): OutboundStream => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: Readable.from([Buffer.from(JSON.stringify(json))]),
});

type Read<Request extends ChatRequest> = {
  read: (given: unknown, dialect: ModelDialect, memory: TurnMemory) => Request;
  write: (result: LanguageModelV4GenerateResult, request: Request, dialect: ModelDialect) => object;
  writeEvents: (parts: AsyncIterable<LanguageModelV4StreamPart>, request: Request, of: Of) => AsyncIterable<string>;
};

/** Returns how a model answers requests of one of OpenAI's formats, which is read and written around the same call. */
const answering =
  <Request extends ChatRequest>({ read, write, writeEvents }: Read<Request>): Answer =>
  async (of, call, body) => {
    const { client, dialect, memory } = of;
    const request = read(body, dialect, memory);
    const { model, isStreamed, options, given, dropped } = request;
    const left = new AbortController();
    const abortSignal = call.signal ? AbortSignal.any([call.signal, left.signal]) : left.signal;
    const amend = dialect.amend && ((sent: Record<string, unknown>) => dialect.amend?.(sent, options));
    const reached = { baseURL: client.baseUrl.replace(/\/+$/, ""), fetch: providerFetch(client, call, amend) };
    const language = await dialect.language(model, reached);
    if (!isStreamed) {
      const result = await language.doGenerate({ ...options, abortSignal });
      memory.remember(turnOf(result.content));
      return whole(write(result, request, dialect), named([...dropped, ...fieldsWarnedOf(result.warnings, given)]));
    }
    const includeRawChunks = dialect.answeredBy !== null;
    const { stream } = await language.doStream({ ...options, abortSignal, includeRawChunks });
    const parts = (stream as ReadableStream<LanguageModelV4StreamPart>)[Symbol.asyncIterator]();
    const { value: first } = await parts.next();
    const warnings = first?.type === "stream-start" ? first.warnings : [];
    const events = Readable.from(encoded(writeEvents(parts, request, of), abortSignal));
    // Whoever reads it may leave while the service is silent.
    events.once("close", () => left.abort());
    const headers = { "content-type": "text/event-stream", ...named([...dropped, ...fieldsWarnedOf(warnings, given)]) };
    return { status: OK, headers, body: events };
  };

const chat = answering({
  read: readChatRequest,
  write: (result, { model }, dialect) => writeAnswer(result, model, dialect),
  writeEvents: (parts, { model, wantsUsage }, { dialect, host, memory }) =>
    writeEvents(parts, { model, wantsUsage, dialect, host, remember: memory.remember }),
});

const responses = answering({
  read: readResponsesRequest,
  write: (result, { asked, model }, dialect) => writeResponse(result, { asked, model, dialect }),
  writeEvents: (parts, { asked, model }, { dialect, host, memory }) =>
    writeResponseEvents(parts, { asked, model, dialect, host, remember: memory.remember }),
});

async function* encoded(events: AsyncIterable<string>, signal: AbortSignal) {
  try {
    for await (const event of events) yield Buffer.from(event);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

const embeddings: Answer = async ({ client, dialect }, call, request) => {
  const asked = readEmbeddings(request, dialect);
  const reached = { baseURL: client.baseUrl.replace(/\/+$/, ""), fetch: providerFetch(client, call, null) };
  const model = await dialect.embedding?.(asked.model, reached);
  if (!model) throw new Unsupported(`${dialect.label} has no embeddings.`);
  return whole(await embed(model, asked, call.signal), named(asked.dropped));
};

/** Returns a client whose calls are within the limits of another. */
const limited = (client: ConnectionClient, { timeoutMs, signal, repeatable }: Call): ConnectionClient => {
  const limits = {
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(repeatable !== undefined && { repeatable }),
  };
  return {
    ...client,
    request: (call) => client.request({ ...limits, ...call }),
    json: (call, reply) => client.json({ ...limits, ...call }, reply),
  };
};

const models: Answer = async ({ client, dialect }, call) =>
  whole({ object: "list", data: await dialect.listModels(limited(client, call)) });

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/chat/completions": chat,
  "/responses": responses,
  "/embeddings": embeddings,
  "/models": models,
};

function requestOf({ json, bytes }: Call): unknown {
  if (json !== undefined) return json;
  return bytes === undefined ? {} : JSON.parse(Buffer.from(bytes).toString("utf8"));
}

async function answerTo(of: Of, call: Call): Promise<OutboundStream> {
  try {
    const answer = Object.hasOwn(ANSWERS, call.path) ? ANSWERS[call.path] : undefined;
    if (!answer) {
      throw new Unsupported(
        `Models of ${of.dialect.label} are called through chat completions and responses: there is no ${call.path}.`,
      );
    }
    return await answer(of, call, requestOf(call));
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    const { status, headers, body } = refusedBy(error, of.host, of.dialect);
    return whole(body, headers, status);
  }
}

/** Returns a client that takes and answers calls of the OpenAI API, for a service that has another one. */
export function asOpenAi(client: ConnectionClient, dialect: ModelDialect, projectId: string): ConnectionClient {
  const { id, baseUrl } = client.connection;
  const host = new URL(baseUrl).hostname;
  const of = { client, dialect, host, memory: turnMemory(projectId, id) };
  const stream: ConnectionClient["stream"] = async (call) => {
    const reply = await answerTo(of, call);
    if ((call.accepts ?? isSuccess)(reply.status)) return reply;
    reply.body.destroy();
    const retryAfter = retryAfterSeconds(reply.headers["retry-after"]);
    throw new OutboundError("status", `${host} replied with the status ${reply.status}.`, {
      status: reply.status,
      retryAfter,
    });
  };
  const request: ConnectionClient["request"] = async (call) => {
    const { body, ...head } = await stream(call);
    return { ...head, body: Buffer.from(client.hide((await buffer(body)).toString("utf8"))) };
  };
  return {
    ...client,
    stream,
    request,
    json: async <Reply extends z.ZodType>(call: Call, reply: Reply) => {
      const parsed = reply.safeParse(JSON.parse((await request(call)).body.toString("utf8")));
      if (parsed.success) return parsed.data;
      throw new OutboundError("unreadable", `${host} sent an unexpected reply.`);
    },
  };
}
