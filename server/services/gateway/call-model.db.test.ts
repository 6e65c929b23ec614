import { and, eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { auditLog, logRecords, spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createConnection, deleteConnection } from "@/server/services/connections";
import {
  decodeTraces,
  getConversation,
  listConversations,
  projectPending,
  storeTraces,
} from "@/server/services/telemetry";
import { chatSpan, otlpJson, type TestSpan } from "@/server/services/telemetry/testing";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";

let upstream: OpenAiServer;
let origin: string;
beforeAll(async () => {
  upstream = await new OpenAiServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => upstream.stop());
beforeEach(() => upstream.reset());

const QUESTION = [{ role: "user" as const, content: "Say hello" }];
const ASKED = { model: "Shop models/gpt-4o", messages: QUESTION };

async function world({ secret = OPENAI_KEY, baseUrl = upstream.url } = {}) {
  const { ctx } = await testProject();
  const { connection } = await createConnection(ctx, { kind: "model", name: "Shop models", baseUrl, secret });
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = (apiKey = key) => new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { ctx, connection, key, client, post };
}

const spansOf = ({ db, projectId }: Ctx) => db.select().from(spans).where(eq(spans.projectId, projectId));

/** A call is recorded after its answer has been sent. */
async function conversationsOf(ctx: Ctx, calls: number) {
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(calls);
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  return Promise.all(
    conversations.map(async ({ id }) => (await getConversation(ctx, { conversationId: id })).conversation),
  );
}

test("a call reaches the endpoint with nothing changed but the model, and is recorded and priced", async () => {
  const { ctx, post, connection } = await world();
  const rest = `"messages": [ {"role":"user","content":"Say \\u0068ello"} ],"temperature":1.0,"tools":[{"type":"function","function":{"name":"pay","parameters":{"type":"object","default":1e2}}}],"user":"ann","metadata":{"conversation_id":"chat-1"},"messages":[{"role":"assistant","content":"Yes?"},{"role":"tool","tool_call_id":"c","content":"ok"}]`;
  const reply = await post("/chat/completions", `{"model":"Shop models/gpt-4o",${rest}}`);
  expect(reply.status).toBe(200);
  const answer = await reply.json();
  expect(answer).toMatchObject({
    model: "gpt-4o-2024-08-06",
    choices: [{ message: { content: "Sunny hello world" } }],
  });
  const [received] = upstream.received;
  expect(received!.text).toBe(`{"model":"gpt-4o",${rest}}`);
  expect(received!.headers).toMatchObject({ authorization: `Bearer ${OPENAI_KEY}`, "accept-encoding": "identity" });
  const [conversation, ...others] = await conversationsOf(ctx, 1);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    externalId: "chat-1",
    userId: "ann",
    usage: { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 80, reasoning_output_tokens: 20 },
    costComplete: true,
  });
  expect(conversation!.cost).toBeGreaterThan(0);
  expect(conversation!.modelCalls).toMatchObject([
    { provider: "openai", requestedModel: "gpt-4o", responseModel: "gpt-4o-2024-08-06", status: "ok" },
  ]);
  expect(conversation!.messages.map(({ role, parts }) => [role, parts[0]?.text])).toEqual([
    ["assistant", "Yes?"],
    ["tool", "ok"],
    ["assistant", "Sunny hello world"],
  ]);
  const [span] = await spansOf(ctx);
  expect(span!.attributes).toMatchObject({ "whetstone.connection.id": connection.id });
});

test("a streamed answer passes as it came, without the counts that only we asked for", async () => {
  const { ctx, post } = await world();
  const streamed = await (await post("/chat/completions", { ...ASKED, stream: true })).text();
  expect(JSON.parse(upstream.received[0]!.text)).toMatchObject({ stream_options: { include_usage: true } });
  expect(streamed).not.toContain("prompt_tokens");
  expect(streamed.endsWith("data: [DONE]\n\n")).toBe(true);
  const wanted = await (
    await post("/chat/completions", { ...ASKED, stream: true, stream_options: { include_usage: true } })
  ).text();
  expect(wanted).toContain('"prompt_tokens":1000');
  for (const conversation of await conversationsOf(ctx, 2)) {
    expect(conversation).toMatchObject({
      usage: { input_tokens: 600, output_tokens: 80 },
      messages: [{ role: "user" }, { role: "assistant", parts: [{ text: "Sunny hello world" }] }],
    });
  }
});

