import { wilson } from "@/server/services/diagnostics";
import type { ShareInterval } from "./schemas";

/** Number of pairs in which the Finding was found both times, only before, only after, and neither time. */
export type Pairs = { both: number; onlyBefore: number; onlyAfter: number; neither: number };

const square = (value: number) => value * value;

/**
 * Returns the rate after minus the rate before for paired replays, with its 95 % limits, by Newcombe's method 10: the Wilson
 * limits of both rates, adjusted for their correlation. `null` without replays.
 */
export function pairedDifference({ both, onlyBefore, onlyAfter, neither }: Pairs): ShareInterval | null {
  const n = both + onlyBefore + onlyAfter + neither;
  const after = wilson({ affected: both + onlyAfter, conversations: n });
  const before = wilson({ affected: both + onlyBefore, conversations: n });
  if (!after || !before) return null;
  const phi = correlation({ both, onlyBefore, onlyAfter, neither }, n);
  const rate = after.rate - before.rate;
  const margin = (a: number, b: number) => Math.sqrt(Math.max(0, square(a) - 2 * phi * a * b + square(b)));
  return {
    rate,
    low: Math.max(-1, rate - margin(after.rate - after.low, before.high - before.rate)),
    high: Math.min(1, rate + margin(after.high - after.rate, before.rate - before.low)),
  };
}

/** Pearson's correlation of the pairs, with a continuity correction if it is positive. */
function correlation({ both, onlyBefore, onlyAfter, neither }: Pairs, n: number): number {
  const product = (both + onlyBefore) * (both + onlyAfter) * (onlyAfter + neither) * (onlyBefore + neither);
  if (product === 0) return 0;
  const determinant = both * neither - onlyBefore * onlyAfter;
  return (determinant > 0 ? Math.max(determinant - n / 2, 0) : determinant) / Math.sqrt(product);
}
