import { expect, test } from "vitest";
import { pairedDifference } from "./intervals";

const rounded = (pairs: Parameters<typeof pairedDifference>[0]) => {
  const { rate, low, high } = pairedDifference(pairs)!;
  return [rate, low, high].map((value) => Math.round(value * 10_000) / 10_000);
};

test("the limits of a paired difference match a published example", () => {
  // Complete responses after and before consolidation (Cavo et al., 2012); expected values from the R package
  // contingencytables.
  expect(rounded({ both: 59, onlyBefore: 16, onlyAfter: 6, neither: 80 })).toEqual([-0.0621, -0.1186, -0.0046]);
});

test("the interval is exact at the ends, and null without replays", () => {
  expect(rounded({ both: 0, onlyBefore: 10, onlyAfter: 0, neither: 0 })[0]).toBe(-1);
  expect(rounded({ both: 0, onlyBefore: 10, onlyAfter: 0, neither: 0 })[1]).toBe(-1);
  expect(rounded({ both: 5, onlyBefore: 0, onlyAfter: 0, neither: 5 })[0]).toBe(0);
  expect(pairedDifference({ both: 0, onlyBefore: 0, onlyAfter: 0, neither: 0 })).toBeNull();
});

test("the interval is narrower with more replays", () => {
  const [, , few] = rounded({ both: 2, onlyBefore: 8, onlyAfter: 0, neither: 0 });
  const [, , many] = rounded({ both: 20, onlyBefore: 80, onlyAfter: 0, neither: 0 });
  expect(many!).toBeLessThan(few!);
  expect(many!).toBeLessThan(0);
});
