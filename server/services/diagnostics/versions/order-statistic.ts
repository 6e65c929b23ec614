/**
 * Returns a quantile of sorted values with the 95 % limits that its order statistics give, whatever the distribution: the values
 * between which it lies by the binomial distribution. A limit is `null` where even the last value is not far enough.
 */
export function orderStatistic(sorted: readonly number[], quantile: number) {
  const n = sorted.length;
  if (n === 0) return null;
  const { low, high } = ranksOf(n, quantile);
  return {
    value: sorted[Math.max(0, Math.ceil(quantile * n) - 1)]!,
    low: low === null ? null : sorted[low - 1]!,
    high: high === null ? null : sorted[high - 1]!,
  };
}

const TAIL = 0.025;

/** Returns the ranks, from 1, of the values that are the limits of a quantile of `n` values. */
export function ranksOf(n: number, quantile: number): { low: number | null; high: number | null } {
  let [below, low, high]: [number, number | null, number | null] = [0, null, null];
  const odds = Math.log(quantile) - Math.log1p(-quantile);
  let log = n * Math.log1p(-quantile);
  // `below`: the probability that at most k of the values lie below the quantile.
  for (let k = 0; k < n; k++) {
    below += Math.exp(log);
    if (below <= TAIL) low = k + 1;
    if (below >= 1 - TAIL) {
      high = k + 1;
      break;
    }
    log += Math.log(n - k) - Math.log(k + 1) + odds;
  }
  return { low, high };
}
