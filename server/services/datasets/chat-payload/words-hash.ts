import { hash } from "node:crypto";
import type { ChatPayload } from "./schemas";

/**
 * Returns the MD5 (hex) of the texts of a payload's messages and its answer; `undefined` if there are none. Every export format
 * keeps these texts, so a row that has lost its weights, rejected answers or tools is still recognized. Must match
 * `EXAMPLE_WORDS_HASH`, hence Postgres's format of a JSON array.
 */
export function wordsHashOf({ input, expectedOutput }: ChatPayload): string | undefined {
  const texts = [...input.messages, expectedOutput.message].flatMap(({ content }) => content || []);
  if (texts.length === 0) return undefined;
  return hash("md5", `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`);
}
