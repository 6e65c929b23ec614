import type { Message, MessagePart, MessageToolCall } from "../../schemas";

/** A message without its origin. */
export type PlainMessage = Omit<Message, "spanId" | "at">;

export function plainMessage(role: string, parts: MessagePart[] = []): PlainMessage {
  return { role, parts, toolCalls: [], toolCallId: null };
}

export const textPart = (text: string): MessagePart => ({ type: "text", text });

export const isEmpty = (message: PlainMessage): boolean => message.parts.length === 0 && message.toolCalls.length === 0;

/** Adds a tool call unless the message has it (clients repeat calls in parts and in `tool_calls`). */
export function addToolCall(message: PlainMessage, call: MessageToolCall): void {
  const known = message.toolCalls.some(
    (other) => (call.id !== null && other.id === call.id) || (other.id === call.id && sameCall(other, call)),
  );
  if (!known) message.toolCalls.push(call);
}

const sameCall = (one: MessageToolCall, other: MessageToolCall) =>
  one.name === other.name && one.arguments === other.arguments;
