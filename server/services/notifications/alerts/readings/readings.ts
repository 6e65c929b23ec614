import type { Ctx } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { monthOf } from "@/server/services/costs";
import { type AlertDefinition, MEASURES } from "../types";
import { CALIBRATION_DAYS, type Calibration, calibrate, calibrationTimes } from "./calibrate";
import { CallWindow, type MinuteOfCalls } from "./call-window";
import { changeReader, measuredIn, spansOfChange } from "./changes";
import { firstMinute, joined, readArrivals, readCalls, type Span } from "./read-minutes";
import { readDearestUser, readFindingShare, readMonth } from "./read-rows";

/** What an alert's measure was at a time, and on which side of the limit: `between` is inside, but not by enough to clear. */
export type Reading = {
  at: number;
  /** Null is unknown, which is not 0. */
  value: number | null;
  count: number | null;
  limitValue: number | null;
  verdict: "beyond" | "between" | "inside" | "no_data" | "too_few";
};

/** An alert that fires ends only once its measure is this far inside the limit, or below one half of the change. */
const CLEARS_BELOW = 0.9;
const CLEARS_BELOW_CHANGE = 0.5;
const EVALUATIONS_TO_CLEAR = 3;

const startOf = (at: number, unit: number) => Math.floor(at / unit) * unit;

/**
 * Returns an alert's readings of every minute from `from` to `to`: one for `from = to = now`, which evaluates it, those of two
 * weeks to test it on the past. A minute in progress is read as far as it is. `stored`: the calibration of an earlier reading,
 * which that of the same day need not compute again.
 */
export async function readReadings(
  ctx: Ctx,
  definition: AlertDefinition,
  { from, to, now }: Span & { now: number },
  stored: Calibration | null = null,
): Promise<{ readings: Reading[]; calibration: Calibration | null }> {
  const span = { from: startOf(from, MINUTE_MS), to: startOf(to, MINUTE_MS) };
  if (MEASURES[definition.measure].period === "arrival")
    return { readings: silences(definition, span, now, await readArrivals(ctx, span)), calibration: null };
  if (definition.condition === "threshold") {
    const minutes = await readMinutes(
      ctx,
      definition,
      { from: windowFrom(definition, span.from), to: span.to },
      span.from,
    );
    return { readings: thresholdReadings(definition, span, now, minutes), calibration: null };
  }
  const first = startOf(span.from, DAY_MS);
  const isCalibrated = stored !== null && stored.day === first && stored.day === startOf(span.to, DAY_MS);
  const read = isCalibrated ? span : { from: first - CALIBRATION_DAYS * DAY_MS, to: span.to };
  const minutes = await readCalls(ctx, definition, joined(spansOfChange(definition, read)));
  const known = isCalibrated ? [stored] : null;
  return changeReadings(definition, span, now, minutes, await firstMinute(ctx), known);
}

function readMinutes(ctx: Ctx, definition: AlertDefinition, span: Span, since: number): Promise<MinuteOfCalls[]> {
  if (definition.measure === "monthly_cost") return readMonth(ctx, definition, span, since);
  if (definition.measure === "daily_user_cost") return readDearestUser(ctx, definition, span);
  if (definition.measure === "finding_share") return readFindingShare(ctx, definition, span);
  return readCalls(ctx, definition, [span]);
}

/** Returns the readings of a measure of calls, or conversations, against a threshold. */
export function thresholdReadings(
  definition: AlertDefinition,
  { from, to }: Span,
  now: number,
  minutes: readonly MinuteOfCalls[],
): Reading[] {
  const window = new CallWindow(minutes);
  return minutesOf({ from, to }).map((minute) => {
    window.moveTo(windowFrom(definition, minute), minute);
    const value = measuredIn(definition, window);
    const { limit } = definition;
    const clearsAt = limit * CLEARS_BELOW;
    return judged(definition, { at: endOf(minute, now), value, count: window.calls, limitValue: limit }, clearsAt);
  });
}

/** Returns the readings of a change, and the calibration of the last. `first`: since when there are calls to compare with. */
export function changeReadings(
  definition: AlertDefinition,
  span: Span,
  now: number,
  minutes: readonly MinuteOfCalls[],
  first: number | null,
  stored: readonly Calibration[] | null = null,
): { readings: Reading[]; calibration: Calibration | null } {
  const days: number[] = [];
  for (let day = startOf(span.from, DAY_MS); day <= span.to; day += DAY_MS) days.push(day);
  const times = minutesOf(span);
  const changeAt = changeReader(definition, minutes, first, [
    ...times,
    ...(stored ? [] : calibrationTimes(definition, days)),
  ]);
  const calibrations = stored ?? calibrate(definition, days, changeAt, first);
  const factors = new Map(calibrations.map(({ day, factor }) => [day, factor]));
  const { most = Number.POSITIVE_INFINITY } = MEASURES[definition.measure];
  const readings = times.map((minute) => {
    const { value, calls, usual, asked } = changeAt(minute);
    const factor = factors.get(startOf(minute, DAY_MS)) ?? null;
    const change = usual === null || asked === null || factor === null ? null : (asked - usual) * factor;
    const limitValue = usual === null || change === null ? null : Math.min(most, usual + change);
    const clearsAt = usual === null || change === null ? null : usual + change * CLEARS_BELOW_CHANGE;
    return judged(definition, { at: endOf(minute, now), value, count: calls, limitValue }, clearsAt);
  });
  return { readings, calibration: calibrations.at(-1) ?? null };
}

function silences(
  definition: AlertDefinition,
  { from, to }: Span,
  now: number,
  arrivals: readonly number[],
): Reading[] {
  let seen = 0;
  return minutesOf({ from, to }).map((minute) => {
    const at = endOf(minute, now);
    while (seen < arrivals.length && arrivals[seen]! <= at) seen++;
    const last = arrivals[seen - 1];
    const value = last === undefined ? null : (at - last) / MINUTE_MS;
    const { limit } = definition;
    return judged(definition, { at, value, count: null, limitValue: limit }, limit * CLEARS_BELOW);
  });
}

/** Returns the evaluations in a row that end a firing: of a change, those of a whole window. */
export const clearsAfter = ({ condition, windowMinutes }: Pick<AlertDefinition, "condition" | "windowMinutes">) =>
  condition === "change" ? windowMinutes : EVALUATIONS_TO_CLEAR;

const minutesOf = ({ from, to }: Span) =>
  Array.from({ length: Math.floor((to - from) / MINUTE_MS) + 1 }, (_, index) => from + index * MINUTE_MS);
const endOf = (minute: number, now: number) => Math.min(minute + MINUTE_MS, now);

/** The first minute that a threshold is compared with: of the day or month for their costs, otherwise of the alert's own window. */
function windowFrom({ measure, windowMinutes }: AlertDefinition, minute: number) {
  const { period } = MEASURES[measure];
  if (period === "window") return minute - (windowMinutes - 1) * MINUTE_MS;
  return period === "month" ? monthOf(minute).from : startOf(minute, DAY_MS);
}

function judged({ minCount }: AlertDefinition, reading: Omit<Reading, "verdict">, clearsAt: number | null): Reading {
  const { value, count, limitValue } = reading;
  const verdict = () => {
    if (value === null) return "no_data";
    if ((count !== null && count < minCount) || limitValue === null || clearsAt === null) return "too_few";
    if (value > 0 && value >= limitValue) return "beyond";
    return value <= clearsAt ? "inside" : "between";
  };
  return { ...reading, verdict: verdict() };
}
