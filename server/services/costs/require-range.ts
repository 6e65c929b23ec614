import { DAY_MS } from "@/server/platform/durations";
import { unprocessable } from "@/server/platform/errors";
import { DAYS_MAX } from "./schemas";

type Range = { from: number; to: number };

/** Throws a 422 when `[from, to)` is empty. JSON Schema cannot express a relation between two fields. */
export function requireRange({ from, to }: Range) {
  if (from >= to) throw unprocessable("/to", "The end must be after the beginning.");
}

/** Like `requireRange`, and limits the range to `DAYS_MAX` days. */
export function requireDays(range: Range) {
  requireRange(range);
  if ((range.to - range.from) / DAY_MS > DAYS_MAX) throw unprocessable("/to", `At most ${DAYS_MAX} days.`);
}
