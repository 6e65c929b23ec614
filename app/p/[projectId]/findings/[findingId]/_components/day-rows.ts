const DAY_MS = 86_400_000;
const DAYS = 30;

export type DayRow = { day: number; occurrences: number; conversations: number | null };

/** Returns thirty days without gaps, up to the last one with an occurrence: a missing day had none. */
export function dayRows(days: readonly DayRow[]): DayRow[] {
  const last = days.reduce((latest, { day }) => Math.max(latest, day), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(last)) return [];
  const known = new Map(days.map((row) => [row.day, row]));
  return Array.from({ length: DAYS }, (_, index) => {
    const day = last - (DAYS - 1 - index) * DAY_MS;
    return known.get(day) ?? { day, occurrences: 0, conversations: null };
  });
}
