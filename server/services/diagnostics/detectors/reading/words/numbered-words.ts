/** Kinds of code units. White space ends a word; a word has at least one character besides those of rulers and tables. */
const LETTER = 0;
const RULER = 1;
const SPACE = 2;
/** Thai, Kana and Han are written without spaces, so each letter is a word. */
const LETTER_WORD = 3;

/** Kind by code unit: a table is much faster than patterns that allocate a string per word. */
const KINDS = new Uint8Array(0x1_0000).fill(LETTER);
for (const character of "-^_=*.·•~#|+:─━═│┃┄┈╌…—–/\\<>0") KINDS[character.charCodeAt(0)] = RULER;
for (const character of "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") {
  KINDS[character.charCodeAt(0)] = SPACE;
}
KINDS.fill(SPACE, 0x2000, 0x200b);
KINDS.fill(LETTER_WORD, 0x0e00, 0x0e80).fill(LETTER_WORD, 0x3040, 0x3100).fill(LETTER_WORD, 0x3400, 0xa000);

/** Code units. Longer words are split. */
const WORD_MAXIMUM = 60;
/** Parameters of FNV-1a. */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/**
 * The interned words of a text in order: word `n` is `[starts[n], ends[n])`, and `firsts[n]` is the index of the first equal
 * word, so that words are compared as numbers. `distinct` is the number of different words.
 */
export type NumberedWords = { starts: number[]; ends: number[]; firsts: number[]; distinct: number };

/** Open-addressing hash table of indexes of first words, plus one; 0 is free. Reused, because allocating one per text is slower. */
let table = new Int32Array(4096);

export function numberedWords(text: string): NumberedWords {
  const starts: number[] = [];
  const ends: number[] = [];
  const firsts: number[] = [];
  let distinct = 0;
  const mask = clearedTable(text.length);
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
    if (!isWord) {
      if (at === start) at++; // white space
      continue;
    }
    let place = (hash ^ (hash >>> 15)) & mask;
    let first = table[place]! - 1;
    while (first >= 0 && !isSame(text, starts[first]!, ends[first]!, start, at)) {
      place = (place + 1) & mask;
      first = table[place]! - 1;
    }
    if (first < 0) {
      first = starts.length;
      table[place] = first + 1;
      distinct++;
    }
    starts.push(start);
    ends.push(at);
    firsts.push(first);
  }
  return { starts, ends, firsts, distinct };
}

/** Clears enough of the table for twice the words of a text and returns the mask of slot indexes. */
function clearedTable(characters: number): number {
  let size = 64;
  while (size <= characters) size *= 2;
  if (size > table.length) table = new Int32Array(size);
  else table.fill(0, 0, size);
  return size - 1;
}

function isSame(text: string, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false;
  for (let at = start, other = otherStart; at < end; at++, other++) {
    if (text.charCodeAt(at) !== text.charCodeAt(other)) return false;
  }
  return true;
}

/** Returns whether text consists only of white space, rulers, table borders, dotted lines and blanks to fill in. */
export function isRuler(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)]!;
    if (kind !== SPACE && kind !== RULER) return false;
  }
  return true;
}
