/** A deterministic random source: the same seed makes the same story. */
export type Dice = {
  /** From 0 to 1. */
  number: () => number;
  /** An integer, both limits included. */
  between: (low: number, high: number) => number;
  pick: <T>(from: readonly T[]) => T;
  chance: (share: number) => boolean;
};

/** Returns a random source (mulberry32) for a seed. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(number() * (high - low + 1));
  return {
    number,
    between,
    pick: (from) => from[Math.floor(number() * from.length)]!,
    chance: (share) => number() < share,
  };
}

/** Picks one of several, each with a probability in proportion to its share. */
export function pickByShare<T extends { share: number }>(dice: Dice, from: readonly T[]): T {
  let left = dice.number() * from.reduce((sum, { share }) => sum + share, 0);
  for (const one of from) {
    left -= one.share;
    if (left < 0) return one;
  }
  return from[0]!;
}
