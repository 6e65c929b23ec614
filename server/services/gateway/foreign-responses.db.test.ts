import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import ts from "typescript";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createConnection } from "@/server/services/connections";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { ANTHROPIC_KEY, AnthropicServer } from "@/testbed/servers/anthropic-server";
import { GOOGLE_KEY, GoogleServer } from "@/testbed/servers/google-server";

/** OpenAI's Responses, answered by models whose API has nothing like them. */

type Responses = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">;

let anthropic: AnthropicServer;
let google: GoogleServer;
let origin: string;
beforeAll(async () => {
  [anthropic, google] = [await new AnthropicServer().start(), await new GoogleServer().start()];
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => Promise.all([anthropic.stop(), google.stop()]));
beforeEach(() => {
  anthropic.reset();
  google.reset();
});

const CLAUDE = "Claude/claude-sonnet-4-5";
const GEMINI = "Gemini/gemini-2.5-flash";
const WEATHER = {
  type: "function" as const,
  name: "get_weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  strict: null as never,
};

async function world() {
  const { ctx } = await testProject();
  const of = { kind: "model" as const };
  const claude = { ...of, name: "Claude", baseUrl: anthropic.url, secret: ANTHROPIC_KEY };
  await createConnection(ctx, { ...claude, settings: { dialect: "anthropic" } });
  const gemini = { ...of, name: "Gemini", baseUrl: google.url, secret: GOOGLE_KEY };
  await createConnection(ctx, { ...gemini, settings: { dialect: "google" } });
  const apiKey = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
  /** Asks as a whole or as a stream, with the events of the latter. */
  const ask = async (asked: Responses, isStreamed: boolean) => {
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    if (!isStreamed) return { response: await client.responses.create(asked), events };
    const stream = client.responses.stream(asked);
    stream.on("event", (event) => events.push(event as OpenAI.Responses.ResponseStreamEvent));
    return { response: await stream.finalResponse(), events };
  };
  return { ctx, client, ask };
}

const conversationsOf = async ({ ctx }: Awaited<ReturnType<typeof world>>, spanCount: number) => {
  const { db, projectId } = ctx;
  await expect.poll(() => db.$count(spans, eq(spans.projectId, projectId))).toBe(spanCount);
  while ((await projectPending(db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  return Promise.all(
    conversations.map(async ({ id }) => (await getConversation(ctx, { conversationId: id })).conversation),
  );
};

/** The fields that OpenAI's published types require of each interface with a `type` of its own, and of a response. */
function requiredFields(): Map<string, string[]> {
  const path = createRequire(import.meta.url).resolve("openai/resources/responses/responses");
  const text = readFileSync(path.replace(/\.m?js$/, ".d.ts"), "utf8");
  const required = new Map<string, string[]>();
  for (const node of ts.createSourceFile("responses.d.ts", text, ts.ScriptTarget.Latest, true).statements) {
    if (!ts.isInterfaceDeclaration(node)) continue;
    const members = node.members.filter(ts.isPropertySignature);
    const type = members.find(({ name }) => name.getText() === "type")?.type?.getText();
    const fields = members.filter(({ questionToken }) => !questionToken).map(({ name }) => name.getText());
    if (node.name.text === "Response") required.set("response", fields);
    else if (type && !/Input|Param/.test(node.name.text)) required.set(type.replaceAll("'", ""), fields);
  }
  return required;
}
const REQUIRED = requiredFields();
const OF_CLIENT: ReadonlySet<string> = new Set(["output_text"]);

/** Throws unless everything within has the fields that its type requires. */
function checkFields(given: unknown): void {
  if (Array.isArray(given)) {
    for (const one of given) checkFields(one);
    return;
  }
  if (typeof given !== "object" || given === null) return;
  const one = given as Record<string, unknown>;
  const name = one.object === "response" ? "response" : String(one.type);
  const missing = (REQUIRED.get(name) ?? []).filter((field) => !OF_CLIENT.has(field) && !(field in one));
  expect({ name, missing }).toEqual({ name, missing: [] });
  for (const [field, value] of Object.entries(one)) if (field !== "tools" && field !== "format") checkFields(value);
}

test.each([false, true])(
  "a call is translated both ways, and recorded and priced as Anthropic's (streamed: %s)",
  async (isStreamed) => {
    const all = await world();
    const { response, events } = await all.ask(
      {
        model: CLAUDE,
        instructions: "Be kind.",
        input: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: "Yes?" },
          { role: "user", content: [{ type: "input_text", text: "Say hello" }] },
        ],
        max_output_tokens: 500,
        temperature: 0.5,
        store: false,
        metadata: { conversation_id: "chat-1" },
      },
      isStreamed,
    );
    expect(response).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      object: "response",
      status: "completed",
      model: "claude-sonnet-4-5-20250929",
      output_text: "Sunny hello world",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny hello world" }] }],
      usage: {
        input_tokens: 1_300,
        input_tokens_details: { cached_tokens: 400 },
        output_tokens: 100,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 1_400,
      },
    });
    checkFields([response, events]);
    if (isStreamed) {
      expect(events.map(({ type }) => type)).toEqual([
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        ...Array(3).fill("response.output_text.delta"),
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]);
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    }
    const { stream: _, ...sent } = anthropic.received[0]!.body;
    expect(sent).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 500,
      temperature: 0.5,
      system: [{ type: "text", text: "Be kind." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
        { role: "user", content: [{ type: "text", text: "Say hello" }] },
      ],
    });
    const [conversation] = await conversationsOf(all, 1);
    expect(conversation).toMatchObject({
      externalId: "chat-1",
      usage: {
        input_tokens: 600,
        cache_read_input_tokens: 400,
        cache_creation_input_tokens: 100,
        cache_creation_1h_input_tokens: 200,
        output_tokens: 100,
      },
      costComplete: true,
      modelCalls: [{ provider: "anthropic", requestedModel: "claude-sonnet-4-5", status: "ok" }],
    });
    expect(conversation!.cost).toBeCloseTo((600 * 3 + 100 * 15 + 400 * 0.3 + 100 * 3.75 + 200 * 6) / 1e6, 9);
  },
);

