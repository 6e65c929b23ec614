import { type Interval, type Rate, wilson } from "../rules";

/** Conversations of one kind and day, and how many of them have the Finding. `day`: Unix ms of its start. */
export type DayCount = Rate & { day: number; kind: string; isSince: boolean };
type Stratum = { before: Rate; since: Rate };

/** Error of a verdict over all looks together, however often it is looked at. */
const ALPHA = 0.05;
/** With fewer occurrences before, the rate before is too uncertain to fall. */
const AFFECTED_BEFORE_MIN = 5;
/** More conversations than this are not waited for. */
const WAIT_MAX = 10_000_000;

const NONE: Rate = { affected: 0, conversations: 0 };
const plus = (a: Rate, b: Rate): Rate => ({
  affected: a.affected + b.affected,
  conversations: a.conversations + b.conversations,
});
const sum = (rates: readonly Rate[]) => rates.reduce(plus, NONE);

/**
 * Returns the rate since minus the rate before, with limits that hold at every look: the mixture sequential probability ratio
 * test (Johari 2017) over kinds of conversations, each compared with itself. `dispersion`: how much more the rate varies from
 * day to day than chance. `null` if no kind has conversations on both sides.
 */
export function alwaysValidDifference(strata: readonly Stratum[], dispersion = 1): Interval | null {
  let [weights, before, difference, variance] = [0, 0, 0, 0];
  for (const one of strata) {
    const [n0, n1] = [one.before.conversations, one.since.conversations];
    if (n0 === 0 || n1 === 0) continue;
    const weight = (n0 * n1) / (n0 + n1);
    const [p0, p1] = [one.before.affected / n0, one.since.affected / n1];
    const pooled = (one.before.affected + one.since.affected) / (n0 + n1);
    weights += weight;
    before += weight * p0;
    difference += weight * (p1 - p0);
    variance += weight * pooled * (1 - pooled);
  }
  if (weights === 0) return null;
  const rate = difference / weights;
  const margin = alwaysValidMargin((dispersion * variance) / (weights * weights), before / weights / 2) ?? 1;
  return { rate, low: Math.max(-1, rate - margin), high: Math.min(1, rate + margin) };
}

/**
 * Returns how far from an observed difference with this variance the true one may lie, with 95 % confidence at every look;
 * `expected` is the size of a difference that matters. `null` if nothing can be said.
 */
export function alwaysValidMargin(variance: number, expected: number): number | null {
  const spread = expected ** 2;
  if (variance === 0 || spread === 0) return null;
  const total = variance + spread;
  return Math.sqrt(((variance * total) / spread) * (Math.log(total / variance) - 2 * Math.log(ALPHA)));
}

/** Returns the p of the same test (Johari 2017), which may be looked at as often as one likes. */
export function alwaysValidP(difference: number, variance: number, expected: number): number {
  const spread = expected ** 2;
  if (variance === 0 || spread === 0) return 1;
  const total = variance + spread;
  return Math.min(1, Math.sqrt(total / variance) * Math.exp((-(difference ** 2) * spread) / (2 * variance * total)));
}

/** Returns how much more the daily counts vary than chance alone explains: Pearson's χ² over its degrees of freedom, at least 1. */
export function dispersionOf(days: readonly Rate[]): number {
  const counted = days.filter(({ conversations }) => conversations > 0);
  const { affected, conversations } = sum(counted);
  const p = affected / conversations;
  if (counted.length < 2 || affected === 0 || affected === conversations) return 1;
  const chiSquare = counted.reduce((total, day) => {
    const expected = day.conversations * p;
    return total + (day.affected - expected) ** 2 / (expected * (1 - p));
  }, 0);
  return Math.max(1, chiSquare / (counted.length - 1));
}

/**
 * Returns how many conversations since a fix prove that `left` of the rate is left; `null` if no number does, because there is
 * too little before the fix.
 */
export function conversationsToProve(before: Rate, { left = 0, dispersion = 1 } = {}): number | null {
  const p0 = before.affected / before.conversations;
  const isEnough = (conversations: number) => {
    const since = { affected: p0 * left * conversations, conversations };
    const difference = alwaysValidDifference([{ before, since }], dispersion);
    return difference !== null && difference.high < 0;
  };
  if (before.affected < AFFECTED_BEFORE_MIN || !isEnough(WAIT_MAX)) return null;
  let [low, high] = [0, WAIT_MAX];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

export type Watched = {
  before: Rate;
  since: Rate;
  difference: Interval | null;
  verdict: "proven" | "not_proven" | "not_enough";
  /** The kinds that are compared: those with conversations on both sides or, while there are none, all from before. */
  kinds: ReadonlySet<string>;
  /** Conversations since that are not compared, because there were none of their kind before. */
  withoutPast: number;
  /** Conversations before that are not compared, because there is none of their kind since. */
  withoutSince: number;
  /** Conversations since that prove a complete fix; `null` if none do. */
  needed: number | null;
};

/** Compares the conversations since a fix with those before, each kind with itself; rates are of the kinds that are compared. */
export function watch(counts: readonly DayCount[]): Watched {
  const strata = new Map<string, Stratum>();
  for (const one of counts) {
    const known = strata.get(one.kind) ?? { before: NONE, since: NONE };
    const side = one.isSince ? "since" : "before";
    strata.set(one.kind, { ...known, [side]: plus(known[side], one) });
  }
  const known = [...strata].filter(([, { before }]) => before.conversations > 0);
  const onBothSides = known.filter(([, { since }]) => since.conversations > 0);
  const chosen = onBothSides.length > 0 ? onBothSides : known;
  const kinds = new Set(chosen.map(([kind]) => kind));
  const compared = chosen.map(([, stratum]) => stratum);
  const before = sum(compared.map((one) => one.before));
  const since = sum(compared.map((one) => one.since));
  const allOn = (side: boolean) => sum(counts.filter(({ isSince }) => isSince === side));
  const dispersion = dispersionOf(daysBefore(counts.filter(({ kind }) => kinds.has(kind))));
  const difference = alwaysValidDifference(compared, dispersion);
  return {
    before,
    since,
    difference,
    verdict: verdictOf(before, difference),
    kinds,
    withoutPast: allOn(true).conversations - since.conversations,
    withoutSince: allOn(false).conversations - before.conversations,
    needed: conversationsToProve(before, { dispersion }),
  };
}

function daysBefore(counts: readonly DayCount[]): Rate[] {
  const days = new Map<number, Rate>();
  for (const one of counts) if (!one.isSince) days.set(one.day, plus(days.get(one.day) ?? NONE, one));
  return [...days.values()];
}

/** Proven: the rate has fallen. Not proven: whatever is still possible, it has not halved. */
function verdictOf(before: Rate, difference: Interval | null): Watched["verdict"] {
  if (difference === null || before.affected < AFFECTED_BEFORE_MIN) return "not_enough";
  if (difference.high < 0) return "proven";
  const halved = -(wilson(before)?.rate ?? 0) / 2;
  return difference.low > halved ? "not_proven" : "not_enough";
}

const ORDER: Record<Watched["verdict"], number> = { not_proven: 0, not_enough: 1, proven: 2 };

/** Returns the comparison that shows less of a fall. */
export function worseOf(a: Watched, b: Watched): Watched {
  if (a.verdict !== b.verdict) return ORDER[a.verdict] < ORDER[b.verdict] ? a : b;
  return (a.difference?.rate ?? 1) >= (b.difference?.rate ?? 1) ? a : b;
}
