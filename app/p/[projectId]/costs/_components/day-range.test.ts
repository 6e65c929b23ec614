import { expect, test } from "vitest";
import { DAY_MS } from "@/server/platform/durations";
import { daysOf, isoDay, rangeOfDays } from "./day-range";

const NOW = Date.UTC(2026, 10, 20, 23, 59);
const days = (range: Parameters<typeof daysOf>[0]) => {
  const { from, to } = daysOf(range, NOW);
  return `${isoDay(from)} ${isoDay(to - 1)}`;
};

test("a preset range ends today and has the number of days in its name", () => {
  expect(days({ range: "7d", from: null, to: null })).toBe("2026-11-14 2026-11-20");
  expect(days({ range: "30d", from: 5, to: 6 })).toBe("2026-10-22 2026-11-20");
});

test("a custom range consists of whole days, at least one", () => {
  expect(days(rangeOfDays("2026-11-01", "2026-11-03"))).toBe("2026-11-01 2026-11-03");
  const noon = Date.UTC(2026, 10, 5, 12);
  expect(days({ range: "custom", from: noon, to: noon + DAY_MS })).toBe("2026-11-05 2026-11-06");
  expect(days({ range: "custom", from: noon, to: noon - 3 * DAY_MS })).toBe("2026-11-02 2026-11-02");
  expect(days({ range: "custom", from: null, to: noon })).toBe("2026-10-07 2026-11-05");
  expect(days({ range: "custom", from: noon, to: null })).toBe("2026-11-05 2026-11-20");
});

test("an out-of-range time in the address stays a valid time", () => {
  for (const [from, to] of [
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [-1e17, -1e17],
    [0, 0],
  ] as const) {
    const range = daysOf({ range: "custom", from, to }, NOW);
    expect(range.from).toBeGreaterThanOrEqual(0);
    expect(range.to).toBeGreaterThan(range.from);
    expect(() => isoDay(range.to)).not.toThrow();
  }
});
