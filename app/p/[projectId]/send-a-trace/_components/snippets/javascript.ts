import { JAVASCRIPT_END, JAVASCRIPT_IMPORTS, JAVASCRIPT_PACKAGES, javascriptExporter, type Where } from "./set-up";

/** OpenAI's client, instrumented by OpenInference. */
export const openai = (where: Where) => `\
// npm install openai @arizeai/openinference-core @arizeai/openinference-instrumentation-openai
// npm install ${JAVASCRIPT_PACKAGES}
// Save as first-trace.mjs, then: OPENAI_API_KEY=... node first-trace.mjs
import { setSession, setUser } from "@arizeai/openinference-core";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { context } from "@opentelemetry/api";
${JAVASCRIPT_IMPORTS}
import OpenAI from "openai";

const instrumentation = new OpenAIInstrumentation();
${javascriptExporter(where, "[instrumentation]")}
instrumentation.manuallyInstrument(OpenAI);

// Calls with the same session are one conversation.
const session = setSession(context.active(), { sessionId: "first-conversation" });
const answer = await context.with(setUser(session, { userId: "ann" }), () =>
  new OpenAI().chat.completions.create({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Where is my order 1042?" }],
  }),
);
console.log(answer.choices[0].message.content);

${JAVASCRIPT_END}`;

/** The AI SDK from version 7 on, with its own telemetry. */
export const aiSdk = (where: Where) => `\
// npm install ai @ai-sdk/openai @ai-sdk/otel
// npm install ${JAVASCRIPT_PACKAGES}
// Save as first-trace.mjs, then: OPENAI_API_KEY=... node first-trace.mjs
import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
${JAVASCRIPT_IMPORTS}
import { generateText, registerTelemetry } from "ai";

${javascriptExporter(where)}
registerTelemetry(
  new OpenTelemetry({
    enrichSpan: ({ runtimeContext }) => ({
      "gen_ai.conversation.id": runtimeContext?.conversationId,
      "user.id": runtimeContext?.userId,
    }),
  }),
);

const { text } = await generateText({
  model: openai("gpt-4o-mini"),
  prompt: "Where is my order 1042?",
  // Calls with the same id are one conversation.
  runtimeContext: { conversationId: "first-conversation", userId: "ann" },
  telemetry: { includeRuntimeContext: { conversationId: true, userId: true } },
});
console.log(text);

${JAVASCRIPT_END}`;
