/** Conversations by what two judges said of them. */
export type Fourfold = { both: number; onlyFirst: number; onlySecond: number; neither: number };

/** The 97.5% quantile of the normal distribution, for a 95% interval. */
const Z = 1.959964;

/** Returns the share of which two judges say the same; `null` without anything judged. */
export function agreementOf({ both, onlyFirst, onlySecond, neither }: Fourfold): number | null {
  const n = both + onlyFirst + onlySecond + neither;
  return n === 0 ? null : (both + neither) / n;
}

/**
 * Returns Cohen's kappa (1960) with the 95% interval of Fleiss, Cohen and Everitt (1969), within -1 and 1; `null` where it is
 * undefined, because one of the two always says the same and agreement by chance would be complete, or nothing to compare.
 */
export function kappaOf(table: Fourfold): { value: number; low: number; high: number } | null {
  const observed = agreementOf(table);
  if (observed === null) return null;
  const { both, onlyFirst, onlySecond, neither } = table;
  const n = both + onlyFirst + onlySecond + neither;
  const [first, second] = [(both + onlyFirst) / n, (both + onlySecond) / n];
  if (first === 0 || first === 1 || second === 0 || second === 1) return null;
  const chance = first * second + (1 - first) * (1 - second);
  const value = (observed - chance) / (1 - chance);
  const rest = 1 - value;
  const same = (both / n) * (1 - (first + second) * rest) ** 2 + (neither / n) * (1 - (2 - first - second) * rest) ** 2;
  const other =
    rest ** 2 * ((onlyFirst / n) * (second + 1 - first) ** 2 + (onlySecond / n) * (1 - second + first) ** 2);
  const variance = Math.max(0, same + other - (value - chance * rest) ** 2) / (n * (1 - chance) ** 2);
  const half = Z * Math.sqrt(variance);
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half) };
}
