/** Words compared, and words per run (4-grams). */
const WORDS_READ = 200;
const RUN_WORDS = 4;
/** Bits of the filter. With at most 200 runs per text, another text's run collides in about one of twenty cases. */
const PLACES = 4096;
const PLACE_SHIFT = 20;
/** Bits per number. */
const BITS = 32;
const SPACE = 0x20;
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** A hash filter over the word runs of a text, which distinguishes most texts without allocating a string per run. */
export type WordRuns = {
  text: string;
  places: readonly number[];
  taken: readonly number[];
  count: number;
  /** Computed lazily when the filter cannot rule out a match. */
  exact?: ReadonlySet<string>;
};

/** Builds the filter of a lower-case text on one line. */
export function wordRuns(text: string): WordRuns {
  const taken: number[] = new Array(PLACES / BITS).fill(0);
  const places: number[] = [];
  let words = 0;
  let first = 0;
  let second = 0;
  let third = 0;
  let hash = HASH_START;
  for (let at = 0; at <= text.length && words < WORDS_READ; at++) {
    const code = at < text.length ? text.charCodeAt(at) : SPACE;
    if (code !== SPACE) {
      hash = Math.imul(hash ^ code, HASH_FACTOR);
      continue;
    }
    words++;
    const run = Math.imul(Math.imul(Math.imul(first, 31) + second, 31) + third, 31) + hash;
    const place = Math.imul(run, 0x9e3779b1) >>> PLACE_SHIFT;
    if (words >= RUN_WORDS && !isTaken(taken, place)) {
      taken[place >>> 5]! |= 1 << (place & 31);
      places.push(place);
    }
    first = second;
    second = third;
    third = hash;
    hash = HASH_START;
  }
  return { text, places, taken, count: Math.max(0, words - RUN_WORDS + 1) };
}

/** Tests a bit. Allocating a byte array instead would dominate the cost. */
const isTaken = (taken: readonly number[], place: number) => (taken[place >>> 5]! & (1 << (place & 31))) !== 0;

/** Returns whether the Jaccard similarity of two texts' runs is at least `share`. */
export function shareRuns(a: WordRuns, b: WordRuns, share: number): boolean {
  return mayShare(a, b, share) && exactShare(a, b) >= share;
}

/** Tests the filters. False is certain: a bit that is unset in one text rules out all runs that map to it. */
function mayShare(a: WordRuns, b: WordRuns, share: number): boolean {
  const allowed = a.count * (1 - share);
  let missing = 0;
  for (const place of a.places) {
    if (isTaken(b.taken, place)) continue;
    missing++;
    if (missing > allowed) return false;
  }
  return true;
}

function exactShare(a: WordRuns, b: WordRuns): number {
  a.exact ??= runsIn(a.text);
  b.exact ??= runsIn(b.text);
  const [few, many] = [a.exact, b.exact];
  let common = 0;
  for (const run of few) if (many.has(run)) common++;
  return common / (few.size + many.size - common);
}

function runsIn(text: string): Set<string> {
  const runs = new Set<string>();
  const starts = [0];
  for (let at = text.indexOf(" "); starts.length <= WORDS_READ; at = text.indexOf(" ", at + 1)) {
    const end = at < 0 ? text.length : at;
    if (starts.length >= RUN_WORDS) runs.add(text.slice(starts.at(-RUN_WORDS), end));
    if (at < 0) break;
    starts.push(end + 1);
  }
  return runs;
}
