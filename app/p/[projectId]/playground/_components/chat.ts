import type { Message as StoredMessage } from "@/server/services/telemetry/schemas";

export type ChatMessage = {
  role: string;
  content: string | null;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};

const ROLES: Record<string, string> = { developer: "system", function: "tool" };

/** Returns a recorded conversation's messages in the form sent to a model. Content other than text is left out. */
export const messagesOf = (stored: readonly StoredMessage[]): ChatMessage[] =>
  stored.map(({ role, parts, toolCalls, toolCallId }) => {
    const text = parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
    const calls = toolCalls.map(({ id, name, arguments: given }, n) => ({
      id: id ?? `call_${n}`,
      type: "function" as const,
      function: { name, arguments: given },
    }));
    return {
      role: ROLES[role] ?? role,
      content: text === "" && calls.length > 0 ? null : text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...(toolCallId === null ? {} : { tool_call_id: toolCallId }),
    };
  });

export type Turn = { prompt: string | null; content: string };

/** Returns the messages to send to a model: the system prompt, the earlier messages, the thread so far and the new prompt. */
export function requestMessages(
  system: string,
  before: readonly ChatMessage[],
  thread: readonly Turn[],
  prompt: string | null,
): ChatMessage[] {
  const asked = (text: string | null): ChatMessage[] => (text === null ? [] : [{ role: "user", content: text }]);
  return [
    ...(system.trim() === "" ? [] : [{ role: "system", content: system.trim() }]),
    ...before.filter(({ role }) => system.trim() === "" || role !== "system"),
    ...thread.flatMap((turn) => [...asked(turn.prompt), { role: "assistant", content: turn.content }]),
    ...asked(prompt),
  ];
}
