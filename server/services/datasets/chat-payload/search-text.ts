import type { ChatMessage, ChatPayload } from "./schemas";

/** A `tsvector` holds at most 1 MiB with its positions; nobody searches for what stands this far in. */
const BYTES_MAX = 200_000;

/**
 * Returns the words by which people search for an Example: its answers and messages, the tools that they call and the
 * arguments. At most 200 kB, which any text column can hold.
 */
export function searchTextOf({ input, expectedOutput, rejectedOutput }: ChatPayload): string {
  const texts: string[] = [];
  // A long input should not push the answer out.
  const messages = [expectedOutput.message, ...input.messages, ...(rejectedOutput ? [rejectedOutput.message] : [])];
  let characters = 0;
  for (const text of textsOf(messages)) {
    texts.push(text);
    characters += text.length + 1;
    if (characters > BYTES_MAX) break;
  }
  return storable(texts.join("\n"));
}

function* textsOf(messages: readonly ChatMessage[]) {
  for (const message of messages) {
    if (message.content) yield message.content;
    if (message.role !== "assistant") continue;
    for (const { function: called } of message.tool_calls ?? []) {
      yield called.name;
      yield* leavesOf(JSON.parse(called.arguments));
    }
  }
}

/** Yields the names and values of JSON in their order. Arguments may be nested deeper than a stack. */
function* leavesOf(root: unknown) {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) for (let index = value.length - 1; index >= 0; index--) pending.push(value[index]);
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value).reverse()) pending.push(inner, key);
    } else if (typeof value === "string" || typeof value === "number") yield String(value);
  }
}

/** Cuts text to what fits. Decoded arguments may hold what Postgres cannot store: it becomes a space or U+FFFD. */
function storable(text: string) {
  const clean = text.replaceAll("\0", " ").toWellFormed();
  if (clean.length * 3 <= BYTES_MAX) return clean;
  // `read` counts only whole characters.
  return clean.slice(0, new TextEncoder().encodeInto(clean, new Uint8Array(BYTES_MAX)).read);
}
