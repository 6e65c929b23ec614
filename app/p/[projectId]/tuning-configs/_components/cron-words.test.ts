import { expect, test } from "vitest";
import { cronWords, nextTimes } from "./cron-words";

test("common schedules are described in words, and others are shown as they are", () => {
  expect(cronWords("0 3 * * 1")).toBe("Every Monday at 03:00 UTC");
  expect(cronWords("30 6 * * *")).toBe("Every day at 06:30 UTC");
  expect(cronWords("0 9 * * 1-5")).toBe("Every weekday at 09:00 UTC");
  expect(cronWords("15 0 1 * *")).toBe("On day 1 of every month at 00:15 UTC");
  expect(cronWords("5 * * * *")).toBe("Every hour at minute 5");
  expect(cronWords("*/10 2-4 * * *")).toBe("*/10 2-4 * * *");
});

test("the next times are in UTC, and an invalid schedule has none", () => {
  const now = Date.UTC(2026, 10, 24, 4);
  expect(nextTimes("0 3 * * 1", now)).toEqual([
    Date.UTC(2026, 10, 30, 3),
    Date.UTC(2026, 11, 7, 3),
    Date.UTC(2026, 11, 14, 3),
  ]);
  expect(nextTimes("every monday", now)).toBeNull();
  expect(nextTimes("0 0 3 * * 1", now)).toBeNull();
});
