import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";

const CHARACTERS = 300;

type Message = Pick<ChatPayload["expectedOutput"]["message"], "content" | "tool_calls">;

const said = ({ content, tool_calls }: Message) =>
  (content?.trim() ? content : (tool_calls ?? []).map(({ function: { name } }) => `${name}()`).join(", ")).slice(
    0,
    CHARACTERS,
  );

/** Returns what identifies an Example to a reader: the user's last message, and the expected answer. */
export function previewOf({ input: { messages }, expectedOutput }: ChatPayload) {
  const question = messages.findLast(({ role }) => role === "user") ?? messages[0];
  return { question: question ? said({ content: question.content }) : "", answer: said(expectedOutput.message) };
}
