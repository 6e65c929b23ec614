import { DAY_MS } from "@/server/platform/durations";

/** A range of whole days (UTC) as in the URL: a preset that ends today, or custom ends (Unix ms). */
export const DAY_PRESETS = [
  { value: "7d", label: "Last 7 days", days: 7 },
  { value: "30d", label: "Last 30 days", days: 30 },
  { value: "90d", label: "Last 90 days", days: 90 },
  { value: "365d", label: "Last 365 days", days: 365 },
] as const;
export const DAY_RANGE_VALUES = [...DAY_PRESETS.map((preset) => preset.value), "custom"] as const;
export type DayRangeValue = (typeof DAY_RANGE_VALUES)[number];
export type DayRange = { range: DayRangeValue; from: number | null; to: number | null };

const DAYS_WITHOUT_A_BEGINNING = 30;
/** The range of times accepted from a URL; no call lies outside it. */
const LAST = Date.UTC(2100, 0, 1);
const startOfDay = (at: number) => Math.floor(Math.min(Math.max(at, 0), LAST) / DAY_MS) * DAY_MS;

/** Returns the days as `[from, to)` in Unix ms; at least one. `now` is passed in, so that server and browser agree. */
export function daysOf({ range, from, to }: DayRange, now: number): { from: number; to: number } {
  const tomorrow = startOfDay(now) + DAY_MS;
  const preset = DAY_PRESETS.find((candidate) => candidate.value === range);
  if (preset) return { from: tomorrow - preset.days * DAY_MS, to: tomorrow };
  const end = to === null ? tomorrow : Math.max(startOfDay(to - 1) + DAY_MS, DAY_MS);
  const start = from === null ? Math.max(0, end - DAYS_WITHOUT_A_BEGINNING * DAY_MS) : startOfDay(from);
  return { from: Math.min(start, end - DAY_MS), to: end };
}

/** Converts the calendar's days, both inclusive, to `[from, to)`. */
export const rangeOfDays = (first: string, last: string): DayRange => ({
  range: "custom",
  from: Date.parse(`${first}T00:00:00Z`),
  to: Date.parse(`${last}T00:00:00Z`) + DAY_MS,
});

/** `2026-11-03`. */
export const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10);
