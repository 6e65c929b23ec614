/** One reading of a text: which end, how many characters of it, and the lengths of the n-grams taken (inclusive). */
export type FeatureView = {
  from: "start" | "end";
  characters: number;
  words: readonly [number, number] | null;
  letters: readonly [number, number] | null;
};

/** `bits` is the size of the weight table, as a power of two. `length` adds a feature for the text's order of magnitude. */
export type FeatureSettings = { bits: number; length: boolean; views: readonly FeatureView[] };

/**
 * The distinct features of a text in groups, one per kind of n-gram and view: group `g` is `indices[ends[g - 1] ?? 0, ends[g])`.
 * `indices` is shared and valid until the next call.
 */
export type TextFeatures = { indices: Uint32Array; ends: readonly number[] };

const SPACE = 0;
const MARK = 1;
const WORD = 2;
/** Thai, Kana and Han are written without spaces, so each letter is a word. */
const LETTER_WORD = 3;

/** By code unit: its kind, and its form with case, width, kinds of quotes and values of digits removed. */
const KINDS = new Uint8Array(0x1_0000).fill(MARK);
const FORMS = Uint16Array.from({ length: 0x1_0000 }, (_, code) => code);
const CASED = [
  [0x00, 0x2e80],
  [0xa640, 0xabc0],
] as const;
const BLANK = 0x20;
for (const [from, to] of CASED) {
  for (let code = from; code < to; code++) {
    const character = String.fromCharCode(code);
    FORMS[code] = character.toLowerCase().charCodeAt(0);
    if (/[\p{L}\p{M}\p{N}_]/u.test(character)) KINDS[code] = WORD;
    else if (/[\s\p{C}]/u.test(character)) KINDS[code] = SPACE;
  }
}
KINDS.fill(WORD, 0xac00, 0xd7a4);
KINDS.fill(LETTER_WORD, 0x0e00, 0x0e80).fill(LETTER_WORD, 0x3040, 0x3100).fill(LETTER_WORD, 0x3400, 0xa000);
for (const code of [0x3000, 0xfeff]) KINDS[code] = SPACE;
for (let code = 0xff01; code <= 0xff5e; code++) {
  FORMS[code] = FORMS[code - 0xfee0]!;
  KINDS[code] = KINDS[code - 0xfee0]!;
}
const APOSTROPHE = 0x27;
KINDS[APOSTROPHE] = WORD;
for (const quote of "‘’ʼ`´") {
  FORMS[quote.charCodeAt(0)] = APOSTROPHE;
  KINDS[quote.charCodeAt(0)] = WORD;
}
for (const quote of "“”„«»") FORMS[quote.charCodeAt(0)] = 0x22;
for (const digit of "123456789") FORMS[digit.charCodeAt(0)] = 0x30;

const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;
const MIX = 0x85ebca6b;
const GROUP_FACTOR = 0x9e3779b1;

/** Reused between calls, because allocating them costs more than filling them. */
let codes = new Uint16Array(1 << 12);
let words = new Int32Array(1 << 12);
let indices = new Uint32Array(1 << 14);
const lengths = new Int32Array(1);
const seenBySize = new Map<number, { stamps: Uint16Array; stamp: number }>();

/** Reads the features of text: hashes of word and letter n-grams, each once per group. */
export function readFeatures(text: string, { bits, length, views }: FeatureSettings): TextFeatures {
  const ends: number[] = [];
  let count = 0;
  for (const view of views) {
    const { characters, tokens } = normalise(
      view.from === "start" ? text.slice(0, view.characters) : text.slice(-view.characters),
    );
    for (const [grams, units, size] of [
      [view.words, words, tokens],
      [view.letters, codes, characters],
    ] as const) {
      if (!grams) continue;
      count = readGrams(units, size, grams, bits, ends.length, count);
      ends.push(count);
    }
  }
  if (length) {
    lengths[0] = Math.ceil(2 * Math.log2(text.length + 1));
    ends.push(readGrams(lengths, 1, [1, 1], bits, ends.length, count));
  }
  return { indices, ends };
}

/** Appends the distinct features of one group to `indices` and returns the new number of features in it. */
function readGrams(
  units: Uint16Array | Int32Array,
  size: number,
  [least, most]: readonly [number, number],
  bits: number,
  group: number,
  from: number,
): number {
  makeRoom(from + size * (most - least + 1));
  const { stamps, stamp } = nextStamp(bits);
  const shift = 32 - bits;
  const start = (HASH_START ^ Math.imul(group + 1, GROUP_FACTOR)) | 0;
  const places = indices;
  let count = from;
  for (let at = 0; at < size; at++) {
    let hash = start;
    const stop = Math.min(size, at + most);
    for (let next = at; next < stop; next++) {
      hash = Math.imul(hash ^ units[next]!, HASH_FACTOR);
      hash ^= hash >>> 13;
      if (next - at + 1 < least) continue;
      const index = Math.imul(hash ^ (hash >>> 15), MIX) >>> shift;
      if (stamps[index] === stamp) continue;
      stamps[index] = stamp;
      places[count++] = index;
    }
  }
  return count;
}

/** Fills `codes` with the normalised characters, with one space around words, and `words` with the hashes of its words. */
function normalise(text: string): { characters: number; tokens: number } {
  if (codes.length < text.length + 2) {
    codes = new Uint16Array((text.length + 2) * 2);
    words = new Int32Array((text.length + 2) * 2);
  }
  let characters = 0;
  let tokens = 0;
  let inWord = false;
  let hash = 0;
  codes[characters++] = BLANK;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = KINDS[code]!;
    const form = FORMS[code]!;
    if (kind === WORD) {
      hash = Math.imul((inWord ? hash : HASH_START) ^ form, HASH_FACTOR);
      inWord = true;
      codes[characters++] = form;
      continue;
    }
    if (inWord) words[tokens++] = hash;
    inWord = false;
    if (kind !== SPACE) {
      codes[characters++] = form;
      words[tokens++] = Math.imul(HASH_START ^ form, HASH_FACTOR);
    } else if (codes[characters - 1] !== BLANK) codes[characters++] = BLANK;
  }
  if (inWord) words[tokens++] = hash;
  if (codes[characters - 1] !== BLANK) codes[characters++] = BLANK;
  return { characters: characters > 1 ? characters : 0, tokens };
}

function makeRoom(size: number): void {
  if (size <= indices.length) return;
  const larger = new Uint32Array(size * 2);
  larger.set(indices);
  indices = larger;
}

const STAMP_MAXIMUM = 0xffff;

/** Returns the table of features seen, and a stamp that does not occur in it. */
function nextStamp(bits: number): { stamps: Uint16Array; stamp: number } {
  let seen = seenBySize.get(bits);
  if (!seen) {
    seen = { stamps: new Uint16Array(1 << bits), stamp: 0 };
    seenBySize.set(bits, seen);
  }
  if (seen.stamp === STAMP_MAXIMUM) {
    seen.stamps.fill(0);
    seen.stamp = 0;
  }
  seen.stamp++;
  return seen;
}
