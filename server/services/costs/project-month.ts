import { DAY_MS } from "@/server/platform/durations";
import { Z_TWO_SIDED } from "@/server/platform/statistics";

/** Fewer days than this say little about the days to come. */
const DAYS_MIN = 14;
const WEEKDAYS = 7;

/** Returns the month (UTC) that contains a time, as `[from, to)`. */
export function monthOf(at: number) {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) };
}

/** In US dollars. */
type Spent = {
  /** On the full days of the current month, and on the current day so far. */
  before: number;
  today: number;
  /** On each full day before the current one, in any month, oldest first; a day without calls is 0. */
  past: readonly number[];
};

/**
 * Returns what the month will have cost: what was spent, and for each day left the mean of its weekday, which the current day
 * reaches at least. The limits come from how the past days scatter around these means. `null` with fewer than 14 past days.
 */
export function projectMonth({ before, today, past }: Spent, startOfToday: number) {
  if (past.length < DAYS_MIN) return null;
  const means = Array.from({ length: WEEKDAYS }, (_, weekday) => {
    const own = past.filter((_, n) => (past.length - n + weekday) % WEEKDAYS === 0);
    return own.reduce((sum, cost) => sum + cost, 0) / own.length;
  });
  /** Of a day by its distance from the current one. */
  const meanOf = (days: number) => means[((days % WEEKDAYS) + WEEKDAYS) % WEEKDAYS] ?? 0;
  const squares = past.reduce((sum, cost, n) => sum + (cost - meanOf(n - past.length)) ** 2, 0);
  const daysLeft = Math.round((monthOf(startOfToday).to - startOfToday) / DAY_MS);
  const comingDays = Array.from({ length: daysLeft - 1 }, (_, n) => meanOf(n + 1));
  const cost = before + Math.max(today, meanOf(0)) + comingDays.reduce((sum, one) => sum + one, 0);
  const margin = Z_TWO_SIDED * Math.sqrt((squares / (past.length - WEEKDAYS)) * daysLeft);
  return { cost, low: Math.max(before + today, cost - margin), high: cost + margin };
}
