import { expect, test } from "vitest";
import { changeWords } from "./change";

test.each([
  [1, "no change"],
  [1.12, "+12%"],
  [0.97, "−3%"],
  [3.5, "+250%"],
  [14.2, "×14"],
  [0, "−100%"],
])("a cost that is %d times that of before: %s", (factor, words) => {
  expect(changeWords(factor)).toBe(words);
});
