import { expect, test } from "vitest";
import { changeWords, factorOf } from "./change";

test.each([
  [1, "no change"],
  [1.12, "+12%"],
  [0.97, "−3%"],
  [3.5, "+250%"],
  [14.2, "×14"],
  [0, "−100%"],
])("a cost of %d times the previous one is shown as %s", (factor, words) => {
  expect(changeWords(factor)).toBe(words);
});

test("a change's factor is infinite for a new group, and undefined if either cost is unknown", () => {
  const sums = (cost: number | null, calls = 1) => ({ cost, calls });
  expect(factorOf(sums(3), sums(2))).toBe(1.5);
  expect(factorOf(sums(3), null)).toBe(Number.POSITIVE_INFINITY);
  expect(factorOf(sums(3), sums(null, 0))).toBe(Number.POSITIVE_INFINITY);
  for (const before of [undefined, "unlisted", sums(0), sums(null)] as const)
    expect(factorOf(sums(3), before)).toBeUndefined();
  expect(factorOf(sums(null), sums(2))).toBeUndefined();
});
