import type { ChatMessage, ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { PlaceholderMask } from "@/server/services/diagnostics/masking";
import type { MaskingMode } from "../types";

/**
 * Masks personal data and secrets in an Example with numbered placeholders such as `<EMAIL_1>`, the same one for the same value
 * throughout the Example; or returns `null` if such an Example is held back. `masked` counts the masked occurrences.
 */
export function maskExample(payload: ChatPayload, mode: MaskingMode): { payload: ChatPayload; masked: number } | null {
  const mask = new PlaceholderMask();
  const { input, expectedOutput, rejectedOutput } = payload;
  const answer = <Output extends ChatPayload["expectedOutput"]>(output: Output): Output => ({
    ...output,
    message: maskedMessage(mask, output.message),
  });
  const masked: ChatPayload = {
    ...payload,
    input: { ...input, messages: input.messages.map((message) => maskedMessage(mask, message)) },
    expectedOutput: answer(expectedOutput),
    ...(rejectedOutput && { rejectedOutput: answer(rejectedOutput) }),
  };
  if (mask.count === 0) return { payload, masked: 0 };
  return mode === "hold_back" ? null : { payload: masked, masked: mask.count };
}

const maskedMessage = <One extends ChatMessage>(mask: PlaceholderMask, message: One): One => ({
  ...message,
  ...(typeof message.content === "string" && { content: mask.text(message.content) }),
  ...(message.role === "assistant" &&
    message.tool_calls && {
      tool_calls: message.tool_calls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: mask.json(call.function.arguments) },
      })),
    }),
});