test("the first event arrives while the endpoint is still answering", async () => {
  const { client } = await world();
  upstream.delayMs = 100;
  const stream = await client().chat.completions.create({ ...ASKED, stream: true });
  const times: number[] = [];
  for await (const _ of stream) times.push(Date.now());
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(200);
});

test("an endpoint that refuses to be asked for counts is asked without, and from then on at once", async () => {
  const { client } = await world();
  upstream.refusesStreamOptions = true;
  for (let n = 0; n < 2; n++) {
    const stream = await client().chat.completions.create({ ...ASKED, stream: true });
    const pieces: string[] = [];
    for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? "");
    expect(pieces.join("")).toBe("Sunny hello world");
  }
  expect(upstream.received.map(({ text }) => "stream_options" in JSON.parse(text))).toEqual([true, false, false]);
});

test("Responses pass whole and streamed, and are recorded with instructions and tools", async () => {
  const { ctx, client } = await world();
  const asked = { model: "Shop models/gpt-4o", instructions: "Be brief.", metadata: { conversation_id: "r" } };
  const tools = [{ type: "function" as const, name: "get_weather", strict: false, parameters: { type: "object" } }];
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Weather?" }];
  const first = await client().responses.create({ ...asked, tools, input });
  const [call] = first.output;
  if (call?.type !== "function_call") throw new Error("no function was called");
  input.push(call, { type: "function_call_output", call_id: call.call_id, output: "Rain" });
  const events: string[] = [];
  const stream = client().responses.stream({ ...asked, tools, input });
  stream.on("event", ({ type }) => events.push(type));
  expect((await stream.finalResponse()).output_text).toBe("Sunny hello world");
  expect([events[0], events.at(-1)]).toEqual(["response.created", "response.completed"]);
  const [conversation, ...others] = await conversationsOf(ctx, 2);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    externalId: "r",
    usage: { input_tokens: 1200, cache_read_input_tokens: 800, output_tokens: 160, reasoning_output_tokens: 40 },
    messages: [
      { role: "system", parts: [{ text: "Be brief." }] },
      { role: "user", parts: [{ text: "Weather?" }] },
      { role: "assistant", toolCalls: [{ id: call.call_id, name: "get_weather", arguments: '{"city":"Ulm"}' }] },
      { role: "tool", toolCallId: call.call_id, parts: [{ text: "Rain" }] },
      { role: "assistant", parts: [{ text: "Sunny hello world" }] },
    ],
  });
});

test("embeddings pass in either encoding, and are recorded without their texts", async () => {
  const { ctx, client } = await world();
  const asked = { model: "Shop models/text-embedding-3-small", input: "A secret text" };
  const { data } = await client().embeddings.create(asked);
  expect(data[0]!.embedding).toEqual([0.25, -0.5]);
  expect(JSON.parse(upstream.received[0]!.text)).toMatchObject({ encoding_format: "base64", input: "A secret text" });
  const [conversation] = await conversationsOf(ctx, 1);
  expect(conversation!.modelCalls).toMatchObject([
    { requestedModel: "text-embedding-3-small", usage: { input_tokens: 8 } },
  ]);
  expect(JSON.stringify(await spansOf(ctx))).not.toContain("A secret text");
});

