import type { ChatRole } from "@/server/services/datasets/chat-payload/schemas";
import { emptyMessage, type MessageForm } from "./payload-form";

export const ROLE_WORDS: Record<ChatRole, string> = {
  user: "User",
  assistant: "Assistant",
  tool: "Tool result",
  system: "System",
  developer: "Developer",
};

/** Returns the ids of the calls that a tool message at `index` may be the result of. */
export function callIdsBefore(messages: readonly MessageForm[], index: number): string[] {
  const caller = messages.slice(0, index).findLast(({ role }) => role !== "tool");
  return caller?.calls.map(({ id }) => id).filter(Boolean) ?? [];
}

/** Returns an empty message to append; a tool's is the result of the first call without one. */
export function nextMessage(messages: readonly MessageForm[], role: ChatRole): MessageForm {
  const message = emptyMessage(role);
  if (role !== "tool") return message;
  const last = messages.findLastIndex((one) => one.role !== "tool");
  const answered = messages.slice(last + 1).map(({ toolCallId }) => toolCallId);
  const open = callIdsBefore(messages, messages.length).find((id) => !answered.includes(id));
  return { ...message, toolCallId: open ?? "" };
}
