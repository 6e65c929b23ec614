import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import type { AlertDefinition } from "../types";
import type { Change } from "./changes";

/** How many times the asked change fires on a UTC day; `null` if the days before it say too little. */
export type Calibration = { day: number; factor: number | null };

/** The days before that set the factor. */
export const CALIBRATION_DAYS = 28;
/** The days since the first call without which they say too little: two weeks to compare with, and one to be compared. */
const DAYS_MIN = 21;
/** A change that came up more often than this in these days is usual. */
const EPISODES_MAX = 1;
const FACTOR_STEP = 1.05;
/** How far above what is usual an unusual change is. */
const MARGIN = 1.2;
/** An incident that comes up often must not silence the next, larger one. */
const FACTOR_MAX = 5;
/** Readings per window: it moves so little between two that more would say the same. */
const READINGS_A_WINDOW = 12;

const stepOf = ({ windowMinutes }: AlertDefinition) =>
  Math.max(1, Math.floor(windowMinutes / READINGS_A_WINDOW)) * MINUTE_MS;

/** Returns the minutes whose changes calibrate some days, which are in order. */
export function calibrationTimes(definition: AlertDefinition, days: readonly number[]): number[] {
  const [start, end, step] = [days[0], days.at(-1), stepOf(definition)];
  if (start === undefined || end === undefined) return [];
  const from = start - CALIBRATION_DAYS * DAY_MS;
  return Array.from({ length: Math.ceil((end - from) / step) }, (_, index) => from + index * step);
}

/** Returns what an alert's change is multiplied by on some days, so that it would have fired at most once in the 28 days before: at most 5. */
export function calibrate(
  definition: AlertDefinition,
  days: readonly number[],
  changeAt: (minute: number) => Change,
  first: number | null,
): Calibration[] {
  const excesses = calibrationTimes(definition, days).map((at) => ({ at, excess: excessOf(definition, changeAt(at)) }));
  const clearsAfter = Math.ceil((definition.windowMinutes * MINUTE_MS) / stepOf(definition));
  return days.map((day) => {
    if (first === null || day - first < DAYS_MIN * DAY_MS) return { day, factor: null };
    const from = day - CALIBRATION_DAYS * DAY_MS;
    const before = excesses.filter(({ at }) => at >= from && at < day).map(({ excess }) => excess);
    return { day, factor: factorOf(before, clearsAfter) };
  });
}

/** Returns how many times the asked change was measured; `null` where nothing would have been decided. */
function excessOf({ minCount }: AlertDefinition, { value, calls, usual, asked }: Change): number | null {
  if (value === null || usual === null || asked === null || calls < minCount) return null;
  return (value - usual) / (asked - usual);
}

function factorOf(excesses: readonly (number | null)[], clearsAfter: number): number {
  let factor = 1;
  while (factor < FACTOR_MAX && episodesOf(excesses, factor, clearsAfter) > EPISODES_MAX) factor *= FACTOR_STEP;
  return factor === 1 ? 1 : Math.min(FACTOR_MAX, factor * MARGIN);
}

/** Counts how often an alert with a factor would have fired: it ends after a whole window below one half of it. */
function episodesOf(excesses: readonly (number | null)[], factor: number, clearsAfter: number): number {
  let [episodes, isFiring, inside] = [0, false, 0];
  for (const excess of excesses) {
    if (isFiring) {
      inside = excess !== null && excess <= factor / 2 ? inside + 1 : 0;
      isFiring = inside < clearsAfter;
    } else if (excess !== null && excess >= factor) {
      [isFiring, inside] = [true, 0];
      episodes++;
    }
  }
  return episodes;
}
