import { expect, test } from "vitest";
import { HOUR_MS } from "@/server/platform/durations";
import { daysOfChanges, timelineRows } from "./timeline-rows";

const day = Date.UTC(2026, 10, 20);

test("a day without conversations has no rate, and one without the Finding has a rate of zero", () => {
  const rows = timelineRows([
    { day, affected: 0, conversations: 0, read: 0, readAffected: 0, rate: null },
    {
      day: day + 24 * HOUR_MS,
      affected: 0,
      conversations: 10,
      read: 10,
      readAffected: 0,
      rate: { rate: 0, low: 0, high: 0.28 },
    },
  ]);
  expect(rows.map(({ share, interval }) => [share, interval])).toEqual([
    [null, null],
    [0, [0, 0.28]],
  ]);
});

test("changes on the same day share a number, oldest first", () => {
  const changes = daysOfChanges([
    { kind: "resolved", at: day + 30 * HOUR_MS, name: null, service: null },
    { kind: "version", at: day + 9 * HOUR_MS, name: "1.1", service: "shop" },
    { kind: "model", at: day, name: "gpt-4o", service: null },
    { kind: "version", at: day + 50 * HOUR_MS, name: "7", service: null },
  ]);
  expect(changes.map(({ number, changes: said }) => [number, ...said])).toEqual([
    [1, "gpt-4o first used", "shop 1.1 first seen"],
    [2, "Resolved"],
    [3, "Version 7 first seen"],
  ]);
  expect(changes.map(({ versions }) => versions)).toEqual([["shop 1.1"], [], ["7"]]);
});
