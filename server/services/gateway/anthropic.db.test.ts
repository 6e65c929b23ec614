import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createConnection, testConnection } from "@/server/services/connections";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { ANTHROPIC_KEY, AnthropicServer } from "@/testbed/servers/anthropic-server";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { createGatewayAlias } from "./aliases";
import { createGatewayBudget, listGatewayBudgets } from "./budgets";

let upstream: AnthropicServer;
let openai: OpenAiServer;
let origin: string;
beforeAll(async () => {
  upstream = await new AnthropicServer().start();
  openai = await new OpenAiServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => Promise.all([upstream.stop(), openai.stop()]));
beforeEach(() => {
  upstream.reset();
  openai.reset();
});

const MODEL = "Claude/claude-sonnet-4-5";
const ASKED = { model: MODEL, messages: [{ role: "user" as const, content: "Say hello" }] };
const IMAGE = "iVBORw0KGgo=";
const WEATHER = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "Weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
  },
};
const TIME = { type: "function" as const, function: { name: "get_time" } };
/** US dollars for the fake's usage: input, output, cache read, and cache writes for 5 minutes and for an hour. */
const COST = (600 * 3 + 100 * 15 + 400 * 0.3 + 100 * 3.75 + 200 * 6) / 1e6;

async function world({ secret = ANTHROPIC_KEY } = {}) {
  const { ctx } = await testProject();
  const given = { kind: "model" as const, name: "Claude", baseUrl: upstream.url, secret };
  const { connection } = await createConnection(ctx, { ...given, settings: { dialect: "anthropic" } });
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
  const post = (path: string, body: unknown, options: { headers?: object; signal?: AbortSignal } = {}) =>
    fetch(`${origin}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...options.headers },
      body: JSON.stringify(body),
      ...(options.signal && { signal: options.signal }),
    });
  return { ctx, connection, key, client, post };
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

const callsIn = ({ tool_calls: calls = [] }: { tool_calls?: OpenAI.ChatCompletionMessageToolCall[] }) =>
  calls.flatMap((one) => (one.type === "function" ? [one] : []));

test("a call is translated both ways, and recorded and priced as Anthropic's", async () => {
  const { ctx, client } = await world();
  const { data, response } = await client.chat.completions
    .create({
      ...ASKED,
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Yes?" },
        { role: "developer", content: "Be brief." },
        ...ASKED.messages,
      ],
      temperature: 0.5,
      stop: "END",
      max_completion_tokens: 500,
      user: "ann",
      metadata: { conversation_id: "chat-1" },
    })
    .withResponse();
  expect(data).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    object: "chat.completion",
    model: "claude-sonnet-4-5-20250929",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Sunny hello world" } }],
    usage: {
      prompt_tokens: 1_300,
      completion_tokens: 100,
      total_tokens: 1_400,
      prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: 300 },
      cache_creation: { ephemeral_1h_input_tokens: 200 },
    },
  });
  expect(response.headers.get("x-whetstone-dropped")).toBeNull();
  const [{ body, headers }] = upstream.received as [(typeof upstream.received)[number]];
  expect(body).toEqual({
    model: "claude-sonnet-4-5",
    max_tokens: 500,
    temperature: 0.5,
    stop_sequences: ["END"],
    system: [
      { type: "text", text: "Be kind." },
      { type: "text", text: "Be brief." },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
      { role: "user", content: [{ type: "text", text: "Say hello" }] },
    ],
  });
  expect(headers["user-agent"]).toBe("whetstone");
  const [conversation, ...others] = await conversationsOf(ctx, 1);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    externalId: "chat-1",
    userId: "ann",
    usage: {
      input_tokens: 600,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 100,
      cache_creation_1h_input_tokens: 200,
      output_tokens: 100,
    },
    costComplete: true,
    modelCalls: [
      {
        provider: "anthropic",
        requestedModel: "claude-sonnet-4-5",
        responseModel: "claude-sonnet-4-5-20250929",
        status: "ok",
      },
    ],
  });
  expect(conversation!.cost).toBeCloseTo(COST, 9);
});

test("a streamed answer is one of OpenAI's, with counts that are set rather than added", async () => {
  const { ctx, post } = await world();
  const streamed = await (await post("/chat/completions", { ...ASKED, stream: true })).text();
  const chunks = streamed.split("\n\n").filter((one) => one.startsWith("data: {"));
  expect(chunks.map((one) => JSON.parse(one.slice(6)).choices[0])).toMatchObject([
    { delta: { role: "assistant", content: "" }, finish_reason: null },
    ...["Sunny ", "hello ", "world"].map((content) => ({ delta: { content }, finish_reason: null })),
    { delta: {}, finish_reason: "stop" },
  ]);
  expect(streamed.endsWith("data: [DONE]\n\n")).toBe(true);
  expect(new Set(chunks.map((one) => JSON.parse(one.slice(6)).id)).size).toBe(1);
  const wanted = { ...ASKED, stream: true, stream_options: { include_usage: true } };
  const counted = await (await post("/chat/completions", wanted)).text();
  expect(counted).toContain('"choices":[],"usage":{"prompt_tokens":1300,"completion_tokens":100');
  for (const conversation of await conversationsOf(ctx, 2)) {
    expect(conversation).toMatchObject({
      usage: { input_tokens: 600, output_tokens: 100, cache_creation_1h_input_tokens: 200 },
      messages: [{ role: "user" }, { role: "assistant", parts: [{ text: "Sunny hello world" }] }],
    });
    expect(conversation.cost).toBeCloseTo(COST, 9);
  }
});

test("the first words arrive while the endpoint is still answering, and a client that leaves ends the call there", async () => {
  const { ctx, client } = await world();
  upstream.isHeld = true;
  const stream = await client.chat.completions.create({ ...ASKED, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  stream.controller.abort();
  await expect.poll(() => upstream.cancelled).toBe(1);
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(1);
  expect((await spansOf(ctx))[0]).toMatchObject({ statusMessage: "The client disconnected." });
});

test.each([false, true])("a client that leaves before the first byte ends the call (streamed: %s)", async (stream) => {
  const { post } = await world();
  upstream.isSilent = true;
  const leaving = new AbortController();
  const asked = post("/chat/completions", { ...ASKED, stream }, { signal: leaving.signal });
  await expect.poll(() => upstream.received.length).toBe(1);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => upstream.cancelled).toBe(1);
});

test.each([false, true])("tools are called and their results sent back (streamed: %s)", async (isStreamed) => {
  const { client } = await world();
  const asked = { model: MODEL, tools: [WEATHER, TIME] };
  const question = [{ role: "user" as const, content: "Weather and time in Ulm?" }];
  const create = (messages: OpenAI.ChatCompletionMessageParam[], more: object = {}) =>
    isStreamed
      ? client.chat.completions.stream({ ...asked, ...more, messages }).finalChatCompletion()
      : client.chat.completions.create({ ...asked, ...more, messages });
  const [choice] = (await create(question)).choices;
  expect(choice!.finish_reason).toBe("tool_calls");
  const calls = callsIn(choice!.message);
  expect(calls.map(({ function: { name, arguments: given } }) => [name, JSON.parse(given)])).toEqual([
    ["get_weather", { city: "Ulm", days: 2 }],
    ["get_time", {}],
  ]);
  const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "ok" }));
  const last = await create([...question, choice!.message, ...results, { role: "user", content: "And?" }]);
  expect(last.choices[0]!.message.content).toBe("Sunny hello world");
  expect(upstream.received.at(-1)!.body.messages.at(-1)).toMatchObject({
    content: [
      { type: "tool_result", tool_use_id: calls[0]!.id, content: "ok" },
      { type: "tool_result", tool_use_id: calls[1]!.id },
      { type: "text", text: "And?" },
    ],
  });
  const choices = { tool_choice: { type: "function", function: { name: "get_time" } }, parallel_tool_calls: false };
  const forced = callsIn((await create(question, choices)).choices[0]!.message);
  expect(forced.map((one) => one.function.name)).toEqual(["get_time"]);
  expect(upstream.received.at(-1)!.body.tool_choice).toEqual({
    type: "tool",
    name: "get_time",
    disable_parallel_tool_use: true,
  });
});

test.each([false, true])(
  "thoughts are sent back with the result of a tool, which no client does (streamed: %s)",
  async (isStreamed) => {
    const { client } = await world();
    const asked = { model: MODEL, tools: [WEATHER], reasoning_effort: "low" as const, max_completion_tokens: 4_000 };
    const question = [{ role: "user" as const, content: "Weather?" }];
    const create = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      isStreamed
        ? client.chat.completions.stream({ ...asked, messages }).finalChatCompletion()
        : client.chat.completions.create({ ...asked, messages });
    const { message } = (await create(question)).choices[0]!;
    expect(message).toMatchObject(isStreamed ? {} : { reasoning_content: "They want the weather." });
    // Thoughts and answer together are within the limit.
    const { max_tokens, thinking } = upstream.received[0]!.body;
    expect({ max_tokens, thinking }).toEqual({
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 3_000 },
    });
    const [call] = callsIn(message);
    const result = { role: "tool" as const, tool_call_id: call!.id, content: "Rain" };
    const told = { role: "assistant" as const, content: null, tool_calls: [call!] };
    const last = await create([...question, told, result]);
    expect(last.choices[0]!.message.content).toBe("Sunny hello world");
    expect(upstream.received.at(-1)!.body.messages[1]!.content).toMatchObject([
      { type: "thinking" },
      { type: "tool_use" },
    ]);
    // A turn that is not known, for instance after a restart, is answered without thoughts.
    const other = { ...call!, id: "toolu_unknown" };
    const { data, response } = await client.chat.completions
      .create({
        ...asked,
        messages: [...question, { ...told, tool_calls: [other] }, { ...result, tool_call_id: other.id }],
      })
      .withResponse();
    expect(data.choices[0]!.message.content).toBe("Sunny hello world");
    expect(response.headers.get("x-whetstone-dropped")).toBe("reasoning_effort");
  },
);

test("another project's thoughts are not sent, even under the same id of a call", async () => {
  const [mine, theirs] = [await world(), await world()];
  const asked = { model: MODEL, tools: [WEATHER], reasoning_effort: "low" as const };
  const question = [{ role: "user" as const, content: "Weather?" }];
  const { message } = (await mine.client.chat.completions.create({ ...asked, messages: question })).choices[0]!;
  const result = { role: "tool" as const, tool_call_id: message.tool_calls![0]!.id, content: "Rain" };
  await theirs.client.chat.completions.create({ ...asked, messages: [...question, message, result] });
  expect(upstream.received.at(-1)!.body.messages[1]!.content).toMatchObject([{ type: "tool_use" }]);
});

test.each([MODEL, "Claude/claude-3-haiku-20240307"])("an answer by a JSON schema, from %s", async (model) => {
  const { client } = await world();
  upstream.words = ['{"city"', ':"Ulm"}'];
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const response_format = { type: "json_schema" as const, json_schema: { name: "place", strict: true, schema } };
  const whole = await client.chat.completions.create({ ...ASKED, model, response_format });
  const streamed = await client.chat.completions.stream({ ...ASKED, model, response_format }).finalChatCompletion();
  for (const { choices } of [whole, streamed]) {
    expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { content: expect.any(String) } });
    expect(JSON.parse(choices[0]!.message.content!)).toEqual({ city: "Ulm" });
  }
});

test("images, documents and cached prefixes are sent as Anthropic takes them", async () => {
  const { client } = await world();
  const cache_control = { type: "ephemeral" as const, ttl: "1h" as const };
  const text = { type: "text" as const, text: "What is this?", cache_control };
  await client.chat.completions.create({
    ...ASKED,
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } },
          { type: "image_url", image_url: { url: "https://example.com/a.jpg" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          text,
        ],
      },
    ],
  });
  expect(upstream.received[0]!.body.messages[0]!.content).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } },
    { type: "image", source: { type: "url", url: "https://example.com/a.jpg" } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
      title: "a.pdf",
    },
    text,
  ]);
});

test("fields without an equivalent are named in a header and on the span, and a limit is always sent", async () => {
  const { ctx, client } = await world();
  const asked = { ...ASKED, seed: 1, logit_bias: { 1: 2 }, temperature: 1.5, n: 1, logprobs: false, store: true };
  for (const model of [MODEL, "Claude/claude-nova-9"]) {
    const { response } = await client.chat.completions.create({ ...asked, model }).withResponse();
    expect(response.headers.get("x-whetstone-dropped")).toBe("logit_bias, seed, store, temperature");
  }
  const small = { ...ASKED, model: "Claude/claude-3-haiku-20240307" };
  const unlimited = await client.chat.completions.create(small).withResponse();
  expect(unlimited.response.headers.get("x-whetstone-dropped")).toBeNull();
  const limited = await client.chat.completions.create({ ...small, max_tokens: 5_000 }).withResponse();
  expect(limited.response.headers.get("x-whetstone-dropped")).toBe("max_tokens");
  expect(upstream.received.map(({ body }) => body.max_tokens)).toEqual([32_000, 32_000, 4_096, 4_096]);
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(4);
  expect((await spansOf(ctx))[0]!.attributes).toMatchObject({
    "whetstone.gateway.dropped_fields": ["logit_bias", "seed", "store", "temperature"],
  });
});

test.each([
  ["/chat/completions", { n: 2 }, "/n"],
  ["/chat/completions", { logprobs: true }, "/logprobs"],
  ["/chat/completions", { audio: { voice: "alloy", format: "wav" } }, "/audio"],
  ["/chat/completions", { functions: [] }, "/functions"],
  [
    "/chat/completions",
    { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }] },
    "/messages/0/content/0",
  ],
  ["/chat/completions", { messages: [{ role: "tool", tool_call_id: "x", content: "" }] }, "/messages/0/tool_call_id"],
  ["/chat/completions", { max_tokens: "many" }, "/max_tokens"],
  ["/embeddings", { input: "Hi" }, null],
])("what cannot be translated is refused without a call: %s %o", async (path, more, field) => {
  const { post } = await world();
  const reply = await post(path, { ...ASKED, ...more });
  expect(reply.status).toBe(400);
  const { error, errors } = await reply.json();
  expect(error).toMatchObject({ type: "invalid_request_error", message: expect.stringMatching(/\w/) });
  expect(errors?.[0]?.path ?? null).toBe(field);
  expect(upstream.received).toEqual([]);
});

test.each([
  [400, "messages: roles must alternate", {}, 400, "messages: roles must alternate"],
  [401, "invalid x-api-key", {}, 422, /refused its credential/],
  [404, "model: claude-0", {}, 404, "model: claude-0"],
  [429, "Too many tokens", { "retry-after": "7" }, 429, "Too many tokens"],
  [529, "Overloaded", { "retry-after": "200" }, 503, /status 529. Overloaded/],
])("the endpoint's %i is told in OpenAI's form", async (status, said, headers, expected, message) => {
  const { client } = await world();
  upstream.refusal = { status, message: said, headers };
  for (const stream of [false, true]) {
    const refused = await client.chat.completions.create({ ...ASKED, stream }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.APIError);
    const { status: got, error, headers: told } = refused as InstanceType<typeof OpenAI.APIError>;
    expect(got).toBe(expected);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(told?.get("retry-after") ?? null).toBe(status === 429 ? "7" : status === 529 ? "60" : null);
  }
});

test("a stream that breaks off, or fails after it began, ends with an error", async () => {
  const { ctx, post } = await world();
  [upstream.breaksAfter, upstream.delayMs] = [1, 30];
  const broken = await (await post("/chat/completions", { ...ASKED, stream: true })).text();
  [upstream.breaksAfter, upstream.delayMs] = [null, 0];
  upstream.failsAtOnce = true;
  const failed = await (await post("/chat/completions", { ...ASKED, stream: true })).text();
  expect(failed).toContain(
    '{"error":{"message":"Overloaded","type":"server_error","param":null,"code":"overloaded_error"}}',
  );
  for (const text of [broken, failed]) {
    expect(text).toContain("Sunny ");
    expect(text).toContain('"error"');
    expect(text).not.toContain("[DONE]");
  }
  for (const conversation of await conversationsOf(ctx, 2)) {
    expect(conversation.modelCalls).toMatchObject([{ status: "error" }]);
  }
});

/** With an alias of a model of Anthropic's and one of OpenAI's. */
async function aliased(retries: number) {
  const { ctx, connection, client } = await world();
  const given = { kind: "model" as const, name: "OpenAI", baseUrl: openai.url, secret: OPENAI_KEY };
  const other = await createConnection(ctx, given);
  const targets = [
    { connectionId: connection.id, model: "claude-sonnet-4-5" },
    { connectionId: other.connection.id, model: "gpt-4o" },
  ];
  await createGatewayAlias(ctx, { name: "chat", targets, retries });
  await createGatewayAlias(ctx, { name: "claude", targets: targets.slice(0, 1), retries });
  return { ctx, client };
}

test("what an API has nothing for is asked of the alias's next model, but no request that a service itself refuses", async () => {
  const { ctx, client } = await aliased(1);
  openai.words = ["From ", "OpenAI"];
  const two = { ...ASKED, n: 2 };
  expect((await client.chat.completions.create({ ...two, model: "chat" })).choices[0]!.message.content).toBe(
    "From OpenAI",
  );
  // The call, what could not be sent once, and the answer.
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(3);
  const tools = [{ type: "web_search" as const }];
  const searched = await client.responses.stream({ model: "chat", input: "Hi", tools }).finalResponse();
  expect(searched.output_text).toBe("From OpenAI");
  expect(upstream.received).toEqual([]);
  for (const stream of [false, true]) {
    await expect(client.chat.completions.create({ ...two, model: "claude", stream })).rejects.toMatchObject({
      status: 400,
      param: "n",
      code: "unsupported_parameter",
    });
  }
  const asked = openai.received.length;
  upstream.refusal = { status: 400, message: "messages: roles must alternate" };
  await expect(client.chat.completions.create({ ...ASKED, model: "chat" })).rejects.toMatchObject({ status: 400 });
  expect([upstream.received.length, openai.received.length]).toEqual([1, asked]);
  upstream.refusal = null;
  openai.refusal = { status: 503, message: "Down." };
  await expect(client.chat.completions.create({ ...two, model: "chat" })).rejects.toMatchObject({ status: 503 });
});

test("an alias falls back to a model with another API", async () => {
  const { ctx, client } = await aliased(0);
  openai.words = ["From ", "OpenAI"];
  upstream.refusal = { status: 529, message: "Overloaded" };
  const ask = { ...ASKED, model: "chat", seed: 1 };
  expect((await client.chat.completions.create(ask)).choices[0]!.message.content).toBe("From OpenAI");
  const streamed = await client.chat.completions.stream(ask).finalChatCompletion();
  expect(streamed.choices[0]!.message.content).toBe("From OpenAI");
  upstream.refusal = null;
  expect((await client.chat.completions.create(ask)).choices[0]!.message.content).toBe("Sunny hello world");
  const recorded = (await conversationsOf(ctx, 8)).flatMap(({ modelCalls }) => modelCalls);
  expect(
    recorded
      .filter(({ status }) => status === "ok")
      .map(({ provider }) => provider)
      .sort(),
  ).toEqual(["anthropic", "openai", "openai"]);
});

test("a budget is settled at what the call cost", async () => {
  const { ctx, client } = await world();
  const { budget } = await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1 });
  await client.chat.completions.create({ ...ASKED, max_tokens: 200 });
  await expect
    .poll(async () => (await listGatewayBudgets(ctx, {})).budgets.find(({ id }) => id === budget.id))
    .toMatchObject({ spentUsd: 0.004995 });
});

test("the connection's test, and the list of models, ask Anthropic's own", async () => {
  const { ctx, connection, client } = await world();
  expect((await testConnection(ctx, { connectionId: connection.id })).test).toEqual({ ok: true, problems: [] });
  const listed = (await client.models.list()).data.map(({ id, owned_by }) => [id, owned_by]);
  expect(listed).toContainEqual([MODEL, "anthropic"]);
  const wrong = await world({ secret: "sk-ant-wrong-secret" });
  const { test: problem } = await testConnection(wrong.ctx, { connectionId: wrong.connection.id });
  expect(problem).toMatchObject({ ok: false, problems: [expect.stringContaining("refused the secret (401)")] });
});

test("another project's model is not found", async () => {
  const { connection } = await world();
  const { ctx } = await testProject();
  const client = new OpenAI({
    apiKey: await keyFor(ctx, "gateway:use", "telemetry:write"),
    baseURL: `${origin}/v1`,
    maxRetries: 0,
  });
  for (const model of [MODEL, `${connection.id}/claude-sonnet-4-5`]) {
    await expect(client.chat.completions.create({ ...ASKED, model })).rejects.toMatchObject({ status: 404 });
  }
  expect(upstream.received).toEqual([]);
});
