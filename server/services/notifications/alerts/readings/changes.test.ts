import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { previewOf } from "../preview-alert";
import { type AlertDefinition, type AlertMeasure, CHANGE_DEFAULT } from "../types";
import type { MinuteOfCalls } from "./call-window";
import { changeReadings, clearsAfter } from "./readings";

const MONDAY = Date.UTC(2026, 10, 2);
const change = (changes: Partial<AlertDefinition> = {}): AlertDefinition => ({
  measure: "error_rate",
  model: null,
  label: null,
  findingId: null,
  condition: "change",
  limit: CHANGE_DEFAULT,
  windowMinutes: 60,
  minCount: 50,
  ...changes,
});
const minute = (at: number, calls: number, errors: number): MinuteOfCalls => ({
  minute: at,
  calls,
  errors,
  unpriced: 0,
  cost: calls * 0.001,
  durations: null,
});
const hour = (end: number, calls: number, rate: number) =>
  Array.from({ length: 60 }, (_, n) => minute(end - (59 - n) * MINUTE_MS, calls, calls * rate));

test("a change is compared with the median of the same time of the weeks before, and not with fewer than two", () => {
  const now = MONDAY + 12 * HOUR_MS;
  const weeks = [0.02, 0.03, 0.5, 0.04].flatMap((rate, n) => hour(now - (n + 1) * 7 * DAY_MS, 1000, rate));
  const calls = [...weeks.toSorted((a, b) => a.minute - b.minute), ...hour(now, 1000, 0.08)];
  const at = (one: AlertDefinition, first: number, factor: number | null = 1) =>
    changeReadings(one, { from: now, to: now }, now, calls, first, [{ day: MONDAY, factor }]).readings[0]!;
  const long = now - 40 * DAY_MS;
  expect(at(change({ limit: 9 }), long).limitValue).toBeCloseTo(0.35, 6);
  expect(at(change({ limit: 9 }), long, 2).limitValue).toBeCloseTo(0.035 + 2 * 0.315, 6);
  // All calls that fail must fire, however much is usual.
  expect(at(change({ limit: 99 }), long).limitValue).toBe(1);
  expect(at(change(), long)).toMatchObject({ value: 0.08, verdict: "beyond" });
  for (const reading of [
    at(change(), now - 8 * DAY_MS),
    at(change({ minCount: 200_000 }), long),
    at(change(), long, null),
  ])
    expect(reading).toMatchObject({ limitValue: null, verdict: "too_few" });
});

/** Reproducible random numbers (mulberry32). */
function randomOf(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const DAYS = 60;
const PER_MINUTE = 3;

/**
 * Traffic that follows the day: 3 calls a minute at noon, few at night, 2 % errors, latencies and costs with long tails. What is
 * usual wanders from hour to hour by so much (a standard deviation, as a power of e).
 */
function trafficOf(seed: number, wanders: number): MinuteOfCalls[] {
  const random = randomOf(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const poisson = (mean: number) => {
    let [events, left] = [0, random()];
    for (const end = Math.exp(-mean); left > end; left *= random()) events++;
    return events;
  };
  const wander = (from: number) => 0.85 * from + 0.53 * normal();
  let [level, failing, slow] = [0, 0, 0];
  return Array.from({ length: DAYS * 1440 }, (_, n) => {
    if (n % 60 === 0) {
      level = wander(level);
      failing = wander(failing);
      slow = wander(slow);
    }
    const daily = 0.55 - 0.45 * Math.cos((2 * Math.PI * n) / 1440);
    const calls = poisson(PER_MINUTE * daily * Math.exp(wanders * level));
    const durations: Record<string, number> = {};
    let [errors, cost] = [0, 0];
    for (let call = 0; call < calls; call++) {
      if (random() < 0.02 * Math.exp(wanders * failing)) errors++;
      cost += 0.002 * Math.exp(0.8 * normal());
      const bucket = 1 + Math.floor((7 + 0.6 * normal() + wanders * slow) / Math.log(1.1));
      durations[bucket] = (durations[bucket] ?? 0) + 1;
    }
    return { minute: MONDAY + n * MINUTE_MS, calls, errors, unpriced: 0, cost, durations };
  }).filter(({ calls }) => calls > 0);
}

/** The 14 days of a preview, up to the afternoon of the last day. */
const TO = MONDAY + (DAYS - 1) * DAY_MS + 15 * HOUR_MS;
const SPAN = { from: TO - 14 * DAY_MS, to: TO };
const previewed = (measure: AlertMeasure, calls: readonly MinuteOfCalls[]) => {
  const one = change({ measure });
  const { readings, calibration } = changeReadings(one, SPAN, TO + MINUTE_MS, calls, MONDAY);
  return { ...previewOf(readings, SPAN, clearsAfter(one)), factor: calibration?.factor };
};
/** Eight times the calls for two hours, which are slow and fail at a rate. */
const surged = (calls: readonly MinuteOfCalls[], from: number, rate = 0.5) =>
  calls.map((one) =>
    one.minute >= from && one.minute < from + 2 * HOUR_MS
      ? {
          ...one,
          calls: one.calls * 8,
          errors: one.calls * 8 * rate,
          cost: one.cost * 8,
          durations: { 120: one.calls * 8 },
        }
      : one,
  );

test.each([1, 2, 3, 4, 5])(
  "a change fires at most once a week by default on traffic without incidents, and at an incident (seed %i)",
  (seed) => {
    const calls = trafficOf(seed, seed === 1 ? 0 : 0.3);
    for (const measure of ["error_rate", "latency_p95", "daily_cost"] as const) {
      const { fired, decided } = previewed(measure, calls);
      expect(decided, measure).toBeGreaterThan(0.5);
      expect(fired, measure).toBeLessThanOrEqual(2);
      const { firings, now } = previewed(measure, surged(calls, TO - 2 * HOUR_MS));
      expect(firings[0]!.firedAt, measure).toBeGreaterThan(TO - 2 * HOUR_MS);
      expect(now.state, measure).toBe("firing");
    }
  },
);

test("what comes up more than once in four weeks is usual, but many times the usual fires all the same", () => {
  const calls = trafficOf(1, 0);
  const last = TO - 5 * DAY_MS;
  const after = (earlier: readonly number[], rate: number) => {
    const all = earlier.reduce((before, days) => surged(before, TO - days * DAY_MS, 0.12), calls);
    const { firings, factor } = previewed("error_rate", surged(all, last, rate));
    return { factor, isNoticed: firings.some(({ firedAt }) => firedAt > last) };
  };
  expect(after([], 0.09)).toEqual({ factor: 1, isNoticed: true });
  expect(after([10], 0.09).isNoticed).toBe(true);
  const often = after([10, 15, 20], 0.09);
  expect(often.isNoticed).toBe(false);
  expect(often.factor).toBeGreaterThan(2);
  expect(after([10, 15, 20], 0.4).isNoticed).toBe(true);
});

test("a change that fires clears after a whole window below one half of the increase", () => {
  const { firings } = previewed("error_rate", surged(trafficOf(1, 0), TO - 5 * DAY_MS));
  const { firedAt, clearedAt } = firings[0]!;
  // Two hours of errors, one in which the window still has some, and one below.
  expect((clearedAt! - firedAt) / HOUR_MS).toBeGreaterThan(3);
  expect((clearedAt! - firedAt) / HOUR_MS).toBeLessThan(4.5);
});
