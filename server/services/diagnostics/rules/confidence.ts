import table from "./confidence-table.generated.json" with { type: "json" };
import { CONFIDENCE_BASES } from "./schemas";
import { wilson } from "./trend";

/** One bucket of a detector's scores, with the number of matches that were correct on labelled data. `from` is inclusive. */
export type ConfidenceBucket = {
  from: number;
  /** On conversations labelled by people or benchmarks. */
  measured: { n: number; correct: number };
  /** On generated conversations, which show that it works, not how precise it is on real ones. */
  generated: { n: number; correct: number };
};
/** Evaluation metrics of one detector, by conversation; `null` where nothing was labelled or detected. */
export type DetectorFigures = {
  n: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  auc: number | null;
};

/**
 * Metrics of one Signal from `npm run bench -- diagnostics`. `measured` is on externally labelled conversations (on which the
 * detectors were tuned), with `n` = 0 and nulls where there are none. `generated` is on conversations that we generated: it
 * verifies the detectors and must not be presented as precision on real ones.
 */
export type MeasuredSignal = { measured: DetectorFigures; generated: DetectorFigures; buckets: ConfidenceBucket[] };

type Basis = (typeof CONFIDENCE_BASES)[number];

/** The verdicts behind a confidence: `n` of that kind, with the 95 % interval (Wilson) of their precision if measured. */
export type Grounds = { basis: Basis; n: number; interval: { low: number; high: number } | null };
export type Confidence = { value: number } & Grounds;

/** Precision assumed for an unmeasured detector. */
export const PRIOR_PRECISION = 0.5;
/** Weight of the prior in verdicts: ten measured ones outweigh it. */
const PRIOR_VERDICTS = 5;
/** From this score on, a detector considers a Signal likely. Verdicts below it say nothing about those above, or vice versa. */
const LIKELY_SCORE = 0.5;
/** Weight of a generated verdict relative to a measured one. */
const GENERATED_WEIGHT = 0.25;

const signals = table.signals as Record<string, MeasuredSignal | undefined>;

/** Lower bounds of the score buckets. */
export const SCORE_BUCKETS = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** Returns the lower bound of a score's bucket. */
export const bucketOf = (score: number): number => SCORE_BUCKETS.findLast((from) => score >= from) ?? 0;

/** Returns the benchmark's metrics of a Signal. */
export const measured = (signal: string): MeasuredSignal | undefined => signals[signal];

/**
 * Returns the probability that a verdict of this detector at this score is correct: the precision measured in the score's
 * bucket, shrunk towards that of the others when based on few verdicts, and never lower for a higher score.
 */
export function confidenceOf(signal: string, score: number): Confidence {
  const known = confidencesOf(signal);
  return known[
    Math.max(
      0,
      SCORE_BUCKETS.findLastIndex((from) => score >= from),
    )
  ]!;
}

const ASSUMED: Grounds = { basis: "assumed", n: 0, interval: null };
/** Values from an earlier table of the same data differ by less than this. */
const SAME_VALUE = 0.02;

/** Returns what a Signal's stored confidence rests on; one that is in no bucket is not ours, but an adjudicator's own. */
export function groundsOf(signal: string, value: number): Grounds {
  const near = confidencesOf(signal)
    .map((one) => ({ one, away: Math.abs(one.value - value) }))
    .filter(({ away }) => away < SAME_VALUE)
    .sort((a, b) => a.away - b.away)[0];
  if (!near) return ASSUMED;
  const { basis, n, interval } = near.one;
  return { basis, n, interval };
}

const confidences = new Map<string, readonly Confidence[]>();

function confidencesOf(signal: string): readonly Confidence[] {
  let known = confidences.get(signal);
  if (!known) {
    known = confidencesPerBucket(signals[signal]?.buckets ?? []);
    confidences.set(signal, known);
  }
  return known;
}

