import { createHash } from "node:crypto";
import { likenessWords, minHasher } from "@/server/services/datasets";
import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";

/** Numbers in a signature, and numbers per band. */
const HASHES = 64;
const BAND_ROWS = 4;
/** Limits the words read from one text. */
const WORDS_MAX = 20_000;

const minHash = minHasher(HASHES);

/**
 * Returns the MinHash of an Example's words: 64 integers below 2^32. The share of equal integers in two signatures estimates
 * the share of common words. Single words, because of two texts that differ in one word of eight less than half of the sequences
 * of three words are the same.
 */
export const signatureOf = (payload: ChatPayload): number[] => minHash(new Set(wordsOf(payload).slice(0, WORDS_MAX)));

/** Returns the keys of a signature's bands. Two similar signatures almost certainly share at least one. */
export function bandsOf(signature: readonly number[]): string[] {
  return Array.from({ length: HASHES / BAND_ROWS }, (_, band) => {
    const rows = signature.slice(band * BAND_ROWS, (band + 1) * BAND_ROWS);
    return createHash("sha256")
      .update(`${band}:${rows.join(",")}`)
      .digest("base64url")
      .slice(0, 16);
  });
}

/** Returns the estimated share of words that two Examples have in common, 0..1. */
export function similarity(a: readonly number[], b: readonly number[]): number {
  let same = 0;
  for (let nth = 0; nth < HASHES; nth++) if (a[nth] === b[nth]) same++;
  return same / HASHES;
}

/**
 * Returns the words of the user and the assistant. Instructions are the same in all Examples of a product, and results are
 * long.
 */
function wordsOf({ input, expectedOutput }: ChatPayload): string[] {
  const said = input.messages.flatMap(({ role, content }) =>
    role === "user" || role === "assistant" ? [content ?? ""] : [],
  );
  const { content, tool_calls: calls = [] } = expectedOutput.message;
  const called = calls.map(({ function: { name, arguments: args } }) => `${name} ${args}`);
  return likenessWords([...said, content ?? "", ...called].join("\n"));
}
