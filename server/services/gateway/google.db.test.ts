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
import { GOOGLE_KEY, GoogleServer } from "@/testbed/servers/google-server";

let upstream: GoogleServer;
let baseURL: string;
beforeAll(async () => {
  upstream = await new GoogleServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  baseURL = `${await serve(createDispatcher(OPERATIONS))}/v1`;
});
afterAll(() => upstream.stop());
beforeEach(() => upstream.reset());

const MODEL = "Gemini/gemini-2.5-flash";
const ASKED = { model: MODEL, messages: [{ role: "user" as const, content: "Say hello" }] };
const WEATHER = {
  type: "function" as const,
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

const clientOf = async (ctx: Ctx) =>
  new OpenAI({ apiKey: await keyFor(ctx, "gateway:use", "telemetry:write"), baseURL, maxRetries: 0 });

async function world(secret = GOOGLE_KEY) {
  const { ctx } = await testProject();
  const given = { kind: "model" as const, name: "Gemini", baseUrl: upstream.url, secret };
  const { connection } = await createConnection(ctx, { ...given, settings: { dialect: "google" } });
  return { ctx, connection, client: await clientOf(ctx) };
}

const spansOf = ({ db, projectId }: Ctx) => db.select().from(spans).where(eq(spans.projectId, projectId));

async function conversationsOf(ctx: Ctx, spanCount: number) {
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(spanCount);
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  return Promise.all(
    conversations.map(async ({ id }) => (await getConversation(ctx, { conversationId: id })).conversation),
  );
}

test("a call is translated both ways, whole and streamed, and priced as Google's", async () => {
  const { ctx, client } = await world();
  const asked = {
    ...ASKED,
    messages: [{ role: "system" as const, content: "Be kind." }, ...ASKED.messages],
    temperature: 1.5,
    seed: 7,
    max_tokens: 500,
  };
  const whole = await client.chat.completions.create(asked);
  const streamed = await client.chat.completions
    .stream({ ...asked, stream_options: { include_usage: true } })
    .finalChatCompletion();
  for (const answer of [whole, streamed]) {
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^resp-/),
      model: "gemini-2.5-flash",
      choices: [{ finish_reason: "stop", message: { content: "Sunny hello world" } }],
      usage: {
        prompt_tokens: 1_000,
        completion_tokens: 100,
        total_tokens: 1_100,
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
    });
  }
  expect(upstream.received[0]).toMatchObject({
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    body: {
      systemInstruction: { parts: [{ text: "Be kind." }] },
      contents: [{ role: "user", parts: [{ text: "Say hello" }] }],
      generationConfig: { temperature: 1.5, seed: 7, maxOutputTokens: 500 },
    },
  });
  const usage = { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 80, reasoning_output_tokens: 20 };
  for (const conversation of await conversationsOf(ctx, 2)) {
    expect(conversation).toMatchObject({
      usage,
      costComplete: true,
      modelCalls: [{ provider: "google", requestedModel: "gemini-2.5-flash", status: "ok" }],
    });
    expect(conversation.cost).toBeCloseTo((600 * 0.3 + 400 * 0.03 + 100 * 2.5) / 1e6, 9);
  }
});

test.each([MODEL, "Gemini/gemini-3-flash-preview"])(
  "tools keep the signatures that clients do not send back: %s",
  async (model) => {
    const { client } = await world();
    const question = [{ role: "user" as const, content: "Weather?" }];
    for (const isStreamed of [false, true]) {
      const create = (messages: OpenAI.ChatCompletionMessageParam[]) =>
        isStreamed
          ? client.chat.completions.stream({ model, tools: [WEATHER], messages }).finalChatCompletion()
          : client.chat.completions.create({ model, tools: [WEATHER], messages });
      const [choice] = (await create(question)).choices;
      expect(choice!.finish_reason).toBe("tool_calls");
      const [call] = choice!.message.tool_calls!.filter(({ type }) => type === "function");
      const told = { role: "assistant" as const, content: null, tool_calls: [call!] };
      const result = { role: "tool" as const, tool_call_id: call!.id, content: "Rain" };
      const last = await create([...question, told, result]);
      expect(last.choices[0]!.message.content).toBe("Sunny hello world");
      expect(upstream.received.at(-1)!.body.contents[1]!.parts[0]!.thoughtSignature).toMatch(/^c2ln/);
      // One that is not known, for instance after a restart, is answered as well.
      const id = "unknown";
      await create([...question, { ...told, tool_calls: [{ ...call!, id }] }, { ...result, tool_call_id: id }]);
    }
  },
);

