// An application that creates its spans manually with OpenTelemetry's own SDK.
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK();
sdk.start();
const tracer = trace.getTracer("shop");

const text = (role, content) => ({ role, parts: [{ type: "text", content }] });
const asksForOrder = {
  role: "assistant",
  parts: [{ type: "tool_call", id: "call_1", name: "get_order", arguments: { order_id: "4821" } }],
};
const chat = (input, output, usage) =>
  tracer.startActiveSpan("chat gpt-4o", (span) => {
    span.setAttributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.model": "gpt-4o-2024-08-06",
      "gen_ai.input.messages": JSON.stringify(input),
      "gen_ai.output.messages": JSON.stringify([output]),
      "gen_ai.usage.input_tokens": usage[0],
      "gen_ai.usage.output_tokens": usage[1],
    });
    span.end();
  });

tracer.startActiveSpan("support agent", (root) => {
  root.setAttributes({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": process.env.CONVERSATION_ID ?? "order-question",
    "user.id": "ann",
    "shop.country": "NO",
  });
  const question = text("user", "Where is my order 4821?");
  chat([question], asksForOrder, [120, 18]);
  tracer.startActiveSpan("execute_tool get_order", (span) => {
    span.setAttributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.id": "call_1",
      "gen_ai.tool.call.arguments": '{"order_id":"4821"}',
    });
    span.setAttribute("gen_ai.tool.call.result", "Error: order 4821 not found");
    span.setStatus({ code: SpanStatusCode.ERROR, message: "order 4821 not found" });
    span.end();
  });
  const result = {
    role: "tool",
    parts: [{ type: "tool_call_response", id: "call_1", response: "Error: order 4821 not found" }],
  };
  chat([question, asksForOrder, result], text("assistant", "I cannot find that order."), [160, 12]);
  root.end();
});
await sdk.shutdown();
