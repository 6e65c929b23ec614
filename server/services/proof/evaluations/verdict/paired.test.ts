import { expect, test } from "vitest";
import {
  agreementOf,
  alphaOf,
  correctedMean,
  gainsNeeded,
  groupedDifference,
  mcnemar,
  nonInferiority,
  pairedDifference,
  rowsFor,
} from "./paired";

const rounded = (limits: { rate: number; low: number; high: number } | null) =>
  limits && [limits.rate, limits.low, limits.high].map((value) => Number(value.toFixed(4)) + 0);

test("the limits of a paired difference match reference values", () => {
  expect(rounded(pairedDifference({ lost: 16, gained: 6, n: 161 }))).toEqual([-0.0621, -0.124, -0.0054]);
  expect(rounded(pairedDifference({ lost: 0, gained: 6, n: 10 }))).toEqual([0.6, 0.1559, 0.8318]);
  expect(rounded(pairedDifference({ lost: 0, gained: 0, n: 30 }))).toEqual([0, -0.1135, 0.1135]);
  expect(pairedDifference({ lost: 0, gained: 0, n: 0 })).toBeNull();
});

test("a paired test proves nothing by four gains, and needs more beside losses", () => {
  expect(mcnemar({ lost: 0, gained: 4 })).toBeCloseTo(0.125);
  expect([0, 1, 2, 3, 4, 5].map((lost) => gainsNeeded(lost))).toEqual([6, 8, 10, 12, 13, 15]);
});

test("each variant tried on the same rows needs a clearer result", () => {
  expect([1, 2, 3, 4, 5].map((tries) => gainsNeeded(0, tries))).toEqual([6, 8, 9, 10, 10]);
  expect(alphaOf(2)).toBeCloseTo(0.0125);
});

test("rows that belong together say less than as many others", () => {
  const rows = (groups: number) =>
    Array.from({ length: 20 }, (_, n) => ({ gain: (n % 4 === 0 ? 0 : 1) as 0 | 1, group: n % groups }));
  const [alone, together] = [groupedDifference(rows(20))!, groupedDifference(rows(4))!];
  expect(rounded(alone)).toEqual(rounded(pairedDifference({ lost: 0, gained: 15, n: 20 })));
  expect(together.low).toBeLessThan(alone.low);
  expect(groupedDifference(rows(1))).toMatchObject({ low: -1, high: 1 });
});

test("the rows that show a model to be no worse match reference values", () => {
  const pairs = [
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 0],
    [3, 3],
  ] as const;
  expect(pairs.map(([lost, gained]) => rowsFor({ lost, gained }, 0.05))).toEqual([52, 87, 69, 118, 95]);
  expect(pairs.map(([lost, gained]) => rowsFor({ lost, gained }, 0.1))).toEqual([25, 42, 33, 58, 46]);
});

test("too few rows cannot show that a model is no worse, however equal its answers", () => {
  expect(nonInferiority({ lost: 0, gained: 0, n: 20 }, 0.05)).toMatchObject({ verdict: "not_enough", rowsNeeded: 52 });
  expect(nonInferiority({ lost: 0, gained: 0, n: 60 }, 0.05)).toMatchObject({ verdict: "no_worse" });
  expect(nonInferiority({ lost: 20, gained: 0, n: 60 }, 0.05)).toMatchObject({ verdict: "worse" });
});

test("agreement is not distorted by a lopsided share, as κ is", () => {
  const { share, ac1 } = agreementOf({ bothYes: 27, bothNo: 1, apart: 2 })!;
  expect([share, ac1].map((value) => Number(value.toFixed(3)))).toEqual([0.933, 0.924]);
});

test("a random part that people checked corrects what a judge says of all", () => {
  const judged = Array.from({ length: 100 }, (_, n) => Number(n < 80));
  const checked = Array.from({ length: 30 }, (_, n) => ({ judge: Number(n !== 4), person: Number(n > 3) }));
  const { rate, low, high } = correctedMean({ judged, checked })!;
  expect([rate, low, high].map((value) => Number(value.toFixed(3)))).toEqual([0.7, 0.536, 0.864]);
});
