/**
 * Trains the text models of the diagnostics: `npm run models:train -- DIR [NAME…] [--check]`. DIR contains the data sets that
 * `scripts/text-models/data` names. Prints the figures on held-out texts, by group and by data set. `--check` writes nothing.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type {
  HeldOutFigures,
  TextModelData,
  TextModelFile,
} from "@/server/services/diagnostics/detectors/text-model/score-text";
import { scoreText } from "@/server/services/diagnostics/detectors/text-model/score-text";
import { packWeights } from "@/server/services/diagnostics/detectors/text-model/weights";
import { crossValidated, figuresOf } from "./text-models/evaluate";
import { TEXT_MODELS, type TextModelSpec } from "./text-models/models";
import { type DataSet, MissingData } from "./text-models/read-data";
import { type Example, trainTextModel } from "./text-models/train";

const MODELS = path.join(import.meta.dirname, "../server/services/diagnostics/detectors/text-model/models");

type Part = { set: DataSet; examples: Example[] };

function run(spec: TextModelSpec, from: string): void {
  const parts = read(spec, from);
  if (!parts) return;
  const examples = parts.flatMap((part) => part.examples);
  const byGroup = figuresOf(crossValidated(examples, spec.training));
  print(`${spec.name}, folds by group`, byGroup);
  const byData = parts.length === 1 ? {} : Object.fromEntries(parts.map((part) => [part.set.name, without(part)]));
  for (const [name, figures] of Object.entries(byData)) print(`  without ${name}`, figures);
  const { features, bias, scale, weights } = trainTextModel(examples, spec.training);
  const file: TextModelFile = {
    name: spec.name,
    predicts: spec.predicts,
    trainedAt: new Date().toISOString().slice(0, "YYYY-MM-DD".length),
    data: parts.map(dataOf),
    heldOut: { byGroup, byData },
    features,
    bias,
    scale,
    weights: packWeights(weights),
  };
  if (!process.argv.includes("--check")) write(file);

  function without(part: Part): HeldOutFigures {
    const groups = new Set(part.examples.map(({ group }) => group));
    const others = parts!.filter((one) => one !== part).flatMap((one) => one.examples);
    const model = trainTextModel(
      others.filter(({ group }) => !groups.has(group)),
      spec.training,
    );
    return figuresOf(part.examples.map(({ text, positive }) => ({ positive, score: scoreText(model, text) })));
  }
}

function read(spec: TextModelSpec, from: string): Part[] | null {
  try {
    return spec.data.map((set) => ({ set, examples: set.read(from) }));
  } catch (error) {
    if (!(error instanceof MissingData)) throw error;
    console.log(`${spec.name}: left as it is, there is no ${error.message}`);
    return null;
  }
}

const dataOf = ({ set: { read: _, ...set }, examples }: Part): TextModelData => ({
  ...set,
  n: examples.length,
  positives: examples.filter(({ positive }) => positive).length,
});

/** Writes a model's file, keeping the date of an unchanged model so that the same data gives the same file. */
function write(file: TextModelFile): void {
  const target = path.join(MODELS, `${file.name}.generated.json`);
  const before = existsSync(target) ? (JSON.parse(readFileSync(target, "utf8")) as TextModelFile) : null;
  const same = before && JSON.stringify({ ...before, trainedAt: file.trainedAt }) === JSON.stringify(file);
  const text = `${JSON.stringify(same ? before : file, null, 2)}\n`;
  writeFileSync(target, text);
  console.log(`  ${path.relative(process.cwd(), target)}: ${(text.length / 1024).toFixed(0)} kB`);
}

function print(name: string, { n, positives, auc, at }: HeldOutFigures): void {
  console.log(`${name}: ${n} texts, ${positives} positive, AUC ${auc ?? "–"}`);
  for (const { threshold, precision, recall, falseAlarms } of at) {
    const f1 = precision && recall ? ((2 * precision * recall) / (precision + recall)).toFixed(3) : "–";
    console.log(
      `    ≥ ${threshold}: precision ${precision ?? "–"}, recall ${recall ?? "–"}, F1 ${f1}, false alarms ${falseAlarms ?? "–"}`,
    );
  }
}

const [directory, ...names] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (!directory) throw new Error("Name the directory of the data sets: npm run models:train -- DIR");
for (const spec of TEXT_MODELS) if (names.length === 0 || names.includes(spec.name)) run(spec, directory);
