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
 * bucket, shrunk towards `PRIOR_PRECISION` when based on few verdicts.
 */
export function confidenceOf(signal: string, score: number): Confidence {
  const bucket = signals[signal]?.buckets.find(({ from }) => from === bucketOf(score));
  const measuredVerdicts = bucket?.measured ?? { n: 0, correct: 0 };
  const generatedVerdicts = bucket?.generated ?? { n: 0, correct: 0 };
  const n = measuredVerdicts.n + GENERATED_WEIGHT * generatedVerdicts.n;
  const correct = measuredVerdicts.correct + GENERATED_WEIGHT * generatedVerdicts.correct;
  const value = (correct + PRIOR_VERDICTS * PRIOR_PRECISION) / (n + PRIOR_VERDICTS);
  const basis = measuredVerdicts.n > 0 ? "measured" : generatedVerdicts.n > 0 ? "generated" : "prior";
  return { value, basis, n: measuredVerdicts.n + generatedVerdicts.n };
}
