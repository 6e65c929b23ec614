import type { Answer } from "../calls/fold-answer";

/** A lower bound: no tokenizer produces more tokens from ordinary text. */
const BYTES_PER_TOKEN_MIN = 2;
const BYTES_PER_TOKEN = 4;
/** Images, sounds and files within the text of a request; nothing else has so many of these characters in a row. */
const ENCODED = /[A-Za-z0-9+/_-]{1000,}={0,2}/g;
/** Models count a picture's size, and a sound's length, not their bytes: this is more than any of them does. */
const BYTES_PER_ENCODED_TOKEN = 50;
const ENCODED_TOKENS_MIN = 3_000;

/** Returns the bytes of text in a request, and the most tokens of what is encoded in it. */
function measured(bytes: Buffer) {
  let [text, encodedTokens] = [bytes.length, 0];
  for (const [found] of bytes.toString("latin1").matchAll(ENCODED)) {
    text -= found.length;
    encodedTokens += Math.max(ENCODED_TOKENS_MIN, Math.ceil(found.length / BYTES_PER_ENCODED_TOKEN));
  }
  return { text, encodedTokens };
}

/** Returns the most tokens that a request may have. */
export function mostTokens(bytes: Buffer): number {
  const { text, encodedTokens } = measured(bytes);
  return Math.ceil(text / BYTES_PER_TOKEN_MIN) + encodedTokens;
}

/** Returns how many tokens a request probably has. */
export function estimatedTokens(bytes: Buffer): number {
  const { text, encodedTokens } = measured(bytes);
  return Math.ceil(text / BYTES_PER_TOKEN) + encodedTokens;
}

/** Returns how many tokens an answer probably has, as far as it has arrived. */
export function tokensOf({ content, reasoning, toolCalls }: Answer): number {
  const calls = toolCalls.map(({ name, arguments: given }) => name + given).join("");
  return Math.ceil(Buffer.byteLength(content + reasoning + calls) / BYTES_PER_TOKEN);
}
