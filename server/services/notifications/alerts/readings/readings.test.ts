import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import type { AlertDefinition } from "../types";
import type { MinuteOfCalls } from "./call-window";
import { thresholdReadings } from "./readings";

const MONDAY = Date.UTC(2026, 10, 2);
const definition = (changes: Partial<AlertDefinition> = {}): AlertDefinition => ({
  measure: "error_rate",
  model: null,
  label: null,
  findingId: null,
  condition: "threshold",
  limit: 0.05,
  windowMinutes: 60,
  minCount: 50,
  ...changes,
});
const minute = (at: number, changes: Partial<MinuteOfCalls> = {}): MinuteOfCalls => ({
  minute: at,
  calls: 10,
  errors: 0,
  unpriced: 0,
  cost: 0.01,
  durations: { 50: 10 },
  ...changes,
});
const minutes = (from: number, count: number, changes: Partial<MinuteOfCalls> = {}) =>
  Array.from({ length: count }, (_, n) => minute(from + n * MINUTE_MS, changes));
const at = (one: AlertDefinition, calls: readonly MinuteOfCalls[], now: number) =>
  thresholdReadings(one, { from: Math.floor(now / MINUTE_MS) * MINUTE_MS, to: now }, now, calls)[0]!;

test("a share of no calls is unknown, and one of few decides nothing, while no cost is a cost of zero", () => {
  expect(at(definition(), [], MONDAY)).toMatchObject({ value: null, count: 0, verdict: "no_data" });
  expect(at(definition(), [minute(MONDAY, { errors: 5 })], MONDAY)).toMatchObject({ value: 0.5, verdict: "too_few" });
  const cost = definition({ measure: "daily_cost", limit: 1, minCount: 0 });
  expect(at(cost, [], MONDAY)).toMatchObject({ value: 0, count: 0, verdict: "inside" });
  expect(at(cost, [minute(MONDAY, { unpriced: 10, cost: 0 })], MONDAY)).toMatchObject({
    value: null,
    verdict: "no_data",
  });
});

test("a rate is that of the window until now, a day's cost that of the UTC day", () => {
  const now = MONDAY + 2 * HOUR_MS;
  const calls = [
    ...minutes(now - 3 * HOUR_MS, 120, { errors: 10 }),
    ...minutes(now - HOUR_MS + MINUTE_MS, 60, { errors: 1 }),
  ];
  expect(at(definition(), calls, now)).toMatchObject({ value: 0.1, count: 600, verdict: "beyond" });
  const cost = definition({ measure: "daily_cost", limit: 10 });
  // An hour of the day before, and the minute before the window, are left out.
  const today = calls.filter((one) => one.minute >= MONDAY);
  expect(at(cost, calls, now).value).toBeCloseTo(today.length * 0.01, 9);
});

test("a latency is read from buckets within 5 %", () => {
  const calls = [minute(MONDAY, { calls: 100, durations: { 40: 94, 90: 6 } })];
  const { value } = at(definition({ measure: "latency_p95", limit: 1000 }), calls, MONDAY);
  expect(value).toBeGreaterThan(1.1 ** 90 * 0.9);
  expect(value).toBeLessThanOrEqual(1.1 ** 90);
});
