import type { ChatPayload } from "./schemas";

type Call = { id: string; type: "function"; function: { name: string; arguments: string } };

export const call = (id: string, name = "get_order", args: unknown = { orderId: "4711" }): Call => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

/** A payload with every possible field. */
export const fullPayload = (): ChatPayload => ({
  input: {
    type: "chat",
    messages: [
      { role: "system", content: "You help customers." },
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Where are orders 4711 and 4712?", name: "ada" },
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "b", content: '{"state":"lost"}', name: "get_order" },
      { role: "tool", tool_call_id: "a", content: "" },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "get_order",
          description: "Reads an order.",
          parameters: { type: "object", properties: { orderId: { type: "string" } } },
          strict: true,
        },
      },
    ],
  },
  expectedOutput: {
    type: "chat_message",
    message: { role: "assistant", content: "4712 is lost.", tool_calls: [call("c")] },
    weight: 0.5,
  },
  rejectedOutput: { type: "chat_message", message: { role: "assistant", content: "No idea." } },
});

export const smallPayload = (question = "Where is order 4711?", answer = "It arrives tomorrow."): ChatPayload => ({
  input: { type: "chat", messages: [{ role: "user", content: question }] },
  expectedOutput: { type: "chat_message", message: { role: "assistant", content: answer } },
});
