import { Z_ONE_SIDED, Z_TWO_SIDED } from "@/server/platform/statistics";
import type { ShareInterval } from "../schemas";

/** Pairs in which only the earlier answer is right, and only the later one. */
export type Discordant = { lost: number; gained: number; n: number };

const ALPHA = 0.05;

/**
 * Returns the share after minus the share before in paired rows, with limits by Tango's score (1998); `null` without rows. In
 * 10 to 30 rows its worst one-sided error is 2.7 %, where Newcombe's interval reaches 3.6 %.
 */
export function pairedDifference({ lost, gained, n }: Discordant, z = Z_TWO_SIDED): ShareInterval | null {
  if (n === 0) return null;
  const rate = (gained - lost) / n;
  const score = (difference: number) => {
    const linear = (2 * n - gained + lost) * difference - lost - gained;
    const constant = -lost * difference * (1 - difference);
    const q = (Math.sqrt(Math.max(0, linear * linear - 8 * n * constant)) - linear) / (4 * n);
    const variance = n * (2 * q + difference * (1 - difference));
    const excess = gained - lost - n * difference;
    return variance <= 0 ? Math.sign(excess) * Number.POSITIVE_INFINITY : excess / Math.sqrt(variance);
  };
  /** The score falls as the difference grows. */
  const solve = (target: number, low: number, high: number) => {
    let [from, to] = [low, high];
    for (let step = 0; step < 60; step++) {
      const middle = (from + to) / 2;
      if (score(middle) > target) from = middle;
      else to = middle;
    }
    return (from + to) / 2;
  };
  return { rate, low: rate === -1 ? -1 : solve(z, -1, rate), high: rate === 1 ? 1 : solve(-z, rate, 1) };
}

/** Returns the two-sided p of the exact test by McNemar: of as many gains and losses if either were as likely. */
export function mcnemar({ lost, gained }: Pick<Discordant, "lost" | "gained">): number {
  const n = lost + gained;
  let [term, sum] = [0.5 ** n, 0];
  for (let k = 0; k <= Math.min(lost, gained); k++) {
    sum += term;
    term = (term * (n - k)) / (k + 1);
  }
  return Math.min(1, 2 * sum);
}

/** Returns the largest p that still proves the `tries`th variant that was tried on the same rows. */
export const alphaOf = (tries: number) => ALPHA / (tries * tries);

/** Returns how many gains it takes beside these losses. */
export function gainsNeeded(lost: number, tries = 1): number {
  let gained = lost + 1;
  while (mcnemar({ lost, gained }) >= alphaOf(tries)) gained += 1;
  return gained;
}

/** Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom. */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** A row: what its pair gained (1, 0 or −1), and its group, such as the rows of one user or of one template. */
export type GroupedRow = { gain: -1 | 0 | 1; group: number };

/**
 * Returns the paired difference of rows of which some belong together: the wider of Tango's interval and of one between groups,
 * because like rows say less than as many different ones.
 */
export function groupedDifference(rows: readonly GroupedRow[]): ShareInterval | null {
  const count = (gain: number) => rows.filter((row) => row.gain === gain).length;
  const n = rows.length;
  const alone = pairedDifference({ lost: count(-1), gained: count(1), n });
  const groups = new Map<number, { gain: number; n: number }>();
  for (const { gain, group } of rows) {
    const known = groups.get(group) ?? { gain: 0, n: 0 };
    groups.set(group, { gain: known.gain + gain, n: known.n + 1 });
  }
  const size = groups.size;
  if (alone === null || size === n) return alone;
  if (size < 2) return { rate: alone.rate, low: -1, high: 1 };
  const spread = [...groups.values()].reduce((sum, one) => sum + (one.gain - alone.rate * one.n) ** 2, 0);
  const margin = (T[size - 2] ?? Z_TWO_SIDED) * Math.sqrt((size / (size - 1)) * (spread / (n * n)));
  return {
    rate: alone.rate,
    low: Math.max(-1, Math.min(alone.low, alone.rate - margin)),
    high: Math.min(1, Math.max(alone.high, alone.rate + margin)),
  };
}

/** Whether a model may be said to be no worse: by a test of non-inferiority with this margin. */
export type NonInferiority = {
  /** The lower one-sided 95 % limit of the difference. */
  low: number | null;
  verdict: "no_worse" | "worse" | "not_enough";
  /** Rows that would do at the same shares of gains and losses; `null` if none would. */
  rowsNeeded: number | null;
};

/** Worse: even the upper limit lies below the margin. Otherwise, unless the lower one lies above it, the rows are too few. */
export function nonInferiority(pairs: Discordant, margin: number): NonInferiority {
  const limits = pairedDifference(pairs, Z_ONE_SIDED);
  if (limits === null) return { low: null, verdict: "not_enough", rowsNeeded: rowsFor({ lost: 0, gained: 0 }, margin) };
  const isNoWorse = limits.low > -margin;
  return {
    low: limits.low,
    verdict: isNoWorse ? "no_worse" : limits.high < -margin ? "worse" : "not_enough",
    rowsNeeded: isNoWorse ? pairs.n : rowsFor(pairs, margin),
  };
}

const ROWS_MAX = 10_000;

/** Returns the fewest rows with which so many losses and gains are no worse by more than the margin. */
export function rowsFor({ lost, gained }: Pick<Discordant, "lost" | "gained">, margin: number): number | null {
  for (let n = Math.max(1, lost + gained); n <= ROWS_MAX; n++) {
    const limits = pairedDifference({ lost, gained, n }, Z_ONE_SIDED);
    if (limits !== null && limits.low > -margin) return n;
  }
  return null;
}

/** How two people judged the same answers: both yes, both no, and apart. */
export type Agreement = { bothYes: number; bothNo: number; apart: number };

/** Returns the share of equal judgements and Gwet's AC1, which a lopsided share of yes does not distort as it does κ. */
export function agreementOf({ bothYes, bothNo, apart }: Agreement): { share: number; ac1: number } | null {
  const n = bothYes + bothNo + apart;
  if (n === 0) return null;
  const share = (bothYes + bothNo) / n;
  const yes = (2 * bothYes + apart) / (2 * n);
  const chance = 2 * yes * (1 - yes);
  return { share, ac1: (share - chance) / (1 - chance) };
}

/** A figure that a judge gives of all rows, and that people give of those that were drawn at random for them. */
export type Checked = {
  judged: readonly number[];
  checked: readonly { judge: number; person: number }[];
  /** The least and the greatest that the mean can be. */
  limits?: readonly [number, number];
};

/**
 * Returns the mean that a judge's figures and people's corrections of a random part of them show together (prediction-powered
 * inference, Angelopoulos 2023), with 95 % limits; `null` if nothing was checked.
 */
export function correctedMean({ judged, checked, limits: [low, high] = [0, 1] }: Checked): ShareInterval | null {
  const [N, n] = [judged.length, checked.length];
  if (N === 0 || n === 0) return null;
  const mean = judged.reduce((sum, one) => sum + one, 0) / N;
  const spread = judged.reduce((sum, one) => sum + (one - mean) ** 2, 0) / N;
  const corrections = checked.map(({ judge, person }) => person - judge);
  const correction = corrections.reduce((sum, one) => sum + one, 0) / n;
  const variance = n < 2 ? 1 : corrections.reduce((sum, one) => sum + (one - correction) ** 2, 0) / (n - 1);
  const rate = mean + correction;
  const margin = Z_TWO_SIDED * Math.sqrt(spread / N + variance / n);
  return { rate, low: Math.max(low, rate - margin), high: Math.min(high, rate + margin) };
}
