import { Z_TWO_SIDED as Z } from "@/server/platform/statistics";
import { alwaysValidMargin, alwaysValidP } from "../fixes/watch";
import { wilson } from "../rules";
import { fisherTest } from "../rules/fisher";
import { orderStatistic } from "./order-statistic";
import type { ComparedRow, ComparedSide, Verdict } from "./schemas";

/** A conversation of which the row is known: 1 or 0 of a share, US dollars, or milliseconds. `day`: of its start. */
export type Observed = { day: number; value: number };
export type Sides<One> = { baseline: One; compared: One };
export type Measured = Pick<ComparedRow, "kind" | "finding"> & Sides<readonly Observed[]>;

/** Probability of a verdict on any row while nothing differs, however often it is looked at. */
const ERROR_MAX = 0.05;
/** Fewer conversations on a side say nothing of a share, or of a mean, whose distribution is skewed. */
const SHARE_MIN = 10;
const MEAN_MIN = 30;
/** The relative change of latency that matters. */
const LATENCY_CHANGE = Math.log(1.25);

type Judged = Omit<ComparedRow, "verdict" | "p"> & { p: number | null };

/**
 * Judges what was measured of two groups of conversations. Each row has a p that holds at every look while the groups grow: the
 * mixture sequential test (Johari 2017) with the variance between days, and for shares Fisher's exact test too, whichever is
 * greater. Holm's correction (1979) for the number of rows that could be tested says which rows may have a verdict.
 */
export function judgeRows(measured: readonly Measured[]): ComparedRow[] {
  const judged = measured.map((row) => (isShare(row) ? judgeShare(row) : judgeMean(row)));
  const corrected = holm(judged.map(({ p }) => p));
  const rows = judged.map((row, at): ComparedRow => {
    const p = corrected[at] ?? null;
    return { ...row, p, verdict: verdictOf(p, row.difference?.value ?? 0) };
  });
  return rows.toSorted((a, b) => ORDER[a.verdict] - ORDER[b.verdict] || (a.p ?? 2) - (b.p ?? 2));
}

const ORDER: Record<Verdict, number> = { worse: 0, better: 1, none_shown: 2, too_few: 3 };

function verdictOf(p: number | null, difference: number): Verdict {
  if (p === null) return "too_few";
  if (p >= ERROR_MAX) return "none_shown";
  return difference > 0 ? "worse" : "better";
}

/** Returns each p corrected for the number of those that are known. */
export function holm(ps: readonly (number | null)[]): (number | null)[] {
  const corrected: (number | null)[] = ps.map(() => null);
  const known = ps.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((a, b) => a.p - b.p);
  let least = 0;
  for (const [rank, { p, at }] of known.entries()) {
    least = Math.max(least, Math.min(1, p * (known.length - rank)));
    corrected[at] = least;
  }
  return corrected;
}

const isShare = ({ kind }: Measured) => kind !== "cost" && kind !== "latency";

function judgeShare({ kind, finding, baseline, compared }: Measured): Judged {
  const [first, second] = [momentsOf(baseline), momentsOf(compared)];
  const sides = { baseline: shareOf(first), compared: shareOf(second) };
  const pooled = (first.sum + second.sum) / (first.n + second.n);
  const variance = dispersionOf(first, second) * pooled * (1 - pooled) * (1 / first.n + 1 / second.n);
  const tested = testOf(second.mean - first.mean, variance, pooled / 2);
  const isEnough = Math.min(first.n, second.n) >= SHARE_MIN && first.sum + second.sum > 0;
  const exact = isEnough ? fisherTest(first.n, second.n)(first.sum, second.sum) : 1;
  const limits = (value: number | null) => (value === null ? null : Math.max(-1, Math.min(1, value)));
  const difference = { ...tested.difference, low: limits(tested.difference.low), high: limits(tested.difference.high) };
  return {
    kind,
    finding,
    ...sides,
    difference: first.n === 0 || second.n === 0 ? null : difference,
    p: isEnough ? Math.max(exact, tested.p) : null,
  };
}

