import { expect, test } from "vitest";
import { suggestedBudget } from "./budgets";

test("a suggested budget is round and above every day with a known cost", () => {
  expect(suggestedBudget({ totals: [3, 13.2, null] })).toBe(20);
  expect(suggestedBudget({ totals: [0.0031] })).toBe(0.005);
  expect(suggestedBudget({ totals: [140] })).toBe(500);
  expect(suggestedBudget({ totals: [null, 0] })).toBeUndefined();
});
