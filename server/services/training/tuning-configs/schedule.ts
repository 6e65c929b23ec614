import { Cron } from "croner";
import { MINUTE_MS } from "@/server/platform/durations";
import { unprocessable } from "@/server/platform/errors";

const FIELDS = 5;

/** Returns the next time of a cron pattern in UTC (Unix ms); throws 422 for an invalid pattern or one that never occurs. */
export function nextTime(cron: string, after: number): number {
  const wrong = (message: string) => unprocessable("/trigger/cron", message);
  if (cron.trim().split(/\s+/).length !== FIELDS) throw wrong("Enter five fields, such as `0 3 * * 1`.");
  let next: Date | null;
  try {
    next = new Cron(cron, { timezone: "UTC" }).nextRun(new Date(after));
  } catch {
    throw wrong("This is not a valid cron pattern. Five fields, such as `0 3 * * 1` for Mondays at 03:00 UTC.");
  }
  if (!next) throw wrong("This time never occurs.");
  return next.getTime();
}

/** Returns when a trigger is checked next (Unix ms): at the times of its pattern, or every minute without one. */
export const nextCheck = (cron: string | null, now: number) => (cron === null ? now + MINUTE_MS : nextTime(cron, now));