/** Returns the confidence in each of `SCORE_BUCKETS`. */
function confidencesPerBucket(buckets: readonly ConfidenceBucket[]): Confidence[] {
  const curve = confidenceCurve(buckets);
  return SCORE_BUCKETS.map((from) => {
    const { from: _, ...known } = curve.findLast((one) => one.from <= from) ?? {
      from,
      value: PRIOR_PRECISION,
      ...ASSUMED,
    };
    return known;
  });
}

type Counts = { n: number; correct: number };
type Verdicts = Record<"measured" | "generated", Counts>;
const NO_VERDICTS: Verdicts = { measured: { n: 0, correct: 0 }, generated: { n: 0, correct: 0 } };

const sumOf = (a: Verdicts, b: Verdicts): Verdicts => ({
  measured: { n: a.measured.n + b.measured.n, correct: a.measured.correct + b.measured.correct },
  generated: { n: a.generated.n + b.generated.n, correct: a.generated.correct + b.generated.correct },
});
const weighed = ({ measured: real, generated }: Verdicts): Counts => ({
  n: real.n + GENERATED_WEIGHT * generated.n,
  correct: real.correct + GENERATED_WEIGHT * generated.correct,
});

/**
 * Returns the confidence per bucket that has verdicts, ascending: otherwise a bucket with one wrong verdict would suppress
 * scores between two that are nearly always right.
 */
export function confidenceCurve(buckets: readonly ConfidenceBucket[]): ({ from: number } & Confidence)[] {
  const othersOf = (from: number) =>
    buckets
      .filter((one) => one.from !== from && Math.min(one.from, from) >= LIKELY_SCORE)
      .reduce<Verdicts>(sumOf, NO_VERDICTS);
  const expected = (from: number) => {
    const { n, correct } = weighed(othersOf(from));
    return (correct + PRIOR_VERDICTS * PRIOR_PRECISION) / (n + PRIOR_VERDICTS);
  };
  const pools: { froms: number[]; weight: number; value: number; own: Verdicts }[] = [];
  for (const { from, ...own } of buckets) {
    const { n, correct } = weighed(own);
    const weight = n + PRIOR_VERDICTS;
    let pool = { froms: [from], weight, value: (correct + PRIOR_VERDICTS * expected(from)) / weight, own };
    // Pools adjacent buckets whose order is wrong (isotonic regression).
    for (let last = pools.at(-1); last && last.value > pool.value; last = pools.at(-1)) {
      pools.pop();
      const both = last.weight + pool.weight;
      const value = (last.weight * last.value + pool.weight * pool.value) / both;
      pool = { froms: [...last.froms, ...pool.froms], weight: both, value, own: sumOf(last.own, pool.own) };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ froms, value, own }) => {
    const others = buckets
      .filter((one) => !froms.includes(one.from) && Math.min(one.from, froms[0]!) >= LIKELY_SCORE)
      .reduce<Verdicts>(sumOf, NO_VERDICTS);
    return froms.map((from) => ({ from, value, ...groundsOn(own, others) }));
  });
}

/** Names what weighs most in a value of `own` verdicts that is shrunk towards the `others` and the prior. */
function groundsOn(own: Verdicts, others: Verdicts): Grounds {
  const share = PRIOR_VERDICTS / (weighed(others).n + PRIOR_VERDICTS);
  const weights: Record<Basis, number> = {
    measured: own.measured.n + share * others.measured.n,
    generated: GENERATED_WEIGHT * (own.generated.n + share * others.generated.n),
    assumed: share * PRIOR_VERDICTS,
  };
  const basis = CONFIDENCE_BASES.reduce((most, one) => (weights[one] > weights[most] ? one : most));
  if (basis === "assumed") return ASSUMED;
  const { n, correct } = own[basis].n >= PRIOR_VERDICTS ? own[basis] : sumOf(own, others)[basis];
  const interval = basis === "measured" ? wilson({ affected: correct, conversations: n }) : null;
  return { basis, n, interval: interval && { low: interval.low, high: interval.high } };
}
