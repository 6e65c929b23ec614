import { expect, test } from "vitest";
import { pointsOf, rowsOf } from "./lines";
import { formatMetric } from "./metric-words";
import { chartsOf } from "./series";

test("lines with different steps share a chart's rows, ordered by step", () => {
  const line = (label: string, points: [number, number][]) => ({ key: label, label, color: "", points });
  const rows = rowsOf([
    line("loss", [
      [1, 2],
      [2, 1.5],
    ]),
    line("eval", [
      [2, 1.8],
      [4, 1.2],
    ]),
  ]);
  expect(rows).toEqual([
    { step: 1, line0: 2 },
    { step: 2, line0: 1.5, line1: 1.8 },
    { step: 4, line1: 1.2 },
  ]);
});

test("NaN values are not plotted", () => {
  const series = { series: "loss", stepsPerPoint: 1, step: [1, 2], mean: [Number.NaN, 2], min: [], max: [], at: [] };
  expect(pointsOf(series)).toEqual([[2, 2]]);
});

test("related series share a chart, and an unknown one has its own", () => {
  const charts = chartsOf(["eval_loss", "rewards_chosen", "train_loss", "rewards_rejected", "house_metric"]);
  expect(charts.map(({ id, series }) => [id, series])).toEqual([
    ["loss", ["train_loss", "eval_loss"]],
    ["rewards", ["rewards_chosen", "rewards_rejected"]],
    ["house_metric", ["house_metric"]],
  ]);
});

test("metrics are rounded to a few significant digits", () => {
  expect([0.81234, 12.3456, 0.0000128, 0, null].map(formatMetric)).toEqual(["0.812", "12.35", "1.28e-5", "0", "—"]);
});