function shareOf({ n, sum }: Moments): ComparedSide {
  const interval = wilson({ affected: sum, conversations: n });
  return {
    conversations: n,
    affected: sum,
    estimate: interval && { value: interval.rate, low: interval.low, high: interval.high },
    p95: null,
  };
}

/** Compares mean costs, or durations on a logarithmic scale, because these are skewed. */
function judgeMean({ kind, finding, baseline, compared }: Measured): Judged {
  const isLatency = kind === "latency";
  const scaled = (observed: readonly Observed[]) =>
    momentsOf(isLatency ? observed.map((one) => ({ ...one, value: Math.log(Math.max(1, one.value)) })) : observed);
  const [first, second] = [scaled(baseline), scaled(compared)];
  const dispersion = dispersionOf(first, second);
  const variance = dispersion * (first.variance / first.n + second.variance / second.n);
  const pooled = (first.sum + second.sum) / (first.n + second.n);
  const { difference, p } = testOf(second.mean - first.mean, variance, isLatency ? LATENCY_CHANGE : pooled / 2);
  const relative = (change: number | null) => (change === null ? null : Math.exp(change) - 1);
  const isEnough = Math.min(first.n, second.n) >= MEAN_MIN;
  const shown = isLatency
    ? {
        value: Math.exp(difference.value) - 1,
        low: relative(difference.low),
        high: relative(difference.high),
      }
    : difference;
  const side = isLatency ? latencyOf : costOf;
  return {
    kind,
    finding,
    baseline: side(baseline, first),
    compared: side(compared, second),
    difference: first.n === 0 || second.n === 0 ? null : shown,
    p: isEnough ? p : null,
  };
}

function costOf(_: readonly Observed[], { n, mean, variance }: Moments): ComparedSide {
  const margin = n < MEAN_MIN ? null : Z * Math.sqrt(variance / n);
  const limits = margin === null ? { low: null, high: null } : { low: Math.max(0, mean - margin), high: mean + margin };
  return { conversations: n, affected: null, estimate: n === 0 ? null : { value: mean, ...limits }, p95: null };
}

function latencyOf(observed: readonly Observed[]): ComparedSide {
  const sorted = observed.map(({ value }) => value).sort((a, b) => a - b);
  return {
    conversations: sorted.length,
    affected: null,
    estimate: orderStatistic(sorted, 0.5),
    p95: orderStatistic(sorted, 0.95),
  };
}

function testOf(difference: number, variance: number, expected: number) {
  const margin = alwaysValidMargin(variance, expected);
  return {
    difference: {
      value: difference,
      low: margin === null ? null : difference - margin,
      high: margin === null ? null : difference + margin,
    },
    p: alwaysValidP(difference, variance, expected),
  };
}

type Moments = { n: number; sum: number; mean: number; variance: number; days: ReadonlyMap<number, Sum> };
type Sum = { n: number; sum: number };

function momentsOf(observed: readonly Observed[]): Moments {
  const days = new Map<number, Sum>();
  for (const { day, value } of observed) {
    const known = days.get(day) ?? { n: 0, sum: 0 };
    days.set(day, { n: known.n + 1, sum: known.sum + value });
  }
  const n = observed.length;
  const sum = observed.reduce((total, { value }) => total + value, 0);
  const mean = n === 0 ? 0 : sum / n;
  const squares = observed.reduce((total, { value }) => total + (value - mean) ** 2, 0);
  return { n, sum, mean, variance: n < 2 ? 0 : squares / (n - 1), days };
}

/**
 * Returns how much more the days of a side vary than chance alone explains, at least 1: of shares, Pearson's χ² over its degrees
 * of freedom. The greater of both sides, because one of them may be a day old.
 */
function dispersionOf(...sides: readonly Moments[]): number {
  return Math.max(
    1,
    ...sides.map(({ mean, variance, days }) => {
      if (days.size < 2 || variance === 0) return 1;
      const between = [...days.values()].reduce((total, day) => total + day.n * (day.sum / day.n - mean) ** 2, 0);
      return between / variance / (days.size - 1);
    }),
  );
}
