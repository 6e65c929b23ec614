import { Cron } from "croner";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const FIELDS = 5;
const SHOWN = 3;
const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text);

/** Parses a cron expression; returns `null` if it is invalid. */
function scheduleOf(expression: string): Cron | null {
  if (expression.trim().split(/\s+/).length !== FIELDS) return null;
  try {
    return new Cron(expression.trim(), { timezone: "UTC", paused: true });
  } catch {
    return null;
  }
}

/** Returns the next times of a cron expression (UTC) after `now`; `null` if it is invalid, empty if it never fires. */
export function nextTimes(expression: string, now: number): number[] | null {
  const schedule = scheduleOf(expression);
  return schedule === null ? null : schedule.nextRuns(SHOWN, new Date(now)).map((date) => date.getTime());
}

/** `Every Monday at 03:00 UTC` for common expressions; others are shown as they are. */
export function cronWords(expression: string): string {
  const [minute, hour, day, month, weekday] = expression.trim().split(/\s+/);
  if (!isNumber(minute) || month !== "*") return expression;
  const minutes = minute.padStart(2, "0");
  if (hour === "*" && day === "*" && weekday === "*") return `Every hour at minute ${Number(minute)}`;
  if (!isNumber(hour)) return expression;
  const at = `at ${hour.padStart(2, "0")}:${minutes} UTC`;
  if (day === "*" && weekday === "*") return `Every day ${at}`;
  if (day === "*" && weekday === "1-5") return `Every weekday ${at}`;
  if (day === "*" && isNumber(weekday)) return `Every ${DAYS[Number(weekday) % DAYS.length]} ${at}`;
  if (isNumber(day) && weekday === "*") return `On day ${Number(day)} of every month ${at}`;
  return expression;
}
