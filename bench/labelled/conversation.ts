import type { ConversationSnapshot } from "@/server/services/diagnostics/types";
import { type LabelledInput, labelledConversation, snapshotFromLabelled } from "./read-labelled";

/** Returns a conversation with the given messages, for tests. */
export const conversationOf = (...messages: LabelledInput["messages"]): ConversationSnapshot =>
  snapshotFromLabelled(labelledConversation.parse({ id: "test", messages }));
export const user = (content: string) => ({ role: "user", content });
export const assistant = (content: string) => ({ role: "assistant", content });
/** Returns a tool call and its result. */
export const called = (name: string, args: unknown, result: string): LabelledInput["messages"] => [
  { role: "assistant", content: "", tool_calls: [{ name, arguments: JSON.stringify(args) }] },
  { role: "tool", name, content: result },
];
