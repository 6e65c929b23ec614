import type { ChatMessage, ChatPayload } from "./schemas";

/** The average for English and code with the usual tokenizers. */
const CHARACTERS_PER_TOKEN = 4;
/** Role and separators in the usual chat templates. */
const TOKENS_PER_MESSAGE = 4;

/**
 * Returns the approximate number of tokens that a model reads and writes for this Example: tools, input and expected answer.
 */
export function tokenEstimateOf({ input, expectedOutput }: ChatPayload): number {
  const messages: readonly ChatMessage[] = [...input.messages, expectedOutput.message];
  let characters = input.tools ? JSON.stringify(input.tools).length : 0;
  for (const message of messages) characters += charactersOf(message);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + messages.length * TOKENS_PER_MESSAGE;
}

function charactersOf(message: ChatMessage) {
  let characters = message.content?.length ?? 0;
  if (message.role !== "assistant") return characters;
  for (const { function: called } of message.tool_calls ?? [])
    characters += called.name.length + called.arguments.length;
  return characters;
}
