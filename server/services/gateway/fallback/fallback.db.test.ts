import { and, eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { spans } from "@/db/schema";
import type { GatewayTarget } from "@/db/schema/json";
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
import { chatSpan, otlpJson } from "@/server/services/telemetry/testing";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { createGatewayAlias, updateGatewayAlias } from "../aliases";

let first: OpenAiServer;
let second: OpenAiServer;
let origin: string;
beforeAll(async () => {
  [first, second] = [await new OpenAiServer().start(), await new OpenAiServer().start()];
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => Promise.all([first.stop(), second.stop()]));
beforeEach(() => {
  first.reset();
  second.reset();
  second.words = ["From ", "the ", "second"];
});

const ASKED = { model: "fast", messages: [{ role: "user" as const, content: "Say hello" }] };

async function connectionOf(ctx: Ctx, name: string, baseUrl: string) {
  const { connection } = await createConnection(ctx, { kind: "model", name, baseUrl, secret: OPENAI_KEY });
  return connection.id;
}

type Settings = Omit<Parameters<typeof createGatewayAlias>[1], "name" | "targets">;

async function world(settings: Settings = {}) {
  const { ctx } = await testProject();
  const ids = [await connectionOf(ctx, "First", first.url), await connectionOf(ctx, "Second", second.url)];
  const targets: GatewayTarget[] = ids.map((connectionId, at) => ({
    connectionId,
    model: at === 0 ? "gpt-4o" : "gpt-4o-mini",
  }));
  const { alias } = await createGatewayAlias(ctx, { name: "fast", targets, ...settings });
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
  const stream = async (options: { signal?: AbortSignal } = {}) => {
    let said = "";
    for await (const chunk of await client.chat.completions.create({ ...ASKED, stream: true }, options)) {
      said += chunk.choices[0]?.delta.content ?? "";
    }
    return said;
  };
  const ask = async () => (await client.chat.completions.create(ASKED)).choices[0]?.message.content;
  return { ctx, ids, alias, key, client, ask, stream };
}

const spansOf = ({ db, projectId }: Ctx) =>
  db.select().from(spans).where(eq(spans.projectId, projectId)).orderBy(spans.startedUs);

/** A call is recorded after its answer has been sent. */
async function conversationsOf(ctx: Ctx, spanCount: number) {
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(spanCount);
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  return Promise.all(
    conversations.map(async ({ id }) => (await getConversation(ctx, { conversationId: id })).conversation),
  );
}

test("the first target answers a call of an alias, which is recorded and priced once", async () => {
  const { ctx, ask, alias, ids } = await world();
  expect(await ask()).toBe("Sunny hello world");
  expect(JSON.parse(first.received[0]!.text)).toEqual({ ...ASKED, model: "gpt-4o" });
  expect(second.received).toEqual([]);
  const [conversation, ...others] = await conversationsOf(ctx, 2);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    errorCount: 0,
    usage: { input_tokens: 600, output_tokens: 80 },
    modelCalls: [{ requestedModel: "gpt-4o", status: "ok" }],
  });
  const attributes = (await spansOf(ctx)).map((span) => span.attributes as Record<string, unknown>);
  for (const one of attributes) expect(one).toMatchObject({ "whetstone.gateway.alias": alias.name });
  expect(attributes.map((one) => one["whetstone.connection.id"])).toContain(ids[0]);
});

test.each([
  ["refuses calls for a while", { refusal: { status: 429, message: "Slow down." } }],
  ["times out", { refusal: { status: 408, message: "Too late." } }],
  ["fails", { refusal: { status: 500, message: "Broken." } }],
  ["breaks off before its first word", { breaksAfter: 0 }],
] as const)("the next target answers, whole and streamed, when the first %s", async (_, state) => {
  const { ctx, ask, stream } = await world();
  Object.assign(first, state);
  expect(await stream()).toBe("From the second");
  // A whole answer of the fake does not break off.
  if (!("breaksAfter" in state)) expect(await ask()).toBe("From the second");
  const calls = "breaksAfter" in state ? 1 : 2;
  const conversations = await conversationsOf(ctx, 3 * calls);
  expect(conversations).toHaveLength(calls);
  for (const { modelCalls, messages, usage } of conversations) {
    expect(modelCalls).toMatchObject([
      { requestedModel: "gpt-4o", status: "error", cost: null },
      { requestedModel: "gpt-4o-mini", status: "ok" },
    ]);
    expect(usage).toMatchObject({ input_tokens: 600, output_tokens: 80 });
    expect(messages.map(({ parts }) => parts[0]?.text)).toEqual(["Say hello", "From the second"]);
  }
});

