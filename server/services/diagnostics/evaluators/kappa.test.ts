import { expect, test } from "vitest";
import { agreementOf, kappaOf } from "./kappa";

test.each([
  [
    { both: 20, onlyFirst: 5, onlySecond: 10, neither: 15 },
    { value: 0.4, low: 0.15109, high: 0.64891 },
  ],
  [
    { both: 8, onlyFirst: 12, onlySecond: 3, neither: 277 },
    { value: 0.4921, low: 0.27262, high: 0.71158 },
  ],
])("kappa and its interval are those of statsmodels: %o", (table, expected) => {
  const kappa = kappaOf(table)!;
  for (const part of ["value", "low", "high"] as const) expect(kappa[part]).toBeCloseTo(expected[part], 4);
});

test("judges who agree by chance have a kappa of 0, and complete agreement is 1", () => {
  expect(kappaOf({ both: 25, onlyFirst: 25, onlySecond: 25, neither: 25 })?.value).toBe(0);
  expect(kappaOf({ both: 3, onlyFirst: 0, onlySecond: 0, neither: 7 })).toEqual({ value: 1, low: 1, high: 1 });
});

test("there is no kappa where one of them always says the same, or without anything judged", () => {
  expect(kappaOf({ both: 0, onlyFirst: 0, onlySecond: 5, neither: 95 })).toBeNull();
  expect(kappaOf({ both: 5, onlyFirst: 95, onlySecond: 0, neither: 0 })).toBeNull();
  expect(kappaOf({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 })).toBeNull();
  expect(agreementOf({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 })).toBeNull();
});
