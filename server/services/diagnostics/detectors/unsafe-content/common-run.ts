/** The letters of text and where blocks of them begin, for finding long pieces in common with other text. */
export type RunIndex = { text: string; letters: number; forms: Uint16Array; starts: ReadonlyMap<number, number> };
/** A piece of the other text, and how many letters it has in common. */
export type CommonRun = { start: number; end: number; letters: number };

/** A common piece of twice this length contains a whole block, wherever it begins. */
const BLOCK = 48;
const FACTOR = 31;
const POWER = (() => {
  let power = 1;
  for (let at = 0; at < BLOCK; at++) power = Math.imul(power, FACTOR);
  return power;
})();

/** By code unit: its lower case if it is a letter or digit, else 0: spaces, marks and case don't matter. */
const FORMS = Uint16Array.from({ length: 0x1_0000 }, (_, code) => {
  if (code >= 0xd800 && code <= 0xdfff) return 0;
  const character = String.fromCharCode(code);
  return /[\p{L}\p{N}]/u.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** Reused between calls: filling them costs less than allocating them. */
let forms = new Uint16Array(1 << 12);
let origins = new Uint32Array(1 << 12);

/** Writes the letters of a text and their positions to the shared arrays; returns their number. */
function readLetters(text: string): number {
  if (forms.length < text.length) {
    forms = new Uint16Array(2 * text.length);
    origins = new Uint32Array(2 * text.length);
  }
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const form = FORMS[text.charCodeAt(at)]!;
    if (form === 0) continue;
    forms[count] = form;
    origins[count++] = at;
  }
  return count;
}

/** Indexes text by the hash of each block. */
export function runIndex(text: string): RunIndex {
  const count = readLetters(text);
  const starts = new Map<number, number>();
  for (let start = 0; start + BLOCK <= count; start += BLOCK) {
    let hash = 0;
    for (let at = start; at < start + BLOCK; at++) hash = (Math.imul(hash, FACTOR) + forms[at]!) | 0;
    if (!starts.has(hash)) starts.set(hash, start);
  }
  return { text, letters: count, forms: forms.slice(0, count), starts };
}

/** Returns the longest piece that another text has in common with the indexed one; `null` if none has a whole block. */
export function longestCommonRun(index: RunIndex, text: string): CommonRun | null {
  const count = readLetters(text);
  let best: CommonRun | null = null;
  let hash = 0;
  for (let at = 0; at < count; at++) {
    hash = (Math.imul(hash, FACTOR) + forms[at]!) | 0;
    if (at >= BLOCK) hash = (hash - Math.imul(forms[at - BLOCK]!, POWER)) | 0;
    if (at < BLOCK - 1) continue;
    const known = index.starts.get(hash);
    if (known === undefined) continue;
    const [from, to] = extended(index.forms, known, forms.subarray(0, count), at - BLOCK + 1);
    if (to - from >= BLOCK && (!best || to - from > best.letters)) {
      best = { start: origins[from]!, end: origins[to - 1]! + 1, letters: to - from };
    }
    // Continues after the piece, with the hash recomputed.
    if (to > at + 1) {
      at = to - 1;
      hash = 0;
      const first = Math.max(0, to - BLOCK);
      for (let letter = first; letter < to; letter++) hash = (Math.imul(hash, FACTOR) + forms[letter]!) | 0;
    }
  }
  return best;
}

function extended(a: Uint16Array, atA: number, b: Uint16Array, atB: number): readonly [number, number] {
  let from = 0;
  while (from < atA && from < atB && a[atA - from - 1] === b[atB - from - 1]) from++;
  let length = 0;
  while (atA + length < a.length && atB + length < b.length && a[atA + length] === b[atB + length]) length++;
  return [atB - from, atB + length];
}
