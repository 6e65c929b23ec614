import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { clientsPythonPath } from "@/scripts/lib/testing/clients.mjs";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { deployCheckpoint } from "@/server/services/serving";
import { driving } from "@/server/services/serving/deployments/testing/drive";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { hasTrainerPython, startTinyModel } from "@/testbed/trainers/tiny-model";

/** A really running model, with random weights and Qwen's template, behind the gateway: agents change their base URL only. */

const MODEL = "shop-agent";
const CITIES = ["Ulm", "Bonn"] as const;
const ASKED = "What is the weather in Ulm?";
const WEATHER = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "Returns the weather of a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string", enum: [...CITIES] } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};
const weather = z.object({ city: z.enum(CITIES) });
const order = z.object({ item: z.enum(["jacket", "boots"]), paid: z.boolean() });

let trainer: ScriptedTrainer;
let model: Awaited<ReturnType<typeof startTinyModel>>;
let ctx: Ctx;
let baseURL: string;
let apiKey: string;

beforeAll(async () => {
  if (!hasTrainerPython()) return;
  [trainer, model] = await Promise.all([new ScriptedTrainer().start(), startTinyModel("qwen2_5", process.env)]);
  trainer.deployments.model = model;
  trainer.deployments.script = ["running"];
  await attachScripted(trainer);
  ({ ctx } = await testProject());
  const [row] = await attachedTrainers(ctx.db);
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { trainerId: row!.id, name: "Shop agent" }));
  await driving(ctx, async () => (await deployCheckpoint(ctx, { checkpointId })).deployment);
  const origin = await serve(createDispatcher(OPERATIONS));
  baseURL = `${origin}/v1/projects/${ctx.projectId}/deployments/${MODEL}/v1`;
  apiKey = await keyFor(ctx, "telemetry:write", "workspace:read");
});
afterAll(async () => {
  model?.stop();
  await trainer?.stop();
});

const openai = () => new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const REQUIRED = {
  model: MODEL,
  tools: [WEATHER],
  tool_choice: "required" as const,
  parallel_tool_calls: false,
  seed: 1,
};

async function conversationOf(id: string, calls: number) {
  // A call is recorded after its answer has been sent.
  const isRecorded = async () =>
    (await ctx.db.select().from(spans).where(eq(spans.projectId, ctx.projectId))).filter(
      ({ attributes }) => (attributes as Record<string, unknown>)["gen_ai.conversation.id"] === id,
    ).length;
  await expect.poll(isRecorded).toBe(calls);
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  const found = conversations.find(({ externalId }) => externalId === id);
  return (await getConversation(ctx, { conversationId: found!.id })).conversation;
}

test.runIf(hasTrainerPython())("OpenAI's client calls a tool, sends its result, and parses an object", async () => {
  const { chat } = openai();
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: ASKED }];
  const metadata = { conversation_id: "agent-1" };
  const { choices } = await chat.completions.create({ ...REQUIRED, messages, metadata });
  const [call] = choices[0]!.message.tool_calls!;
  if (call?.type !== "function") throw new Error("no function was called");
  expect([call.function.name, choices[0]!.finish_reason, choices[0]!.message.content]).toEqual([
    "get_weather",
    "tool_calls",
    null,
  ]);
  const { city } = weather.parse(JSON.parse(call.function.arguments));
  messages.push(choices[0]!.message, { role: "tool", tool_call_id: call.id, content: `Rain in ${city}` });
  const answered = await chat.completions.parse({
    model: MODEL,
    messages,
    metadata,
    seed: 1,
    response_format: zodResponseFormat(order, "order"),
  });
  const parsed = answered.choices[0]!.message.parsed!;
  expect(order.parse(parsed)).toEqual(parsed);

  const recorded = await conversationOf("agent-1", 2);
  expect(recorded.messages).toMatchObject([
    { role: "user", parts: [{ text: ASKED }] },
    { role: "assistant", toolCalls: [{ id: call.id, name: "get_weather", arguments: call.function.arguments }] },
    { role: "tool", toolCallId: call.id, parts: [{ text: `Rain in ${city}` }] },
    { role: "assistant", parts: [{ text: answered.choices[0]!.message.content }] },
  ]);
});

