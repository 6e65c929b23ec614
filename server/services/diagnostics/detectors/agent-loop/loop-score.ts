/** A loop is a `match` from this score on, which three consecutive identical steps reach. */
export const LOOP_MATCH_SCORE = 0.6;
/** Chosen so that one repeat scores .42, two .67, three .81, five .94: two identical steps are common, three are not. */
const STEEPNESS = 0.55;
const MAXIMUM = 0.99;

/** Returns a score of 0..1 for a weighted number of repeats (a repeat with an explanation weighs less than 1). */
export function loopScore(repeats: number): number {
  return Math.min(MAXIMUM, 1 - Math.exp(-STEEPNESS * repeats));
}

export const loopVerdict = (score: number) => (score >= LOOP_MATCH_SCORE ? ("match" as const) : ("ambiguous" as const));
