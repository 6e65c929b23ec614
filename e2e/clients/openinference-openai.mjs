// An application using OpenAI's own client, instrumented by OpenInference, with an OpenAI-compatible server on loopback.
import { createServer } from "node:http";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const server = createServer((request, reply) => {
  request.resume().on("end", () => {
    reply.setHeader("content-type", "application/json");
    reply.end(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1,
        model: "gpt-4o-mini-2024-07-18",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there." } }],
        usage: {
          prompt_tokens: 100,
          completion_tokens: 20,
          total_tokens: 120,
          prompt_tokens_details: { cached_tokens: 64 },
        },
      }),
    );
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const instrumentation = new OpenAIInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(OpenAI);

const client = new OpenAI({ apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}/v1` });
await client.chat.completions.create({
  model: "gpt-4o-mini",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
  ],
});
await sdk.shutdown();
server.close();
