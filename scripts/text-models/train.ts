import { type FeatureSettings, readFeatures } from "@/server/services/diagnostics/detectors/text-model/features";
import type { TextModel } from "@/server/services/diagnostics/detectors/text-model/score-text";
import { minimise } from "./minimise";

/** A labelled text. Texts of one `group` (a question, an attack, a person) are never used both to train and to evaluate. */
export type Example = { text: string; positive: boolean; group: string; weight?: number };

export type Training = {
  features: FeatureSettings;
  /** Strength of the pull towards zero: about 0.1 for plenty of clean data, 3 for little. */
  regularisation: number;
  /** Number of weights that are shipped. The largest weights are refitted without the others. */
  keep: number;
  /** Features in fewer texts are ignored. */
  minimumTexts: number;
  /** Gives both classes the same total weight, so that .5 is a sensible threshold whatever their shares of the data. */
  balanced: boolean;
};

const ITERATIONS = 80;
const WEIGHT_MAXIMUM = 127;

type Row = { indices: Uint32Array; ends: readonly number[]; sign: 1 | -1; weight: number };

/** Fits a logistic regression. The same examples in the same order give the same model. */
export function trainTextModel(examples: readonly Example[], training: Training): TextModel {
  const rows = rowsOf(examples, training);
  const size = 1 << training.features.bits;
  const frequent = commonFeatures(rows, size, training.minimumTexts);
  const first = fitWeights(rows, frequent, training.regularisation);
  const largest = keepLargest(first.weights, training.keep);
  const { weights, bias } = fitWeights(rows, largest, training.regularisation);
  return quantised(weights, bias, training.features);
}

function rowsOf(examples: readonly Example[], { features, balanced }: Training): Row[] {
  const total = (positive: boolean) =>
    examples.reduce((sum, one) => sum + (one.positive === positive ? (one.weight ?? 1) : 0), 0);
  const [positives, negatives] = [total(true), total(false)];
  const factor = (positive: boolean) =>
    balanced ? (positives + negatives) / (2 * (positive ? positives : negatives)) : 1;
  return examples.map(({ text, positive, weight = 1 }) => {
    const { indices, ends } = readFeatures(text, features);
    return {
      indices: indices.slice(0, ends.at(-1) ?? 0),
      ends,
      sign: positive ? 1 : -1,
      weight: weight * factor(positive),
    };
  });
}

function commonFeatures(rows: readonly Row[], size: number, minimum: number): Uint8Array {
  const counts = new Uint32Array(size);
  for (const { indices } of rows) for (const index of indices) counts[index]!++;
  return Uint8Array.from(counts, (count) => (count >= minimum ? 1 : 0));
}

/** Fits the weights of the `allowed` features; the others stay zero. The bias is not regularised. */
function fitWeights(rows: readonly Row[], allowed: Uint8Array, regularisation: number) {
  const size = allowed.length;
  const fitted = minimise(
    (x, gradient) => {
      gradient.fill(0);
      let loss = 0;
      for (const row of rows) {
        const margin = row.sign * logitOf(row, x, x[size]!);
        loss += row.weight * (margin > 0 ? Math.log1p(Math.exp(-margin)) : Math.log1p(Math.exp(margin)) - margin);
        const pull = (-row.sign * row.weight) / (1 + Math.exp(margin));
        gradient[size]! += pull;
        let from = 0;
        for (const end of row.ends) {
          const each = pull / Math.sqrt(Math.max(1, end - from));
          for (let at = from; at < end; at++) gradient[row.indices[at]!]! += each;
          from = end;
        }
      }
      for (let index = 0; index < size; index++) {
        if (!allowed[index]) {
          gradient[index] = 0;
          continue;
        }
        loss += (regularisation / 2) * x[index]! * x[index]!;
        gradient[index]! += regularisation * x[index]!;
      }
      return loss;
    },
    size + 1,
    ITERATIONS,
  );
  return { weights: fitted.subarray(0, size), bias: fitted[size]! };
}

function logitOf({ indices, ends }: Row, weights: Float64Array, bias: number): number {
  let logit = bias;
  let from = 0;
  for (const end of ends) {
    let sum = 0;
    for (let at = from; at < end; at++) sum += weights[indices[at]!]!;
    if (end > from) logit += sum / Math.sqrt(end - from);
    from = end;
  }
  return logit;
}

function keepLargest(weights: Float64Array, keep: number): Uint8Array {
  const order = Array.from(weights.keys()).sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!) || a - b);
  const kept = new Uint8Array(weights.length);
  for (const index of order.slice(0, keep)) if (weights[index] !== 0) kept[index] = 1;
  return kept;
}

function quantised(weights: Float64Array, bias: number, features: FeatureSettings): TextModel {
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
  const scale = Number((largest / WEIGHT_MAXIMUM || 1).toPrecision(6));
  return {
    features,
    bias: Number(bias.toPrecision(6)),
    scale,
    weights: Int8Array.from(weights, (weight) => Math.round(weight / scale)),
  };
}
