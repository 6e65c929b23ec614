// An application built on the Vercel AI SDK with its telemetry on; the model is the SDK's own test double.
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const sdk = new NodeSDK();
sdk.start();

const usage = (input, output) => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
});
const answers = [
  {
    content: [{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: '{"city":"Oslo"}' }],
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage: usage(40, 10),
    warnings: [],
  },
  {
    content: [{ type: "text", text: "It is raining in Oslo." }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: usage(60, 8),
    warnings: [],
  },
];
const model = new MockLanguageModelV3({
  provider: "openai.chat",
  modelId: "gpt-4o-mini",
  doGenerate: async () => answers.shift(),
});

await generateText({
  model,
  prompt: "What is the weather in Oslo?",
  tools: {
    weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `Rain in ${city}` }),
  },
  stopWhen: stepCountIs(3),
  experimental_telemetry: { isEnabled: true, metadata: { sessionId: "ai-sdk-session", userId: "bob" } },
});
await sdk.shutdown();
