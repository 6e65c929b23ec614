import { isExactNumber, parseExactJson } from "@/server/platform/json/exact-json";
import type { ChatMessage, ChatPayload } from "./schemas";

/** A `tsvector` is limited to 1 MiB including positions; nobody searches for text this far in. */
const BYTES_MAX = 200_000;

/**
 * Returns the text by which people search for an Example: its answers and messages, and the tools that they call with the
 * arguments. At most 200 kB, which any text column can store.
 */
export function searchTextOf({ input, expectedOutput, rejectedOutput }: ChatPayload): string {
  const texts: string[] = [];
  // The answer comes first so that a long input does not push it out.
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
      yield* leavesOf(parseExactJson(called.arguments));
    }
  }
}

/** Yields the names and values of JSON in order. Uses no recursion: arguments may be nested too deep for the stack. */
function* leavesOf(root: unknown) {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) for (let index = value.length - 1; index >= 0; index--) pending.push(value[index]);
    else if (isExactNumber(value)) yield value.rawJSON;
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value).reverse()) pending.push(inner, key);
    } else if (typeof value === "string" || typeof value === "number") yield String(value);
  }
}

/** Cuts text to what fits. Decoded arguments may contain what Postgres cannot store: it becomes a space or U+FFFD. */
function storable(text: string) {
  const clean = text.replaceAll("\0", " ").toWellFormed();
  if (clean.length * 3 <= BYTES_MAX) return clean;
  // `read` counts only whole characters.
  return clean.slice(0, new TextEncoder().encodeInto(clean, new Uint8Array(BYTES_MAX)).read);
}