test.each([
  [CLAUDE, false],
  [CLAUDE, true],
  [GEMINI, false],
  [GEMINI, true],
])(
  "a function is called and its result sent back, with thoughts that no client has: %s (streamed: %s)",
  async (model, isStreamed) => {
    const { ask } = await world();
    const isClaude = model === CLAUDE;
    const asked = {
      model,
      tools: [WEATHER],
      max_output_tokens: 4_000,
      ...(isClaude && { reasoning: { effort: "low" as const } }),
    };
    const question = [{ role: "user" as const, content: "Weather?" }];
    const { response, events } = await ask({ ...asked, input: question }, isStreamed);
    checkFields([response, events]);
    const call = response.output.find(
      (item) => item.type === "function_call",
    ) as OpenAI.Responses.ResponseFunctionToolCall;
    expect(call).toMatchObject({ name: "get_weather", status: "completed" });
    expect(JSON.parse(call.arguments)).toMatchObject({ city: "Ulm" });
    if (isClaude)
      expect(response.output[0]).toMatchObject({ type: "reasoning", summary: [{ text: "They want the weather." }] });
    if (isStreamed) {
      const types = events.map(({ type }) => type);
      expect(types).toContain("response.function_call_arguments.delta");
      expect(types.slice(-3)).toEqual([
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
      ]);
      if (isClaude) expect(types).toContain("response.reasoning_summary_text.delta");
    }
    const input = [
      ...question,
      ...response.output,
      { type: "function_call_output" as const, call_id: call.call_id, output: "Rain" },
    ];
    const last = await ask({ ...asked, input: input as OpenAI.Responses.ResponseInput }, isStreamed);
    expect(last.response.output_text).toBe("Sunny hello world");
    if (isClaude) {
      expect(anthropic.received.at(-1)!.body.messages).toMatchObject([
        { role: "user" },
        { role: "assistant", content: [{ type: "thinking" }, { type: "tool_use" }] },
        { role: "user", content: [{ type: "tool_result", content: "Rain" }] },
      ]);
    } else expect(google.received.at(-1)!.body.contents[1]!.parts[0]!.thoughtSignature).toMatch(/^c2ln/);
  },
);