test("the next target answers when the first cannot be reached, or reports an error before any content", async () => {
  const { ctx, ask, ids, alias, client } = await world();
  const gone = await new OpenAiServer().start();
  await gone.stop();
  const targets = [
    { connectionId: await connectionOf(ctx, "Gone", gone.url), model: "gpt-4o" },
    ...alias.targets.slice(1).map((one) => ({ connectionId: one.connectionId!, model: one.model! })),
  ];
  await createGatewayAlias(ctx, { name: "unreachable", targets });
  expect(ids).toHaveLength(2);
  first.failsAtOnce = true;
  expect(await ask()).toBe("Sunny hello world");
  const answerOf = async (model: string) => {
    let said = "";
    for await (const chunk of await client.chat.completions.create({ ...ASKED, model, stream: true })) {
      said += chunk.choices[0]?.delta.content ?? "";
    }
    return said;
  };
  await expect.poll(() => answerOf("unreachable").catch(String), { interval: 500 }).toBe("From the second");
  expect(await answerOf("fast")).toBe("From the second");
  const response = client.responses.stream({ model: "fast", input: "Hello" });
  const events: string[] = [];
  response.on("event", ({ type }) => events.push(type));
  expect((await response.finalResponse()).output_text).toBe("From the second");
  expect(events.filter((type) => type === "response.created")).toHaveLength(1);
});

test.each([400, 401, 404, 422])(
  "a refusal of the request itself (%i) goes to the client, and to no other target",
  async (status) => {
    const { ctx, ask } = await world({ retries: 2 });
    first.refusal = { status, message: "Not so." };
    await expect(ask()).rejects.toMatchObject({ status: status === 401 ? 422 : status });
    expect([first.received.length, second.received.length]).toEqual([1, 0]);
    const [conversation] = await conversationsOf(ctx, 2);
    expect(conversation).toMatchObject({ errorCount: 1, modelCalls: [{ status: "error" }] });
  },
);

test("after the first content no other target is asked", async () => {
  const { stream } = await world();
  Object.assign(first, { breaksAfter: 1, delayMs: 100 });
  await expect(stream()).rejects.toThrow(/ended|closed/i);
  expect(second.received).toEqual([]);
});

test("a target that is late with its first content is left, and its call ended", async () => {
  const { ctx, stream } = await world({ firstTokenSeconds: 1 });
  first.isSilent = true;
  expect(await stream()).toBe("From the second");
  await expect.poll(() => first.cancelled).toBe(1);
  const [conversation] = await conversationsOf(ctx, 3);
  expect(conversation!.modelCalls[0]).toMatchObject({ error: { message: "The answer did not begin within 1 s." } });
});

test("the time limit of an alias ends a call with all its attempts", async () => {
  const { ask } = await world({ totalSeconds: 1 });
  first.isSilent = true;
  await expect(ask()).rejects.toMatchObject({ status: 408, message: expect.stringContaining("1 s") });
  expect(second.received).toEqual([]);
  await expect.poll(() => first.cancelled).toBe(1);
});

test("each target is asked again as often as the alias says, and the shortest wait is told when none has answered", async () => {
  const { ctx, client } = await world({ retries: 1 });
  first.refusal = { status: 500, message: "Broken." };
  second.refusal = { status: 429, message: "Slow down.", headers: { "retry-after": "70" } };
  const error = await client.chat.completions.create(ASKED).catch((failure) => failure);
  expect(error).toMatchObject({
    status: 429,
    message: expect.stringMatching(/No model of the alias “fast” answered.*Slow down/),
  });
  expect(error.headers.get("retry-after")).toBe("60");
  // Waiting for a minute helps nobody: the second target is asked once.
  expect([first.received.length, second.received.length]).toEqual([2, 1]);
  const [conversation] = await conversationsOf(ctx, 4);
  expect(conversation!.messages.map(({ parts }) => parts[0]?.text)).toEqual(["Say hello"]);
  expect(conversation!.modelCalls).toHaveLength(3);
});

test("a client that leaves ends the attempt, and no other begins", async () => {
  const { ctx, stream } = await world({ retries: 3 });
  first.isSilent = true;
  const abort = new AbortController();
  const asking = stream({ signal: abort.signal });
  await expect.poll(() => first.received.length).toBe(1);
  abort.abort();
  await expect(asking).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  await expect.poll(() => first.cancelled).toBe(1);
  const [conversation] = await conversationsOf(ctx, 2);
  expect(conversation!.modelCalls).toMatchObject([{ error: { message: "The client disconnected." } }]);
  expect(second.received).toEqual([]);
});

