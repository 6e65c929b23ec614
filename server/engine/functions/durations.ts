import { SECOND_MS } from "@/server/platform/durations";

const UNITS: Record<string, number> = {
  ms: 1,
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
};
const DURATION = /^(?:\d+(?:ms|[smhdw]))+$/;
const PART = /(\d+)(ms|[smhdw])/g;

/** Returns the Unix ms that the SDK gives as a duration from `now` (`2h30m`; empty is 0) or as an ISO date. */
export function momentOf(text: string, now: number): number {
  if (text === "") return now;
  if (DURATION.test(text)) {
    let sum = 0;
    for (const [, count, unit = ""] of text.matchAll(PART)) sum += Number(count) * (UNITS[unit] ?? 0);
    return now + sum;
  }
  const date = Date.parse(text);
  if (Number.isNaN(date)) throw new Error(`\`${text}\` is neither a duration nor a date.`);
  return date;
}

/** Returns the milliseconds of a `retry-after` header, given in seconds or as a date; `undefined` for anything else. */
export function retryDelay(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const delay = Number.isFinite(seconds) ? seconds * SECOND_MS : Date.parse(header) - Date.now();
  return Number.isNaN(delay) ? undefined : Math.max(0, delay);
}

const FIRST_RETRY = SECOND_MS;
const GROWTH = 5;
const LONGEST_RETRY = 10 * 60 * SECOND_MS;
const JITTER = 0.2;

/** Returns the milliseconds before the retry after failure `attempt` (from 0): about 1 s, 5 s, 25 s, 2 min, then 10 min. */
export function backoff(attempt: number): number {
  const whole = Math.min(LONGEST_RETRY, FIRST_RETRY * GROWTH ** attempt);
  return Math.round(whole * (1 + JITTER * (2 * Math.random() - 1)));
}
