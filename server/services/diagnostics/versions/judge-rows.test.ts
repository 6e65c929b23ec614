import { expect, test } from "vitest";
import { holm, judgeRows, type Measured } from "./judge-rows";
import { orderStatistic, ranksOf } from "./order-statistic";

/** A generator of numbers in [0, 1) that repeats. */
function random(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const share = (affected: number, conversations: number, day = 0) =>
  Array.from({ length: conversations }, (_, n) => ({ day, value: n < affected ? 1 : 0 }));
const errors = (baseline: Measured["baseline"], compared: Measured["compared"]): Measured => ({
  kind: "errors",
  finding: null,
  baseline,
  compared,
});
const cost = (baseline: Measured["baseline"], compared: Measured["compared"]): Measured => ({
  ...errors(baseline, compared),
  kind: "cost",
});

test("a share that clearly fell or rose has a verdict, and a small or uncertain difference has none", () => {
  const verdictOf = (row: Measured) => judgeRows([row])[0]!.verdict;
  expect(verdictOf(errors(share(56, 2800), share(0, 1200)))).toBe("better");
  expect(verdictOf(errors(share(0, 2800), share(14, 500)))).toBe("worse");
  expect(verdictOf(errors(share(10, 100), share(14, 100)))).toBe("none_shown");
  expect(verdictOf(errors(share(0, 9), share(9, 9)))).toBe("too_few");
  expect(verdictOf(errors([], share(3, 50)))).toBe("too_few");
  // Nothing to compare: neither has any.
  expect(verdictOf(errors(share(0, 100), share(0, 100)))).toBe("too_few");
});

test("the p of a row is corrected for the rows that are tested with it", () => {
  expect(holm([0.01, null, 0.04, 0.03])).toEqual([0.03, null, 0.06, 0.06]);
  const [alone] = judgeRows([errors(share(100, 1000), share(55, 1000))]);
  expect(alone!.verdict).toBe("better");
  const among = judgeRows([
    errors(share(100, 1000), share(55, 1000)),
    ...Array.from({ length: 100 }, () => errors(share(100, 1000), share(100, 1000))),
  ]);
  expect(among.map(({ verdict }) => verdict)).not.toContain("better");
});

test("while nothing differs, looking after every hundred conversations gives at most one verdict in twenty", () => {
  const next = random(7);
  let wrong = 0;
  const [trials, looks] = [200, 10];
  for (let trial = 0; trial < trials; trial++) {
    const draw = (count: number, day: number) =>
      Array.from({ length: count }, () => ({ day, value: next() < 0.1 ? 1 : 0 }));
    const baseline = draw(1000, 0);
    const compared: Measured["compared"][number][] = [];
    for (let look = 0; look < looks; look++) {
      compared.push(...draw(100, look));
      if (judgeRows([errors(baseline, compared)])[0]!.verdict !== "none_shown") {
        wrong += 1;
        break;
      }
    }
  }
  expect(wrong / trials).toBeLessThanOrEqual(0.05);
});

test("a rate that varies from day to day needs more than chance within one day", () => {
  const steady = Array.from({ length: 10 }, (_, day) => share(10, 100, day)).flat();
  const varying = Array.from({ length: 10 }, (_, day) => share(day % 2 === 0 ? 0 : 20, 100, day)).flat();
  expect(judgeRows([errors(steady, share(50, 1000))])[0]!.verdict).toBe("better");
  expect(judgeRows([errors(varying, share(50, 1000))])[0]!.verdict).toBe("none_shown");
});

test("a mean cost has limits and a verdict from thirty conversations on each side on", () => {
  const next = random(3);
  const costs = (count: number, mean: number) =>
    Array.from({ length: count }, (_, n) => ({ day: n % 5, value: mean * (0.5 + next()) }));
  const [row] = judgeRows([cost(costs(400, 0.02), costs(400, 0.03))]);
  expect(row).toMatchObject({ verdict: "worse", baseline: { conversations: 400 } });
  expect(row!.difference!.low).toBeGreaterThan(0);
  const [few] = judgeRows([cost(costs(29, 0.02), costs(400, 0.03))]);
  expect(few).toMatchObject({ verdict: "too_few", baseline: { estimate: { low: null } } });
  const slower = judgeRows([{ ...cost(costs(400, 2000), costs(400, 3000)), kind: "latency" }])[0]!;
  expect(slower.verdict).toBe("worse");
  expect(slower.difference!.value).toBeCloseTo(0.5, 1);
});

test("quantiles have the limits of order statistics", () => {
  expect(ranksOf(100, 0.5)).toEqual({ low: 40, high: 61 });
  expect(ranksOf(200, 0.95)).toEqual({ low: 184, high: 197 });
  expect(ranksOf(71, 0.95).high).toBeNull();
  expect(ranksOf(72, 0.95).high).toBe(72);
  expect(ranksOf(5000, 0.5)).toEqual({ low: 2431, high: 2570 });
  expect(orderStatistic([], 0.5)).toBeNull();
  expect(orderStatistic([1, 2, 3], 0.5)).toEqual({ value: 2, low: null, high: null });
});
