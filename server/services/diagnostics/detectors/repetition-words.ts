/** What a code unit is to a word. White space ends one, and what rulers and table borders are made of makes none alone. */
const LETTER = 0;
const SPACE = 1;
const RULER = 2;
/** Of Thai, Kana and Han, which are written without spaces: each letter is a word. */
const LETTER_WORD = 3;

/** By code unit: a look into a table for each is far quicker than a pattern that makes a string of every word. */
const KINDS = new Uint8Array(0x1_0000);
for (const character of "-^_=*.·•~#|+:─━═│┃┄┈╌…—–/\\<>0") KINDS[character.charCodeAt(0)] = RULER;
for (const character of "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") {
  KINDS[character.charCodeAt(0)] = SPACE;
}
KINDS.fill(SPACE, 0x2000, 0x200b);
for (const [first, last] of [
  [0x0e00, 0x0e7f],
  [0x3040, 0x30ff],
  [0x3400, 0x9fff],
] as const) {
  KINDS.fill(LETTER_WORD, first, last + 1);
}

/** Code units. A longer word is read as several. */
const WORD_MAXIMUM = 60;
/** Of FNV-1a. */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** Tells of every word of a text: where it stands, and a hash that is equal for equal words. */
export function eachWord(text: string, tell: (start: number, end: number, hash: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const start = at;
    const limit = Math.min(text.length, start + WORD_MAXIMUM);
    let hash = HASH_START;
    let isWord = false;
    for (; at < limit; at++) {
      const code = text.charCodeAt(at);
      const kind = KINDS[code]!;
      if (kind === SPACE || (kind === LETTER_WORD && at > start)) break;
      hash = Math.imul(hash ^ code, HASH_FACTOR);
      if (kind !== RULER) isWord = true;
      if (kind !== LETTER_WORD) continue;
      at++;
      break;
    }
    if (isWord) tell(start, at, hash);
    if (at === start) at++; // white space
  }
}

/** Whether a text is of white space, rulers, table borders, dotted lines and blanks to fill in. */
export function isRuler(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)]!;
    if (kind === LETTER || kind === LETTER_WORD) return false;
  }
  return true;
}

/** Times that three words in a row come in a text that goes round: five times a word, which is three times three of it. */
const RUN_REPEATS = 3;
/** Bits of a hash that choose a place to count in: with some hundred words, two rarely share one. */
const PLACE_BITS = 15;
const counts = new Uint8Array(1 << PLACE_BITS);

/**
 * Whether any three words in a row come `RUN_REPEATS` times: without that, nothing repeats. "No" is certain; "yes" may be a
 * clash of hashes, or speech.
 */
export function mayRepeat(text: string): boolean {
  counts.fill(0);
  let found = false;
  let before = 0;
  let last = 0;
  let words = 0;
  eachWord(text, (_start, _end, hash) => {
    words++;
    if (words > 2) {
      const run = Math.imul(before, 31) ^ Math.imul(last, 17) ^ hash;
      const place = Math.imul(run, 0x9e3779b1) >>> (32 - PLACE_BITS);
      if (counts[place]! < RUN_REPEATS && ++counts[place]! === RUN_REPEATS) found = true;
    }
    before = last;
    last = hash;
  });
  return found;
}
