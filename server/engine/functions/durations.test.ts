import { expect, test } from "vitest";
import { backoff, momentOf, retryDelay } from "./durations";

test.each([
  ["1s", 1000],
  ["2h30m10s", 9_010_000],
  ["1w2d", 777_600_000],
  ["", 0],
])("%j is %i ms from now", (text, ms) => {
  expect(momentOf(text, 500)).toBe(500 + ms);
});

test("a date is taken as that moment, and any other text is refused", () => {
  expect(momentOf("2026-11-20T00:00:00.000Z", 500)).toBe(Date.UTC(2026, 10, 20));
  expect(() => momentOf("soon", 0)).toThrow("`soon`");
});

test("a Retry-After header is read as seconds or as a date", () => {
  expect(retryDelay("3")).toBe(3000);
  expect(retryDelay(new Date(Date.now() + 60_000).toISOString())).toBeGreaterThan(58_000);
  expect(retryDelay("2001-01-01T00:00:00Z")).toBe(0);
  expect(retryDelay("soon")).toBeUndefined();
  expect(retryDelay(null)).toBeUndefined();
});

test("waits between retries grow up to ten minutes", () => {
  const waits = [0, 1, 2, 3, 4, 20].map(backoff);
  const about = [1000, 5000, 25_000, 125_000, 600_000, 600_000];
  waits.forEach((wait, index) => {
    expect(Math.abs(wait / (about[index] ?? 1) - 1)).toBeLessThanOrEqual(0.2);
  });
});
