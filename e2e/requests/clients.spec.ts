import { newProject, type TestProject } from "../../testbed/data/project";
import { runClient } from "../../testbed/product/client";
import { expect, test } from "../support/test";

/** Real, unmodified clients: what they send must be readable over `/v1`. */

const conversationsOf = async (project: TestProject) =>
  (await project.read("conversations")).conversations as unknown as { id: string; externalId: string | null }[];

async function onlyConversation(project: TestProject) {
  await expect.poll(async () => (await conversationsOf(project)).length, { timeout: 60_000, intervals: [100] }).toBe(1);
  const [summary] = await conversationsOf(project);
  // biome-ignore lint/suspicious/noExplicitAny: the reply's shape is asserted field by field below
  return (await project.read(`conversations/${summary!.id}`)).conversation as any;
}

for (const protocol of ["http/json", "http/protobuf", "grpc"]) {
  for (const compression of ["none", "gzip"]) {
    test(`OpenTelemetry's SDK sends spans over ${protocol} with compression ${compression}`, async ({ baseURL }) => {
      const project = await newProject(baseURL!);
      await runClient("manual-spans", {
        ...project.otel,
        ...(protocol === "grpc" && { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${process.env.E2E_GRPC_PORT}` }),
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      });
      const conversation = await onlyConversation(project);
      expect(conversation).toMatchObject({
        externalId: "order-question",
        userId: "ann",
        models: ["gpt-4o-2024-08-06"],
        modelCallCount: 2,
        toolCallCount: 1,
        usage: { input_tokens: 280, output_tokens: 30 },
        // 280 × $2.50 and 30 × $10 per million.
        cost: 0.001,
      });
      expect(conversation.messages.map((message: { role: string }) => message.role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(conversation.toolCalls).toMatchObject([
        {
          name: "get_order",
          callId: "call_1",
          result: "Error: order 4821 not found",
          error: { message: "order 4821 not found" },
        },
      ]);
    });
  }
}

test("steps and tool calls of the Vercel AI SDK's telemetry are counted once", async ({ baseURL }) => {
  const project = await newProject(baseURL!);
  await runClient("ai-sdk", { ...project.otel, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" });
  const conversation = await onlyConversation(project);
  expect(conversation).toMatchObject({
    externalId: "ai-sdk-session",
    userId: "bob",
    modelCallCount: 2,
    usage: { input_tokens: 100, output_tokens: 18 },
  });
  expect(conversation.toolCalls).toMatchObject([{ name: "weather", callId: "call_1" }]);
  expect(conversation.messages.at(-1).parts).toMatchObject([{ type: "text", text: "It is raining in Oslo." }]);
  expect(conversation.modelCalls.map((call: { cost: { total: number } }) => call.cost.total)).toEqual([
    0.000012, 0.0000138,
  ]);
});

test("cached tokens of OpenInference's OpenAI instrumentation have their own bucket", async ({ baseURL }) => {
  const project = await newProject(baseURL!);
  await runClient("openinference-openai", { ...project.otel, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" });
  const conversation = await onlyConversation(project);
  expect(
    conversation.messages.map((message: { role: string; parts: { text: string }[] }) => [
      message.role,
      message.parts[0]!.text,
    ]),
  ).toEqual([
    ["system", "Be brief."],
    ["user", "Hello"],
    ["assistant", "Hello there."],
  ]);
  expect(conversation.modelCalls).toMatchObject([
    {
      responseModel: "gpt-4o-mini-2024-07-18",
      usage: { input_tokens: 36, cache_read_input_tokens: 64, output_tokens: 20 },
    },
  ]);
});
