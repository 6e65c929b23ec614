import { DAY_MS } from "@/server/platform/durations";

const PERIOD_DAYS = 7;

/**
 * Returns the full days (UTC) that Home counts, and as many before them. A project that began today has no full day, so today
 * counts; one younger than both has nothing to compare with, so `isComparable` is `false`.
 */
export function periodsOf(now: number, firstAt: number | null) {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const began = firstAt !== null && firstAt < today;
  const period = began ? { from: today - PERIOD_DAYS * DAY_MS, to: today } : { from: today, to: today + DAY_MS };
  const before = { from: period.from - PERIOD_DAYS * DAY_MS, to: period.from };
  return { period, before, isComparable: began && firstAt < before.from + DAY_MS };
}