test("models are listed with their connection, and an unknown one is a 404 that says what can be named", async () => {
  const { client, connection } = await world();
  const ids = (await client().models.list()).data.map(({ id }) => id);
  expect(ids).toEqual(["Shop models/gpt-4o", "Shop models/text-embedding-3-small"]);
  const byId = await client().chat.completions.create({ ...ASKED, model: `${connection.id}/gpt-4o` });
  expect(byId.choices[0]!.message.content).toBe("Sunny hello world");
  for (const model of ["gpt-4o", "Shop/gpt-4o", "Shop models/", "toString"]) {
    await expect(client().chat.completions.create({ ...ASKED, model })).rejects.toMatchObject({
      status: 404,
      type: "invalid_request_error",
      code: "model_not_found",
      param: "model",
      message: expect.stringContaining("CONNECTION/MODEL (connections: Shop models)"),
    });
  }
});

test("an endpoint that cannot list its models contributes the connection's default model", async () => {
  const { ctx } = await testProject();
  const settings = { defaultModel: "gpt-4o" };
  await createConnection(ctx, { kind: "model", name: "Down", baseUrl: `${upstream.url}/nowhere`, settings });
  const apiKey = await keyFor(ctx, "gateway:use");
  const { data } = await new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 }).models.list();
  expect(data.map(({ id }) => id)).toEqual(["Down/gpt-4o"]);
});

test("two connections of one name must be told apart by their ids", async () => {
  const { ctx, client, connection } = await world();
  await createConnection(ctx, { kind: "model", name: "Shop models", baseUrl: upstream.url, secret: OPENAI_KEY });
  await expect(client().chat.completions.create(ASKED)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(connection.id),
  });
});

test("another project's connection does not exist, and a deleted one only for seconds", async () => {
  const [ours, theirs] = [await world(), await world()];
  const model = `${theirs.connection.id}/gpt-4o`;
  await expect(ours.client().chat.completions.create({ ...ASKED, model })).rejects.toMatchObject({ status: 404 });
  await ours.client().chat.completions.create(ASKED);
  await deleteConnection(ours.ctx, { connectionId: ours.connection.id });
  await expect
    .poll(
      () =>
        ours
          .client()
          .chat.completions.create(ASKED)
          .catch((error) => error.status),
      { interval: 500 },
    )
    .toBe(404);
  expect(await spansOf(theirs.ctx)).toEqual([]);
});

test("a key needs both capabilities", async () => {
  const { ctx, client } = await world();
  const ask = (key: string) => client(key).chat.completions.create(ASKED);
  await expect(ask(await keyFor(ctx, "gateway:use"))).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
  await expect(ask(await keyFor(ctx, "telemetry:write"))).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
  await expect(ask("whet_wrong")).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  expect(upstream.received).toEqual([]);
});

type Told = { status: number; message: RegExp; code?: string; param?: string; retryAfter?: string };
test.each<[NonNullable<OpenAiServer["refusal"]>, Told]>([
  [
    { status: 400, message: "Bad.", more: { param: "tools.0", code: "bad_tool" } },
    { status: 400, code: "bad_tool", param: "tools.0", message: /Bad\./ },
  ],
  [
    { status: 401, message: `Incorrect API key provided: ${OPENAI_KEY}` },
    { status: 422, message: /Check the secret/ },
  ],
  [
    { status: 402, message: "No credit." },
    { status: 422, message: /No credit/ },
  ],
  [
    { status: 404, message: "No such.", more: { code: "model_not_found" } },
    { status: 404, code: "model_not_found", message: /No such/ },
  ],
  [
    { status: 409, message: "Busy." },
    { status: 400, message: /Busy/ },
  ],
  [
    { status: 429, message: "Slow down.", headers: { "retry-after": "70" } },
    { status: 429, message: /Slow down/, retryAfter: "60" },
  ],
  [
    { status: 500, message: `Broken: ${OPENAI_KEY}` },
    { status: 503, message: /status 500. Broken: \*\*\*/ },
  ],
])(
  "the endpoint's refusal %j is told in a form that clients understand",
  async (refusal, { message, retryAfter = null, ...expected }) => {
    const { ctx, client } = await world();
    upstream.refusal = refusal;
    for (const stream of [false, true]) {
      const error = await client()
        .chat.completions.create({ ...ASKED, stream })
        .catch((failure) => failure);
      expect(error).toMatchObject({ ...expected, message: expect.stringMatching(message) });
      expect(error.headers.get("retry-after")).toBe(retryAfter);
      expect(JSON.stringify(error)).not.toContain(OPENAI_KEY);
    }
    const [first] = await conversationsOf(ctx, 2);
    expect(first!.modelCalls).toMatchObject([{ status: "error", cost: null }]);
    expect(JSON.stringify(await spansOf(ctx))).not.toContain(OPENAI_KEY);
  },
);

