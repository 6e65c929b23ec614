import { createHash } from "node:crypto";
import type { ChatPayload } from "../../chat-payload/schemas";

/** Numbers in a signature, and numbers per band. */
const HASHES = 64;
const BAND_ROWS = 4;
/** Words per shingle; characters for scripts without spaces. */
const SHINGLE = 3;
/** Limits the shingles read from one text. */
const SHINGLES_MAX = 20_000;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Odd multipliers and summands of the hash functions; deterministic, so that they are the same in every process. */
const FUNCTIONS = Array.from({ length: HASHES }, (_, nth) => {
  const bytes = createHash("sha256").update(`minhash ${nth}`).digest();
  return { multiplier: bytes.readUInt32LE(0) | 1, summand: bytes.readUInt32LE(4) };
});

/**
 * Returns the MinHash of an Example's words: 64 integers below 2^32. The share of equal integers in two signatures estimates
 * the share of common shingles.
 */
export function signatureOf(payload: ChatPayload): number[] {
  const minima = new Uint32Array(HASHES).fill(0xffffffff);
  for (const shingle of shinglesOf(wordsOf(payload))) {
    const hash = hashOf(shingle);
    for (let nth = 0; nth < HASHES; nth++) {
      const { multiplier, summand } = FUNCTIONS[nth]!;
      const value = mixed((Math.imul(hash, multiplier) + summand) >>> 0);
      if (value < minima[nth]!) minima[nth] = value;
    }
  }
  return [...minima];
}

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

/** Returns the estimated share of shingles that two Examples have in common, 0..1. */
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
  const words = [...said, content ?? "", ...called].join("\n").toLowerCase().match(WORDS) ?? [];
  return words.flatMap((word) => (UNSPACED.test(word) ? [...word] : [word]));
}

function* shinglesOf(words: readonly string[]): Generator<string> {
  const last = Math.min(SHINGLES_MAX, Math.max(1, words.length - SHINGLE + 1));
  for (let at = 0; at < last; at++) yield words.slice(at, at + SHINGLE).join(" ");
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The finalizer of MurmurHash3, because functions that only multiply and add are too similar. */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