test("images, schemas and choices are sent as the service takes them, and what it has not is named", async () => {
  const { client } = await world();
  anthropic.words = ['{"city"', ':"Ulm"}'];
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const image = {
    type: "input_image" as const,
    detail: "auto" as const,
    image_url: "data:image/png;base64,iVBORw0KGgo=",
  };
  const { data, response } = await client.responses
    .create({
      model: CLAUDE,
      input: [{ role: "user", content: [image, { type: "input_text", text: "Where?" }] }],
      text: { format: { type: "json_schema", name: "place", schema, strict: true }, verbosity: "low" },
      store: true,
      truncation: "disabled",
      prompt_cache_key: "key",
      temperature: 1.5,
    })
    .withResponse();
  expect(JSON.parse(data.output_text)).toEqual({ city: "Ulm" });
  expect(response.headers.get("x-whetstone-dropped")).toBe("prompt_cache_key, store, temperature, text.verbosity");
  expect(anthropic.received[0]!.body.messages[0]!.content).toMatchObject([{ type: "image" }, { type: "text" }]);
  const time = { ...WEATHER, name: "get_time" };
  const forced = { tools: [WEATHER, time], tool_choice: { type: "function" as const, name: "get_time" } };
  await client.responses.create({ model: CLAUDE, input: "Time?", ...forced, parallel_tool_calls: false });
  expect(anthropic.received[1]!.body.tool_choice).toEqual({
    type: "tool",
    name: "get_time",
    disable_parallel_tool_use: true,
  });
});

test.each([
  [{ previous_response_id: "resp_1" }, "previous_response_id", /stores no responses/],
  [{ conversation: "conv_1" }, "conversation", /stores no responses/],
  [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input.0", /store: false/],
  [{ background: true }, "background", /nothing like “background”/],
  [{ tools: [{ type: "web_search" }] }, "tools.0.type", /functions only/],
  [{ tool_choice: { type: "file_search" } }, "tool_choice", /file_search/],
  [{ input: [{ type: "web_search_call", id: "ws_1", status: "completed" }] }, "input.0.type", /web_search_call/],
  [{ input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] }, "input.0.content.0", /input_file/],
  [{ input: [{ type: "function_call_output", call_id: "x", output: "" }] }, "input", /No call of a tool/],
  [{ max_output_tokens: "many" }, "max_output_tokens", /./],
  [{ input: undefined }, "input", /./],
])("what cannot be translated is refused without a call: %j", async (more, field, message) => {
  const { client } = await world();
  for (const stream of [false, true]) {
    const asked = { model: CLAUDE, input: "Hi", stream, ...more } as unknown as Responses;
    await expect(client.responses.create(asked)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(message),
      param: field,
    });
  }
  expect(anthropic.received).toEqual([]);
});

test.each([false, true])("an answer that is cut off is incomplete (streamed: %s)", async (isStreamed) => {
  const { ask } = await world();
  anthropic.stopReason = "max_tokens";
  const { response, events } = await ask({ model: CLAUDE, input: "Hi" }, isStreamed);
  expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  if (isStreamed) expect(events.at(-1)!.type).toBe("response.incomplete");
});

test("a stream that fails ends as failed, and one that breaks off with an error", async () => {
  const all = await world();
  const { client } = all;
  const events = async () => {
    const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
    const stream = await client.responses.create({ model: CLAUDE, input: "Hi", stream: true });
    for await (const event of stream) seen.push(event);
    return seen;
  };
  anthropic.failsAtOnce = true;
  const failed = await events();
  checkFields(failed);
  expect(failed.at(-1)).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { code: "overloaded_error", message: "Overloaded" } },
  });
  anthropic.failsAtOnce = false;
  anthropic.breaksAfter = 1;
  await expect(events()).rejects.toThrow();
  for (const { modelCalls } of await conversationsOf(all, 2)) expect(modelCalls).toMatchObject([{ status: "error" }]);
});
