import { Z_TWO_SIDED as Z } from "@/server/platform/statistics";

/** How many of `conversations` are `affected`. */
export type Rate = { affected: number; conversations: number };
/** A rate with the limits between which the true one lies with 95 % confidence. */
export type Interval = { rate: number; low: number; high: number };

/** Returns a share with its Wilson score interval; `null` when there are no conversations. */
export function wilson({ affected, conversations }: Rate): Interval | null {
  if (conversations <= 0) return null;
  const n = conversations;
  const p = Math.min(1, affected / n);
  const centre = p + (Z * Z) / (2 * n);
  const margin = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  // The limits are exactly 0 and 1 at the ends, where rounding would leave a residue.
  return {
    rate: p,
    low: p === 0 ? 0 : Math.max(0, (centre - margin) / scale),
    high: p === 1 ? 1 : Math.min(1, (centre + margin) / scale),
  };
}

/**
 * Returns the second rate minus the first with its 95 % limits, for rates of different conversations: Newcombe's method 10,
 * based on Wilson limits. `null` if either has no conversations.
 */
export function rateDifference(first: Rate, second: Rate): Interval | null {
  const [before, after] = [wilson(first), wilson(second)];
  if (!before || !after) return null;
  const rate = after.rate - before.rate;
  return {
    rate,
    low: Math.max(-1, rate - Math.hypot(after.rate - after.low, before.high - before.rate)),
    high: Math.min(1, rate + Math.hypot(after.high - after.rate, before.rate - before.low)),
  };
}

/** Days that count as now: the current one (UTC) and the one before, because early in a day the current one has little data. */
export const NOW_DAYS = 2;
/** Days before those that count as the past. */
export const PAST_DAYS = 14;
/** Fewer conversations than this are not a trend. */
const AFFECTED_MIN = 5;
const ENTER = 2;
const LEAVE = 1.25;

/**
 * Returns whether a Finding escalates. It begins when at least 5 conversations have it now and the lower limit of its rate now
 * is at least twice its own past rate; it ends when the rate falls below 1.25 times the past one. A Finding without a past is
 * new, not escalating.
 */
export function isEscalating({ now, past, was }: { now: Rate; past: Rate; was: boolean }): boolean {
  const [current, before] = [wilson(now), wilson(past)];
  if (!current || !before || now.affected === 0 || past.affected === 0) return false;
  if (was) return current.rate >= LEAVE * before.rate;
  return now.affected >= AFFECTED_MIN && current.low >= ENTER * before.rate;
}

/** Returns whether a Finding that at most this many conversations have, now and in the past, can begin to escalate. */
export const mayEscalate = (most: { now: number; past: number }) => most.now >= AFFECTED_MIN && most.past > 0;

/** Returns whether a Finding is clearly worse than when it was dismissed: as for escalation, against the rate at that time. */
export function isWorse(now: Rate, dismissedRate: number): boolean {
  const current = wilson(now);
  return current !== null && now.affected >= AFFECTED_MIN && current.low >= ENTER * dismissedRate;
}
