import { randomInt } from "node:crypto";
import { onTestFailed } from "vitest";

/** Returns a generator of numbers from 0 to 1 that its seed determines (mulberry32). */
export function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a generator for one test, with another seed in each run. A failed test prints its seed; TEST_SEED repeats it. */
export function newRandom() {
  const seed = Number(process.env.TEST_SEED || randomInt(2 ** 31));
  onTestFailed(() => console.error(`Its random numbers came from TEST_SEED=${seed}.`));
  return randomFrom(seed);
}
