import { createHash } from "node:crypto";

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Returns the words of a text in lower case; of scripts without spaces, the characters. */
export function likenessWords(text: string): string[] {
  const words = text.normalize("NFKC").toLowerCase().match(WORDS) ?? [];
  return words.flatMap((word) => (UNSPACED.test(word) ? [...word] : [word]));
}

/** Returns a function from words to their MinHash: so many integers below 2^32, the same in every process. */
export function minHasher(hashes: number): (words: Iterable<string>) => number[] {
  const functions = Array.from({ length: hashes }, (_, nth) => {
    const bytes = createHash("sha256").update(`minhash ${nth}`).digest();
    return { multiplier: bytes.readUInt32LE(0) | 1, summand: bytes.readUInt32LE(4) };
  });
  return (words) => {
    const minima = new Uint32Array(hashes).fill(0xffffffff);
    for (const word of words) {
      const hash = hashOf(word);
      for (let nth = 0; nth < hashes; nth++) {
        const { multiplier, summand } = functions[nth]!;
        const value = mixed((Math.imul(hash, multiplier) + summand) >>> 0);
        if (value < minima[nth]!) minima[nth] = value;
      }
    }
    return [...minima];
  };
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
