import type { ChatAnswer } from "@/server/services/datasets/chat-payload/schemas";

/** Returns an answer in readable form: its text, and its tool calls, one per line. */
export const textOfAnswer = ({ content, tool_calls }: ChatAnswer): string =>
  [
    ...(content ? [content] : []),
    ...(tool_calls ?? []).map(({ function: called }) => `${called.name}(${called.arguments})`),
  ].join("\n");
