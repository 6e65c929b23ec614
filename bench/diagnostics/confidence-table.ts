import {
  bucketOf,
  type ConfidenceBucket,
  type DetectorFigures,
  type MeasuredSignal,
  SCORE_BUCKETS,
} from "@/server/services/diagnostics/rules/confidence";
import { type Figures, figuresOf, type Verdict } from "./figures";
import type { Reading } from "./readings";

type Source = "measured" | "generated";

/** Returns the table from which the confidence of every Signal is derived. */
export function confidenceTable(
  signals: readonly string[],
  bySource: Record<Source, readonly Reading[]>,
): Record<string, MeasuredSignal> {
  return Object.fromEntries(
    signals.map((signal) => {
      const verdictsOf = (source: Source) =>
        bySource[source].filter((reading) => reading.signal === signal).map(({ verdict }) => verdict);
      const [measured, generated] = [verdictsOf("measured"), verdictsOf("generated")];
      const buckets = SCORE_BUCKETS.map(
        (from): ConfidenceBucket => ({ from, measured: countIn(from, measured), generated: countIn(from, generated) }),
      );
      return [
        signal,
        {
          measured: rounded(figuresOf(measured)),
          generated: rounded(figuresOf(generated)),
          buckets: buckets.filter((bucket) => bucket.measured.n + bucket.generated.n > 0),
        },
      ];
    }),
  );
}

function rounded({ n, precision, recall, f1, auc }: Figures): DetectorFigures {
  const round = (value: number | null) => (value === null ? null : Number(value.toFixed(3)));
  return { n, precision: round(precision), recall: round(recall), f1: round(f1), auc: round(auc) };
}

function countIn(bucket: number, verdicts: readonly Verdict[]): { n: number; correct: number } {
  const inBucket = verdicts.flatMap(({ found, correct }) =>
    found.filter(({ score }) => bucketOf(score) === bucket).map(correct),
  );
  return { n: inBucket.length, correct: inBucket.filter(Boolean).length };
}
