import table from "./confidence-table.generated.json" with { type: "json" };

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
 * Metrics of one Signal from `npm run bench:diagnostics`. `measured` is on externally labelled conversations (on which the
 * detectors were tuned), with `n` = 0 and nulls where there are none. `generated` is on conversations that we generated: it
 * verifies the detectors and must not be presented as precision on real ones.
 */
export type MeasuredSignal = { measured: DetectorFigures; generated: DetectorFigures; buckets: ConfidenceBucket[] };

/** `basis` is the kind of data behind the figure, and `n` the number of verdicts. */
export type Confidence = { value: number; basis: "measured" | "generated" | "prior"; n: number };

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
  let known = confidences.get(signal);
  if (!known) {
    known = confidencesPerBucket(signals[signal]?.buckets ?? []);
    confidences.set(signal, known);
  }
  return known[
    Math.max(
      0,
      SCORE_BUCKETS.findLastIndex((from) => score >= from),
    )
  ]!;
}

const confidences = new Map<string, readonly Confidence[]>();

/** Returns the confidence in each of `SCORE_BUCKETS`. */
function confidencesPerBucket(buckets: readonly ConfidenceBucket[]): Confidence[] {
  const curve = confidenceCurve(buckets);
  return SCORE_BUCKETS.map((from) => {
    const bucket = buckets.find((one) => one.from === from);
    const n = (bucket?.measured.n ?? 0) + (bucket?.generated.n ?? 0);
    const basis = !bucket || n === 0 ? "prior" : bucket.measured.n > 0 ? "measured" : "generated";
    return { value: curve.findLast((one) => one.from <= from)?.value ?? PRIOR_PRECISION, basis, n };
  });
}

/**
 * Returns the confidence per bucket that has verdicts, ascending: otherwise a bucket with one wrong verdict would suppress
 * scores between two that are nearly always right.
 */
export function confidenceCurve(buckets: readonly ConfidenceBucket[]): { from: number; value: number }[] {
  const counted = buckets.map(({ from, measured: of, generated }) => ({
    from,
    n: of.n + GENERATED_WEIGHT * generated.n,
    correct: of.correct + GENERATED_WEIGHT * generated.correct,
  }));
  const expected = (from: number) => {
    const others = counted.filter((one) => one.from !== from && Math.min(one.from, from) >= LIKELY_SCORE);
    const sum = (field: "n" | "correct") => others.reduce((total, one) => total + one[field], 0);
    return (sum("correct") + PRIOR_VERDICTS * PRIOR_PRECISION) / (sum("n") + PRIOR_VERDICTS);
  };
  const pools: { froms: number[]; weight: number; value: number }[] = [];
  for (const { from, n, correct } of counted) {
    const weight = n + PRIOR_VERDICTS;
    let pool = { froms: [from], weight, value: (correct + PRIOR_VERDICTS * expected(from)) / weight };
    // Pools adjacent buckets whose order is wrong (isotonic regression).
    for (let last = pools.at(-1); last && last.value > pool.value; last = pools.at(-1)) {
      pools.pop();
      const both = last.weight + pool.weight;
      const value = (last.weight * last.value + pool.weight * pool.value) / both;
      pool = { froms: [...last.froms, ...pool.froms], weight: both, value };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ froms, value }) => froms.map((from) => ({ from, value })));
}
