import table from "./confidence-table.generated.json" with { type: "json" };

/** One bucket of a detector's scores: how many of its matches were right on labelled data. `from` inclusive. */
export type ConfidenceBucket = {
  from: number;
  /** On conversations that people or benchmarks labelled. */
  measured: { n: number; correct: number };
  /** On conversations that we generated: they show that it works, not how often it is right in the world. */
  generated: { n: number; correct: number };
};
/** Precision and the like of one detector, by conversation; `null` where nothing was labelled or nothing found. */
export type DetectorFigures = {
  n: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  auc: number | null;
};

/**
 * What is known of one Signal, by `npm run bench:diagnostics`. `measured` is on conversations that others labelled (and that the
 * detectors were tuned on), with `n` = 0 and nulls where nobody did. `generated` is on conversations that we wrote beside the
 * detectors: it shows that they do what they say, and must not be shown as precision in the world.
 */
export type MeasuredSignal = { measured: DetectorFigures; generated: DetectorFigures; buckets: ConfidenceBucket[] };

/** `basis` says what the figure rests on, and `n` on how many verdicts. */
export type Confidence = { value: number; basis: "measured" | "generated" | "prior"; n: number };

/** Precision assumed of a detector nobody measured: right as often as not. */
export const PRIOR_PRECISION = 0.5;
/** Verdicts that the prior counts for: ten measured ones outweigh it. */
const PRIOR_VERDICTS = 5;
/** What a generated verdict counts for beside a measured one. */
const GENERATED_WEIGHT = 0.25;

const signals = table.signals as Record<string, MeasuredSignal | undefined>;

/** Lower bounds of the buckets into which scores fall. */
export const SCORE_BUCKETS = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** The bucket of a score: its lower bound. */
export const bucketOf = (score: number): number => SCORE_BUCKETS.findLast((from) => score >= from) ?? 0;

/** What the benchmark knows of a Signal. */
export const measured = (signal: string): MeasuredSignal | undefined => signals[signal];

/**
 * How likely a verdict of this detector at this score is right: measured precision in the score's bucket, drawn towards
 * `PRIOR_PRECISION` where few verdicts are behind it.
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
