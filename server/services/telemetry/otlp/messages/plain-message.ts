import type { Message, MessagePart, MessageToolCall } from "../../schemas";

/** A message without its origin. */
export type PlainMessage = Omit<Message, "spanId" | "agent" | "at">;

export function plainMessage(role: string, parts: MessagePart[] = []): PlainMessage {
  return { role, parts, toolCalls: [], toolCallId: null };
}

export const textPart = (text: string): MessagePart => ({ type: "text", text });

export const isEmpty = (message: PlainMessage): boolean => message.parts.length === 0 && message.toolCalls.length === 0;

/** Adds a tool call unless the message has it (clients repeat calls in parts and in `tool_calls`). */
export function addToolCall(message: PlainMessage, call: MessageToolCall): void {
  if (!hasCall(message.toolCalls, call)) message.toolCalls.push(call);
}

/** Whether a call is among others: by id, without ids by name and arguments. */
export const hasCall = (calls: readonly MessageToolCall[], call: MessageToolCall): boolean =>
  calls.some((other) => other.id === call.id && (call.id !== null || sameCall(other, call)));

const sameCall = (one: MessageToolCall, other: MessageToolCall) =>
  one.name === other.name && one.arguments === other.arguments;
