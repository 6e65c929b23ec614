import { expect, test } from "vitest";
import { fisherTest } from "./fisher";

test("the p values are those of exact arithmetic", () => {
  const cases = [
    [[14, 14], [35, 386], 2.7603552414342638e-14],
    [[5, 5], [36, 400], 8.460225045123965e-6],
    [[3, 3], [40, 400], 0.0011397933816250086],
    [[8, 10], [1, 6], 0.03496503496503497],
    [[2, 7], [9, 50], 0.6102854428253108],
    [[0, 5], [0, 5], 1],
    [[1100, 2000], [5000, 10_000], 4.7323209870683394e-5],
  ] as const;
  for (const [[first, firstSize], [second, secondSize], p] of cases) {
    expect(fisherTest(firstSize, secondSize)(first, second) / p).toBeCloseTo(1, 7);
    expect(fisherTest(secondSize, firstSize)(second, first) / p).toBeCloseTo(1, 7);
  }
});
