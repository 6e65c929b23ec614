import { type FeatureSettings, readFeatures } from "./features";
import { unpackWeights } from "./weights";

/** Where training texts came from. `n` counts the texts used. */
export type TextModelData = {
  name: string;
  licence: string;
  source: string;
  date: string;
  n: number;
  positives: number;
};

/** Results at one threshold. `null` where nothing was predicted, or nothing labelled. */
export type ThresholdFigures = {
  threshold: number;
  precision: number | null;
  recall: number | null;
  falseAlarms: number | null;
};

/** Results on texts that were not trained on: folds of groups, or a whole data set left out. */
export type HeldOutFigures = { n: number; positives: number; auc: number | null; at: ThresholdFigures[] };

/** The contents of a `*.generated.json` written by `npm run models:train`. */
export type TextModelFile = {
  name: string;
  /** What a high score means, in a sentence. */
  predicts: string;
  trainedAt: string;
  data: TextModelData[];
  heldOut: { byGroup: HeldOutFigures; byData: Record<string, HeldOutFigures> };
  features: FeatureSettings;
  bias: number;
  scale: number;
  weights: string;
};

/** A logistic regression over the hashed n-grams of text. A feature's weight is `weights[index] * scale`. */
export type TextModel = { features: FeatureSettings; bias: number; scale: number; weights: Int8Array };

/** Unpacks a model file; done once, when its module loads. */
export function textModel(file: unknown): TextModel {
  const { features, bias, scale, weights } = file as TextModelFile;
  return { features, bias, scale, weights: unpackWeights(weights, 1 << features.bits) };
}

/** Returns the model's probability for text, 0..1; 0 if it is blank. Linear in the characters that its views read. */
export function scoreText(model: TextModel, text: string): number {
  if (text.trim() === "") return 0;
  const { indices, ends } = readFeatures(text, model.features);
  let logit = model.bias;
  let from = 0;
  for (const end of ends) {
    let sum = 0;
    for (let at = from; at < end; at++) sum += model.weights[indices[at]!]!;
    // Each group has length 1, so that long texts do not outweigh short ones.
    if (end > from) logit += (sum * model.scale) / Math.sqrt(end - from);
    from = end;
  }
  return 1 / (1 + Math.exp(-logit));
}
