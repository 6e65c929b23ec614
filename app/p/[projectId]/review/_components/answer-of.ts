import type { ChatAnswer } from "@/server/services/datasets/chat-payload/schemas";

/** Returns an answer as people read it: its text, and its tool calls a line each. */
export const textOfAnswer = ({ content, tool_calls }: ChatAnswer): string =>
  [
    ...(content ? [content] : []),
    ...(tool_calls ?? []).map(({ function: called }) => `${called.name}(${called.arguments})`),
  ].join("\n");
