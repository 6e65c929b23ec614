/** At and above this, a loop is a `match`: three identical steps in a row, nothing between them. */
export const LOOP_MATCH_SCORE = 0.6;
/** Chosen so that one repeat scores .42, two .67, three .81, five .94: two alike happen, three alike are a habit. */
const STEEPNESS = 0.55;
const MAXIMUM = 0.99;

/** 0..1 from a weighted number of repeats (a repeat that has an excuse weighs less than 1). */
export function loopScore(repeats: number): number {
  return Math.min(MAXIMUM, 1 - Math.exp(-STEEPNESS * repeats));
}

export const loopVerdict = (score: number) => (score >= LOOP_MATCH_SCORE ? ("match" as const) : ("ambiguous" as const));