test("an endpoint that cannot be reached or may not be called is an error at once, and is recorded", async () => {
  const gone = await new OpenAiServer().start();
  await gone.stop();
  const { ctx, client } = await world({ baseUrl: gone.url });
  await expect(client().chat.completions.create(ASKED)).rejects.toMatchObject({ status: 503 });
  expect((await conversationsOf(ctx, 1))[0]!.modelCalls[0]).toMatchObject({ status: "error" });
});

test("a request that we cannot read is a 400 and is not sent", async () => {
  const { post } = await world();
  const bodies = [
    "{",
    "[]",
    "{}",
    '{"model":5,"messages":[{}]}',
    '{"model":"Shop models/gpt-4o"}',
    '{"model":"Shop models/gpt-4o","messages":[{}],"stream":"yes"}',
  ];
  for (const body of bodies) {
    const reply = await post("/chat/completions", body);
    expect([body, reply.status]).toEqual([body, 400]);
    expect(await reply.json()).toMatchObject({ error: { type: "invalid_request_error", code: "invalid" } });
  }
  for (const path of ["/embeddings", "/responses"]) expect((await post(path, "{}")).status).toBe(400);
  expect(upstream.received).toEqual([]);
});

test("a client that disconnects ends the call at the endpoint, and its part is recorded", async () => {
  const { ctx, client } = await world();
  Object.assign(upstream, { delayMs: 30, words: Array.from({ length: 300 }, (_, n) => `${n} `) });
  const stream = await client().chat.completions.create({ ...ASKED, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "2 ") break;
  stream.controller.abort();
  await expect.poll(() => upstream.cancelled).toBe(1);
  const [conversation] = await conversationsOf(ctx, 1);
  expect(conversation!.messages.at(-1)!.parts[0]!.text).toMatch(/^0 1 2 /);
  expect(conversation!.modelCalls[0]).toMatchObject({
    status: "error",
    error: { message: "The client disconnected." },
  });
});

test("a client that leaves before the first byte ends the call at the endpoint, too", async () => {
  const { ctx, client } = await world();
  upstream.isSilent = true;
  const abort = new AbortController();
  const asking = client().chat.completions.create(ASKED, { signal: abort.signal });
  await expect.poll(() => upstream.received.length).toBe(1);
  abort.abort();
  await expect(asking).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  await expect.poll(() => upstream.cancelled).toBe(1);
  expect((await conversationsOf(ctx, 1))[0]!.modelCalls[0]).toMatchObject({
    error: { message: "The client disconnected." },
  });
});

test("an answer that breaks off is an error for every client, never an invented end", async () => {
  const { ctx, client, post } = await world();
  Object.assign(upstream, { breaksAfter: 2, delayMs: 100 });
  const read = async (stream: AsyncIterable<unknown>) => {
    for await (const _ of stream);
  };
  const chat = await client().chat.completions.create({ ...ASKED, stream: true });
  await expect(read(chat)).rejects.toThrow(/ended|closed|disconnected/i);
  const asked = { model: ASKED.model, input: "Hello", stream: true as const };
  await expect(read(await client().responses.create(asked))).rejects.toThrow(/ended|closed|disconnected/i);
  const text = await (await post("/chat/completions", { ...ASKED, stream: true })).text();
  expect(text).toMatch(
    /data: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":"unavailable"\}\}\n\n$/,
  );
  expect(text).not.toContain("[DONE]");
  for (const conversation of await conversationsOf(ctx, 3)) {
    expect(conversation.messages.at(-1)!.parts[0]!.text).toBe("Sunny hello ");
    expect(conversation.modelCalls[0]).toMatchObject({ status: "error" });
  }
});

test("the time limit that a client tells ends a call without an answer, and no stream that has begun", async () => {
  const { post } = await world();
  upstream.delayMs = 100;
  const limit = { "x-stainless-timeout": "0.2" };
  expect(await (await post("/chat/completions", { ...ASKED, stream: true }, limit)).text()).toContain("[DONE]");
  upstream.isSilent = true;
  expect((await post("/chat/completions", ASKED, limit)).status).toBe(408);
  await expect.poll(() => upstream.cancelled).toBe(1);
});

test("a call within a client's span is counted once: its model and usage are the gateway's, its conversation the client's", async () => {
  const { ctx, post } = await world();
  const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  await (await post("/chat/completions", ASKED, { traceparent: `00-${traceId}-${spanId}-01` })).json();
  const startMs = Date.now() - 60;
  await send(ctx, [
    chatSpan({
      scope: "client",
      traceId,
      spanId,
      startMs,
      durationMs: 70,
      attributes: { "gen_ai.conversation.id": "theirs" },
    }),
  ]);
  const [conversation, ...others] = await conversationsOf(ctx, 2);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    externalId: "theirs",
    usage: { input_tokens: 600, cache_read_input_tokens: 400 },
  });
  expect(conversation!.modelCalls).toMatchObject([{ responseModel: "gpt-4o-2024-08-06" }]);
});

