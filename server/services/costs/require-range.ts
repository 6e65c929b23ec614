import { impossible } from "@/server/platform/errors";
import { DAY_MS, DAYS_MAX } from "./schemas";

type Range = { from: number; to: number };

/** `[from, to)` in Unix ms has something in it, or a 422: no schema can say what holds between two fields. */
export function requireRange({ from, to }: Range) {
  if (from >= to) throw impossible("/to", "The end has to be after the beginning.");
}

/** The same, of no more days than anyone looks at. */
export function requireDays(range: Range) {
  requireRange(range);
  if ((range.to - range.from) / DAY_MS > DAYS_MAX) throw impossible("/to", `At most ${DAYS_MAX} days.`);
}