test("images, JSON schemas and thoughts are sent as Google takes them, and what it has not is named", async () => {
  const { client } = await world();
  upstream.words = ['{"city":', '"Ulm"}'];
  const image = (url: string) => ({
    ...ASKED,
    messages: [{ role: "user" as const, content: [{ type: "image_url" as const, image_url: { url } }] }],
  });
  const schema = { type: "object", properties: { city: { type: "string" } } };
  const { data, response } = await client.chat.completions
    .create({
      ...image("data:image/png;base64,iVBORw0KGgo="),
      response_format: { type: "json_schema", json_schema: { name: "place", schema } },
      reasoning_effort: "low",
      presence_penalty: 1,
      parallel_tool_calls: true,
    })
    .withResponse();
  expect(JSON.parse(data.choices[0]!.message.content!)).toEqual({ city: "Ulm" });
  expect(response.headers.get("x-whetstone-dropped")).toBe("parallel_tool_calls, presence_penalty");
  expect(upstream.received[0]!.body).toMatchObject({
    contents: [{ parts: [{ inlineData: { mimeType: "image/png" } }] }],
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema },
  });
  await expect(client.chat.completions.create(image("https://example.com/a.png"))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("data URL"),
  });
  for (const name of ["../files", "a?b", "a/../../b"]) {
    await expect(client.chat.completions.create({ ...ASKED, model: `Gemini/${name}` })).rejects.toMatchObject({
      status: 400,
    });
  }
  expect(upstream.received).toHaveLength(1);
});

test("embeddings are Google's, also for clients that want them encoded, or many", async () => {
  const { ctx, client } = await world();
  const model = "Gemini/gemini-embedding-2";
  expect((await client.embeddings.create({ model, input: "Hi" })).data[0]!.embedding).toEqual([0.25, -0.5]);
  const input = Array.from({ length: 150 }, (_, n) => `Text ${n}`);
  const many = await client.embeddings.create({ model, input, encoding_format: "float" });
  expect(many.data.map(({ index }) => index)).toEqual(input.map((_, n) => n));
  expect(many.usage).toEqual({ prompt_tokens: 600, total_tokens: 600 });
  await expect(client.embeddings.create({ model, input: [[1, 2]] })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("check_embedding_ctx_length=False"),
  });
  await expect.poll(async () => (await spansOf(ctx)).length).toBe(3);
});

test.each([
  [400, "Bad request", {}, 400],
  [404, "models/x is not found", {}, 404],
  [429, "Quota exceeded", { "retry-after": "7" }, 429],
  [503, "The model is overloaded.", {}, 503],
])("the endpoint's %i is told in OpenAI's form", async (status, message, headers, expected) => {
  const { client } = await world();
  upstream.refusal = { status, message, headers };
  for (const stream of [false, true]) {
    await expect(client.chat.completions.create({ ...ASKED, stream })).rejects.toMatchObject({
      status: expected,
      message: expect.stringContaining(message),
    });
  }
});

test("a wrong key, which Google calls a bad request, is the connection's fault, in its test as well", async () => {
  const { ctx, connection, client } = await world("AIzaWrong0123456789");
  await expect(client.chat.completions.create(ASKED)).rejects.toMatchObject({ status: 422 });
  const { test: problem } = await testConnection(ctx, { connectionId: connection.id });
  expect(problem).toMatchObject({ ok: false, problems: [expect.stringContaining("refused the secret (401)")] });
});

test("a client that leaves ends the call at the endpoint", async () => {
  const { client } = await world();
  upstream.isHeld = true;
  const stream = await client.chat.completions.create({ ...ASKED, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  stream.controller.abort();
  await expect.poll(() => upstream.cancelled).toBe(1);
});

test("the models are listed, and are another project's 404", async () => {
  const { ctx, connection, client } = await world();
  expect((await testConnection(ctx, { connectionId: connection.id })).test).toEqual({ ok: true, problems: [] });
  expect((await client.models.list()).data.map(({ id }) => id)).toContain(MODEL);
  const theirs = await clientOf((await testProject()).ctx);
  await expect(theirs.chat.completions.create(ASKED)).rejects.toMatchObject({ status: 404 });
  expect(upstream.received).toEqual([]);
});
