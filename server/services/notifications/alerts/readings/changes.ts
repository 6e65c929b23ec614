import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { type AlertDefinition, MEASURES } from "../types";
import { CallWindow, type MinuteOfCalls } from "./call-window";
import type { Span } from "./read-minutes";

const WEEK_MS = 7 * DAY_MS;
const WEEKS = 4;
/** Fewer weeks say little about what is usual. */
const WEEKS_MIN = 2;
/** Besides the same time, the window before it and the one after: four points make a poor median. */
const SHIFTS = [-1, 0, 1];
/** The standard errors above the usual rate that a window has by chance almost never, though it moves every minute. */
const RATE_Z = 5;

/** What was measured in the window that ends with a minute. */
type Measured = { value: number | null; calls: number };
/** With what is usual then, and the limit that was asked for: null if the past says too little. */
export type Change = Measured & { usual: number | null; asked: number | null };

/** The minutes that are read for the changes of a span. */
export const spansOfChange = ({ windowMinutes }: AlertDefinition, { from, to }: Span): Span[] => {
  const window = windowMinutes * MINUTE_MS;
  return [
    { from: from - window + MINUTE_MS, to },
    ...Array.from({ length: WEEKS }, (_, index) => {
      const ago = (index + 1) * WEEK_MS;
      return { from: from - ago - 2 * window + MINUTE_MS, to: to - ago + window };
    }),
  ];
};

/** Returns a function that reads the change at one of some minutes. `first`: since when calls are known. */
export function changeReader(
  definition: AlertDefinition,
  minutes: readonly MinuteOfCalls[],
  first: number | null,
  times: readonly number[],
): (minute: number) => Change {
  const window = definition.windowMinutes * MINUTE_MS;
  const weeks = Array.from({ length: WEEKS }, (_, index) => (index + 1) * WEEK_MS);
  const before = weeks.map((ago) => ({ ago, shifts: SHIFTS.map((shift) => shift * window - ago) }));
  const measured = measuredAt(definition, minutes, [0, ...before.flatMap(({ shifts }) => shifts)], times);
  return (minute) => {
    const { value, calls } = measured(minute);
    const unknown = { value, calls, usual: null, asked: null };
    const start = minute - 2 * window + MINUTE_MS;
    const known = before
      .filter(({ ago }) => first !== null && start - ago >= first)
      .map(({ shifts }) => shifts.map((shift) => measured(minute + shift)).filter((one) => isTelling(definition, one)))
      .filter((points) => points.length > 0);
    if (known.length < WEEKS_MIN) return unknown;
    const past = known.flat();
    const usual = median(past.map((one) => one.value ?? 0));
    const increased = usual * (1 + definition.limit);
    const asked =
      definition.measure === "error_rate" ? Math.max(increased, beyondChance(usual, calls, past)) : increased;
    return asked > usual ? { value, calls, usual, asked } : unknown;
  };
}

/** Measures the windows that end so much before and after some minutes, each once. */
function measuredAt(
  definition: AlertDefinition,
  minutes: readonly MinuteOfCalls[],
  shifts: readonly number[],
  times: readonly number[],
): (end: number) => Measured {
  const ends = new Set(shifts.flatMap((shift) => times.map((time) => time + shift)));
  const window = new CallWindow(minutes);
  const measured = new Map<number, Measured>();
  for (const end of Float64Array.from(ends).sort()) {
    window.moveTo(end - (definition.windowMinutes - 1) * MINUTE_MS, end);
    measured.set(end, { value: measuredIn(definition, window), calls: window.calls });
  }
  return (end) => measured.get(end) ?? { value: null, calls: 0 };
}

/** A rate or a latency of very few calls is no measure of what is usual; a cost of few calls is, if it is known. */
const isTelling = ({ measure, minCount }: AlertDefinition, { value, calls }: Measured) =>
  value !== null && (MEASURES[measure].isCost === true || calls >= minCount / 2);

/** Returns the measure of a window: `null` if it is unknown, which is not 0. */
export function measuredIn({ measure }: AlertDefinition, window: CallWindow): number | null {
  const { calls, errors, unpriced, cost } = window;
  if (MEASURES[measure].isCost) return calls > 0 && unpriced === calls ? null : cost;
  if (calls === 0) return null;
  return measure === "latency_p95" ? window.quantile(0.95) : errors / calls;
}

/** Returns the rate that a window has by chance almost never; the arcsine's root makes the spread of rates independent of them. */
function beyondChance(usual: number, count: number, past: readonly Measured[]): number {
  const of = past.reduce((sum, { calls }) => sum + calls, 0);
  // Of no errors in the past it is not known that there are never any.
  const rate = Math.max(usual, 3 / 8 / (of + 3 / 4));
  const spread = Math.sqrt(1 / Math.max(1, count) + 1 / of);
  return Math.sin(Math.min(Math.PI / 2, Math.asin(Math.sqrt(rate)) + (RATE_Z / 2) * spread)) ** 2;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