test("a stream whose first target is long silent carries comments, and then the answer or an error", async () => {
  const { key } = await world({ firstTokenSeconds: 6 });
  first.isSilent = true;
  const post = () =>
    fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...ASKED, stream: true }),
    });
  const answered = post().then((reply) => reply.text());
  await expect.poll(() => second.received.length, { timeout: 10_000 }).toBe(1);
  const text = await answered;
  expect(text).toMatch(/^: the model is working\n\ndata: /);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  second.refusal = { status: 500, message: "Broken." };
  const failed = await (await post()).text();
  expect(failed).toMatch(/^: the model is working\n\ndata: \{"error":\{.*Broken/);
  expect(failed).not.toContain("[DONE]");
});

test("embeddings, and Responses that refer to a stored one, are asked of one target only", async () => {
  const { client } = await world();
  const asked = { model: "fast", input: "Hello" };
  first.refusal = { status: 500, message: "Broken." };
  await expect(client.embeddings.create(asked)).rejects.toMatchObject({ status: 503 });
  const elsewhere = await client.responses.create(asked);
  first.refusal = null;
  await client.responses.create({ ...asked, previous_response_id: elsewhere.id });
  expect(second.received).toHaveLength(2);
  second.refusal = { status: 500, message: "Broken." };
  await expect(client.responses.create({ ...asked, previous_response_id: elsewhere.id })).rejects.toMatchObject({
    status: 503,
  });
  // The embeddings, and the first response.
  expect(first.received).toHaveLength(2);
});

test("the alias limits answers of calls that set no limit, in the words of the endpoint", async () => {
  const { client } = await world({ maxOutputTokens: 100 });
  await client.chat.completions.create(ASKED);
  await client.chat.completions.create({ ...ASKED, max_completion_tokens: 7 });
  await client.responses.create({ model: "fast", input: "Hello" });
  const sent = first.received.map(({ text }) => JSON.parse(text));
  expect(sent).toMatchObject([{ max_tokens: 100 }, { max_completion_tokens: 7 }, { max_output_tokens: 100 }]);
  expect(sent[1]).not.toHaveProperty("max_tokens");
});

test("a target that was deleted is skipped, and without another the call is a 404", async () => {
  const { ctx, ids, ask, client } = await world();
  await deleteConnection(ctx, { connectionId: ids[0]! });
  await expect.poll(ask, { interval: 500 }).toBe("From the second");
  expect((await client.models.list()).data.map(({ id }) => id)).toContain("fast");
  await deleteConnection(ctx, { connectionId: ids[1]! });
  await expect
    .poll(() => ask().catch((error) => [error.status, error.code]), { interval: 500 })
    .toEqual([404, "model_not_found"]);
});

test("another project's alias does not exist", async () => {
  const theirs = await world();
  const { ctx } = await testProject();
  const apiKey = await keyFor(ctx, "gateway:use", "telemetry:write");
  const ours = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
  await expect(ours.chat.completions.create(ASKED)).rejects.toMatchObject({ status: 404 });
  expect((await ours.models.list()).data).toEqual([]);
  expect(await theirs.ask()).toBe("Sunny hello world");
  const renamed = updateGatewayAlias(ctx, { gatewayAliasId: theirs.alias.id, name: "ours" });
  await expect(renamed).rejects.toMatchObject({ code: "not_found" });
});

test("a call that its client reports, too, is counted once, although it has a span for each attempt", async () => {
  const { ctx, client } = await world();
  first.refusal = { status: 500, message: "Broken." };
  const startMs = Date.now();
  const { id } = await client.chat.completions.create(ASKED, { headers: { "x-session-id": "ours" } });
  await conversationsOf(ctx, 3);
  const traceId = crypto.randomUUID().replaceAll("-", "");
  const [rootId, spanId] = ["00000000000000a1", "00000000000000a2"];
  const given = { traceId, scope: "client", startMs: startMs - 5, durationMs: Date.now() - startMs + 6 };
  const root = { ...given, spanId: rootId, name: "agent", attributes: { "gen_ai.conversation.id": "theirs" } };
  const own = chatSpan({
    ...given,
    spanId,
    parentSpanId: rootId,
    attributes: { "gen_ai.response.id": id, "gen_ai.conversation.id": "theirs" },
  });
  await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson([root, own]))), "json"));
  const [conversation, ...others] = await conversationsOf(ctx, 5);
  expect(others).toEqual([]);
  expect(conversation!.externalId).toBe("theirs");
  expect(conversation!.modelCalls).toMatchObject([{ status: "error" }, { status: "ok" }]);
  const stored = and(eq(spans.projectId, ctx.projectId), eq(spans.traceId, traceId));
  expect(await ctx.db.$count(spans, stored)).toBe(2);
});
