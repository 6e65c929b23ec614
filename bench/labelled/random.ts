/** Returns a seeded generator of numbers in [0, 1) (mulberry32), so that generated sets are the same everywhere. */
export function randomStream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a random element of `items`. */
export const pick = <Item>(random: () => number, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!;

/** Returns a random integer from `from` to `to`, inclusive. */
export const between = (random: () => number, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));
