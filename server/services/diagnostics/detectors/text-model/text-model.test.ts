import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Example, type Training, trainTextModel } from "../../../../../scripts/text-models/train";
import { readFeatures } from "./features";
import { scoreText, type TextModelFile, textModel } from "./score-text";
import { packWeights } from "./weights";

const TRAINING: Training = {
  features: {
    bits: 12,
    length: true,
    views: [{ from: "start", characters: 400, words: [1, 2], letters: [3, 4] }],
  },
  regularisation: 0.1,
  keep: 1000,
  minimumTexts: 1,
  balanced: true,
};
const EXAMPLES: Example[] = [
  ["The parcel never came and nobody helps me", true],
  ["Nobody answers, this is useless", true],
  ["Useless, the parcel is broken again", true],
  ["Das Paket ist schon wieder kaputt, so ein Mist", true],
  ["荷物がまた壊れています。ひどいです。", true],
  ["Thank you, the parcel came today", false],
  ["That answers my question, thank you", false],
  ["Great, it works again", false],
  ["Danke, das Paket ist heute angekommen", false],
  ["荷物が届きました。ありがとうございます。", false],
].map(([text, positive]) => ({ text: String(text), positive: positive === true, group: String(text) }));

describe("training", () => {
  const model = trainTextModel(EXAMPLES, TRAINING);

  test("separates a small set, in any language, and gives the same weights every time", () => {
    for (const { text, positive } of EXAMPLES) expect(scoreText(model, text) > 0.5).toBe(positive);
    expect(trainTextModel(EXAMPLES, TRAINING)).toEqual(model);
  });

  test("generalises to texts that share words, whatever their case or width", () => {
    expect(scoreText(model, "THIS IS USELESS")).toBeGreaterThan(0.5);
    expect(scoreText(model, "Ｎｏｂｏｄｙ ｈｅｌｐｓ")).toBe(scoreText(model, "nobody helps"));
    expect(scoreText(model, "ありがとう")).toBeLessThan(0.5);
  });

  test("keeps at most the requested number of weights", () => {
    const small = trainTextModel(EXAMPLES, { ...TRAINING, keep: 20 });
    expect(small.weights.filter((weight) => weight !== 0).length).toBeLessThanOrEqual(20);
  });

  test("a stored model scores like the trained one", () => {
    const stored = textModel(JSON.parse(JSON.stringify({ ...model, weights: packWeights(model.weights) })));
    for (const { text } of EXAMPLES) expect(scoreText(stored, text)).toBe(scoreText(model, text));
    expect(stored.weights).toEqual(model.weights);
  });
});

describe("a text's features", () => {
  const settings = TRAINING.features;
  const count = (text: string) => readFeatures(text, settings).ends.at(-1);

  test("are each counted once", () => expect(count("no no no no")).toBe(count("no no no")));
  test("give an empty text a score of 0", () => expect(scoreText(trainTextModel(EXAMPLES, TRAINING), "")).toBe(0));
  test("are read only up to the bound", () => {
    const long = "parcel ".repeat(100_000);
    const words = { ...settings, length: false };
    expect(readFeatures(long, words).ends).toEqual(readFeatures(long.slice(0, 400), words).ends);
  });
});

describe("the shipped models", () => {
  const directory = path.join(import.meta.dirname, "models");
  const files = readdirSync(directory).filter((file) => file.endsWith(".generated.json"));
  const LICENCES = /^(?:MIT|Apache-2\.0|BSD-[23]-Clause|CC0-1\.0|CC-BY-[34]\.0|our own)$/;

  test.each(files)("%s lists its data with licence and date, and its figures on held-out texts", (name) => {
    const text = readFileSync(path.join(directory, name), "utf8");
    const file = JSON.parse(text) as TextModelFile;
    expect(name).toBe(`${file.name}.generated.json`);
    expect(file.trainedAt).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(file.data.length).toBeGreaterThan(0);
    for (const { licence, source, date, n, positives } of file.data) {
      expect(licence).toMatch(LICENCES);
      expect(source).not.toBe("");
      expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(n).toBeGreaterThanOrEqual(positives);
    }
    expect(file.heldOut.byGroup.auc).toBeGreaterThan(0.6);
    expect(text.length).toBeLessThan(100_000);
    expect(scoreText(textModel(file), "I can help you with that.")).toBeGreaterThan(0);
  });
});
