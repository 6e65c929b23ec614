import { expect, test } from "vitest";
import { monthOf, projectMonth } from "./project-month";

/** A Thursday; 12 days are left, with itself. */
const TODAY = Date.UTC(2026, 10, 19);

test("a month ends where the next one begins, in leap years and in December", () => {
  expect(monthOf(Date.UTC(2028, 1, 29, 12))).toEqual({ from: Date.UTC(2028, 1, 1), to: Date.UTC(2028, 2, 1) });
  expect(monthOf(Date.UTC(2026, 11, 31, 23))).toEqual({ from: Date.UTC(2026, 11, 1), to: Date.UTC(2027, 0, 1) });
});

test("each day left costs the mean of its weekday", () => {
  // Weekends cost 1, other days 10: of the days from Thursday the 19th to Monday the 30th, 8 are no weekend.
  const costOf = (day: number) => (day % 7 === 2 || day % 7 === 3 ? 1 : 10);
  const past = Array.from({ length: 28 }, (_, n) => costOf(n));
  expect(projectMonth({ before: 100, today: 4, past }, TODAY)).toEqual({ cost: 184, low: 184, high: 184 });
  // Today has already cost more than usual.
  expect(projectMonth({ before: 100, today: 30, past }, TODAY)).toMatchObject({ cost: 204 });
});

test("days that scatter widen the limits, which never go below what is spent", () => {
  const past = Array.from({ length: 28 }, (_, n) => (n % 14 < 7 ? 5 : 15));
  const month = projectMonth({ before: 100, today: 10, past }, TODAY);
  // Variance 28 · 5² ÷ 21, over 12 days.
  expect(month?.cost).toBeCloseTo(220);
  expect(month?.high).toBeCloseTo(220 + 1.959964 * Math.sqrt(((28 * 25) / 21) * 12));
  const last = projectMonth({ before: 100, today: 10, past: past.map((cost) => cost * 100) }, Date.UTC(2026, 10, 30));
  expect(last?.low).toBe(110);
});

test("fewer than 14 days project nothing", () => {
  expect(projectMonth({ before: 1, today: 1, past: Array.from({ length: 13 }, () => 1) }, TODAY)).toBeNull();
});
