import { Decimal } from "decimal.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scaledPrices, toDecimalString, toDollars } from "./exact-decimal";

const units = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const scale = fc.integer({ min: 0, max: 22 });

test("units convert to the nearest double and to the exact decimal", () => {
  fc.assert(
    fc.property(units, scale, (n, s) => {
      const exact = new Decimal(n).div(new Decimal(10).pow(s)).toFixed();
      expect(toDecimalString(n, s)).toBe(exact);
      expect(toDollars(n, s)).toBe(Number(exact));
    }),
  );
});

test("prices are scaled to integers of one unit", () => {
  const scaled = scaledPrices(
    new Map([
      ["a", 2.5e-6],
      ["b", 0],
      ["c", 3.625e-9],
    ]),
  );
  expect(scaled).toEqual({
    scale: 12,
    units: new Map([
      ["a", 2_500_000],
      ["b", 0],
      ["c", 3_625],
    ]),
  });
});

test("prices with too many digits are not scaled", () => {
  expect(scaledPrices(new Map([["a", 1e-30]]))).toBeNull();
  expect(
    scaledPrices(
      new Map([
        ["a", 1e-22],
        ["b", 1e6],
      ]),
    ),
  ).toBeNull();
});