test.each([
  ["X-Session-Id", { "x-session-id": "ours" }, "theirs"],
  ["nothing", {}, "theirs"],
  ["X-Session-Id and no id of its own", { "x-session-id": "ours" }, null],
] as const)("a client's own span of the same call is counted once, when it sent %s", async (_, headers, external) => {
  for (const isFirst of [true, false]) {
    const { ctx, post } = await world();
    const startMs = Date.now();
    const { id } = await (await post("/chat/completions", ASKED, headers)).json();
    await conversationsOf(ctx, 1);
    const attributes = {
      "gen_ai.response.id": id,
      ...(external === null ? {} : { "gen_ai.conversation.id": external }),
    };
    const traceId = crypto.randomUUID().replaceAll("-", "");
    const [rootId, spanId] = ["00000000000000a1", "00000000000000a2"];
    const durationMs = Date.now() - startMs + 1;
    const given = { traceId, scope: "client", startMs: startMs - (isFirst ? 5 : 0), durationMs };
    const own = chatSpan({ ...given, spanId, ...(external === null ? {} : { parentSpanId: rootId }), attributes });
    await send(
      ctx,
      external === null
        ? [own]
        : [{ ...given, spanId: rootId, name: "agent", attributes: { "gen_ai.conversation.id": external } }, own],
    );
    const [conversation, ...others] = await conversationsOf(ctx, external === null ? 2 : 3);
    expect(others).toEqual([]);
    expect(conversation!.externalId).toBe(external ?? "ours");
    expect(conversation!.modelCalls).toHaveLength(1);
  }
});

const send = (ctx: Ctx, sent: readonly TestSpan[]) =>
  storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson(sent))), "json"));

test("a connection's secret is opened once for many calls, and appears nowhere", async () => {
  const { ctx, client, connection } = await world();
  upstream.words = ["The key is ", `${OPENAI_KEY}`, "."];
  const answers: string[] = [];
  for (let n = 0; n < 5; n++) {
    answers.push(JSON.stringify(await client().chat.completions.create(ASKED)));
    const stream = await client().chat.completions.create({ ...ASKED, stream: true });
    for await (const chunk of stream) answers.push(JSON.stringify(chunk));
  }
  expect(answers.join("")).toContain("***");
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(10);
  const uses = await ctx.db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.projectId, ctx.projectId), eq(auditLog.action, "connections.use")));
  expect(uses).toMatchObject([{ targetId: connection.id, after: { purpose: "gateway" } }]);
  const stored = [await spansOf(ctx), await ctx.db.select().from(logRecords), uses];
  expect(JSON.stringify(stored) + answers.join("")).not.toContain(OPENAI_KEY);
});