test.runIf(hasTrainerPython())("OpenAI's client joins a streamed call, which arrives in parts", async () => {
  const messages = [{ role: "user" as const, content: ASKED }];
  const stream = openai().chat.completions.stream({ ...REQUIRED, messages });
  let parts = 0;
  stream.on("chunk", ({ choices }) => {
    parts += choices[0]?.delta.tool_calls?.length ?? 0;
  });
  const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]!;
  const [call] = message.tool_calls!;
  expect(finish_reason).toBe("tool_calls");
  expect(weather.safeParse(JSON.parse(call!.type === "function" ? call!.function.arguments : "")).success).toBe(true);
  expect(parts).toBeGreaterThan(4);
});

test.runIf(hasTrainerPython())("the AI SDK runs an agent's steps, and generates an object", async () => {
  const provider = createOpenAICompatible({ name: "whetstone", baseURL, apiKey, supportsStructuredOutputs: true });
  const cities: string[] = [];
  const tools = {
    get_weather: tool({
      description: "Returns the weather of a city.",
      inputSchema: weather,
      execute: async ({ city }) => {
        cities.push(city);
        return `Rain in ${city}`;
      },
    }),
  };
  const providerOptions = { whetstone: { parallel_tool_calls: false } };
  const asked = { model: provider(MODEL), prompt: ASKED, maxRetries: 0, seed: 1, tools, providerOptions } as const;
  const { steps } = await generateText({ ...asked, toolChoice: "required", stopWhen: stepCountIs(2) });
  expect(steps).toHaveLength(2);
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "tool-calls"]);
  expect(cities).toHaveLength(2);
  const { output } = await generateText({
    model: provider(MODEL),
    prompt: ASKED,
    maxRetries: 0,
    seed: 1,
    output: Output.object({ schema: order }),
  });
  expect(order.parse(output)).toEqual(output);
  const streamed = streamText({ ...asked, toolChoice: { type: "tool", toolName: "get_weather" } });
  const [call] = await streamed.toolCalls;
  expect([call?.toolName, weather.safeParse(call?.input).success]).toEqual(["get_weather", true]);
});

test.runIf(hasTrainerPython() && existsSync(clientsPythonPath()))(
  "OpenAI's and LangChain's Python clients run an agent's steps, and parse an object",
  async () => {
    const script = "server/services/serving/deployments/testing/agent_clients.py";
    const env = { ...process.env, BASE_URL: baseURL, API_KEY: apiKey, MODEL };
    const { stdout } = await promisify(execFile)(clientsPythonPath(), [script], { env });
    const results = JSON.parse(stdout) as Record<string, { call: [string, unknown]; order: unknown }>;
    for (const client of ["openai", "langchain"]) {
      const found = results[client]!;
      expect(found).toMatchObject({ finish: ["tool_calls", "tool_calls"], streamed: true });
      expect([found.call[0], weather.safeParse(found.call[1]).success]).toEqual(["get_weather", true]);
      expect(order.safeParse(found.order).success).toBe(true);
    }
  },
);

test.runIf(hasTrainerPython())("what cannot be enforced is a 400 that names the field, streamed or not", async () => {
  const messages = [{ role: "user" as const, content: ASKED }];
  let deep: object = { type: "string" };
  for (let n = 0; n < 100; n += 1) deep = { type: "array", items: deep };
  const refused: [object, string][] = [
    [{ tool_choice: "required" }, "tool_choice"],
    [{ tools: [WEATHER], tool_choice: { type: "function", function: { name: "other" } } }, "tool_choice"],
    [{ response_format: { type: "json_schema", json_schema: { name: "x", schema: deep } } }, "response_format"],
    [
      {
        tools: [{ ...WEATHER, function: { ...WEATHER.function, parameters: { type: "nothing" } } }],
        tool_choice: "required",
      },
      "tools.0.function.parameters",
    ],
  ];
  for (const [changes, param] of refused) {
    for (const stream of [false, true]) {
      const asked = openai().chat.completions.create({ model: MODEL, messages, stream, ...changes });
      await expect(asked).rejects.toMatchObject({ status: 400, type: "invalid_request_error", param });
    }
  }
  const long = [{ role: "user" as const, content: "weather ".repeat(9_000) }];
  await expect(openai().chat.completions.create({ model: MODEL, messages: long })).rejects.toMatchObject({
    status: 400,
    code: "context_length_exceeded",
    param: "messages",
  });
});
