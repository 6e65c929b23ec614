import { expect, test } from "vitest";
import { hintFinder } from "./hint-finder";

test("finds the hints of all lists in any case, with the bits of their lists", () => {
  const hintsIn = hintFinder([["gnore ", "forget"], ["system"], ["指示", "forget"]], 10);
  expect(hintsIn("IGNORE the System.\nForget 以下の指示")).toEqual({ positions: [1, 11, 19, 29], bits: [1, 2, 5, 4] });
});

test("treats only white space and punctuation as blanks", () => {
  const hintsIn = hintFinder([[" ai "]], 10);
  expect(hintsIn("(AI) ai, said main\tAI\n").positions).toEqual([0, 4, 18]);
  expect(hintsIn("aid maintain").positions).toEqual([]);
});

test("stops at the maximum, and finds nothing in an empty text", () => {
  const hintsIn = hintFinder([["abcd"]], 2);
  expect(hintsIn("abcd abcd abcd").positions).toHaveLength(2);
  expect(hintsIn("").positions).toEqual([]);
});

test("finds hints wherever they are in a long text", () => {
  const hintsIn = hintFinder([["forget"], ["指示"]], 10);
  for (let before = 4090; before <= 4100; before++) {
    expect(hintsIn(`${"x".repeat(before)}forget指示`).positions).toEqual([before, before + 6]);
  }
});
