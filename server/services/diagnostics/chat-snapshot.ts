import type { Message, MessagePart, MessageToolCall } from "@/server/services/telemetry/schemas";
import { writeJson } from "./detectors/reading/comparable-json";
import type { ConversationSnapshot } from "./types";

type ToolCall = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  arguments?: unknown;
  function?: { name?: string | null | undefined; arguments?: unknown } | null | undefined;
};

/** A message in the format of chat APIs. A tool call may have its name and arguments under `function`. */
export type ChatMessage = {
  role: string;
  content?: string | readonly { type: string; text?: unknown }[] | null | undefined;
  name?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  tool_calls?: readonly ToolCall[] | null | undefined;
};

/** Returns a detector's input for messages without telemetry. */
export const chatSnapshot = (id: string, messages: readonly ChatMessage[]): ConversationSnapshot => ({
  id,
  userId: null,
  startedAt: 0,
  lastActivityAt: 0,
  messages: messages.map(messageOf),
  modelCalls: [],
  toolCalls: [],
});

const messageOf = (message: ChatMessage): Message => ({
  role: message.role,
  parts: partsOf(message),
  toolCalls: (message.tool_calls ?? []).map(toolCallOf),
  toolCallId: message.tool_call_id ?? null,
  agent: null,
  spanId: null,
  at: null,
});

function partsOf({ content, name }: ChatMessage): MessagePart[] {
  // A tool's name goes on the part, because a `Message` has no name.
  const named = name ? { name } : {};
  if (typeof content === "string") return content === "" && !name ? [] : [{ type: "text", text: content, ...named }];
  return (content ?? []).map(({ text, ...part }) => ({ ...part, ...(typeof text === "string" && { text }) }));
}

function toolCallOf({ id, name, arguments: given, function: called }: ToolCall): MessageToolCall {
  const args = given ?? called?.arguments ?? "";
  return {
    id: id ?? null,
    name: name ?? called?.name ?? "",
    arguments: typeof args === "string" ? args : (writeJson(args) ?? ""),
  };
}
