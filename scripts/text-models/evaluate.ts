import {
  type HeldOutFigures,
  scoreText,
  type ThresholdFigures,
} from "@/server/services/diagnostics/detectors/text-model/score-text";
import { areaUnderCurve, hashOf } from "../../bench/labelled";
import { type Example, type Training, trainTextModel } from "./train";

const FOLDS = 5;
const THRESHOLDS = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95];

export type Scored = { positive: boolean; score: number };

/** Returns each example's score from a model trained without its group. */
export function crossValidated(examples: readonly Example[], training: Training): Scored[] {
  return folds(examples).flatMap((fold) => {
    const model = trainTextModel(
      examples.filter((one) => !fold.has(one.group)),
      training,
    );
    return examples
      .filter((one) => fold.has(one.group))
      .map(({ text, positive }) => ({ positive, score: scoreText(model, text) }));
  });
}

/** Splits the groups evenly by the order of their hashes, which does not depend on the order of the files. */
function folds(examples: readonly Example[]): ReadonlySet<string>[] {
  const groups = [...new Set(examples.map(({ group }) => group))].sort(
    (a, b) => hashOf(a) - hashOf(b) || (a < b ? -1 : 1),
  );
  return Array.from(
    { length: Math.min(FOLDS, groups.length) },
    (_, fold) => new Set(groups.filter((_group, at) => at % FOLDS === fold)),
  );
}

export function figuresOf(scored: readonly Scored[]): HeldOutFigures {
  const positives = scored.filter(({ positive }) => positive).length;
  return {
    n: scored.length,
    positives,
    auc: rounded(areaUnderCurve(scored)),
    at: THRESHOLDS.map((threshold) => atThreshold(scored, threshold)),
  };
}

function atThreshold(scored: readonly Scored[], threshold: number): ThresholdFigures {
  const over = scored.filter(({ score }) => score >= threshold);
  const correct = over.filter(({ positive }) => positive).length;
  const positives = scored.filter(({ positive }) => positive).length;
  return {
    threshold,
    precision: ratio(correct, over.length),
    recall: ratio(correct, positives),
    falseAlarms: ratio(over.length - correct, scored.length - positives),
  };
}

const ratio = (part: number, whole: number) => (whole === 0 ? null : rounded(part / whole));
const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(3)));
