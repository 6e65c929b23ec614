import { hash } from "node:crypto";
import type { ChatPayload } from "./schemas";

/**
 * Returns the MD5 (hex) of the texts of a payload's messages and its answer, `undefined` where there are none. Every format of
 * an export keeps them, so that a row is known again that has lost weights, rejected answers and tools. Must match
 * `EXAMPLE_WORDS_HASH`: as Postgres writes a JSON array.
 */
export function wordsHashOf({ input, expectedOutput }: ChatPayload): string | undefined {
  const texts = [...input.messages, expectedOutput.message].flatMap(({ content }) => content || []);
  if (texts.length === 0) return undefined;
  return hash("md5", `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`);
}
