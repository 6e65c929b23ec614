import type { MetricSeries } from "@/server/services/training/events/schemas";

/** One line of a chart: values by step. */
export type ChartLine = { key: string; label: string; color: string; points: readonly (readonly [number, number])[] };

/** A series' mean by the newest step of each of its points. */
export const pointsOf = ({ step, mean }: MetricSeries): [number, number][] =>
  step.flatMap((at, index): [number, number][] => {
    const value = mean[index];
    return value === undefined || !Number.isFinite(value) ? [] : [[at, value]];
  });

export type ChartRow = { step: number } & Record<string, number>;

/** Returns one row per step with the lines' values at that step, in order of steps. Lines are keyed by position. */
export function rowsOf(lines: readonly ChartLine[]): ChartRow[] {
  const rows = new Map<number, ChartRow>();
  for (const [index, { points }] of lines.entries()) {
    for (const [step, value] of points) {
      const row = rows.get(step) ?? { step };
      row[`line${index}`] = value;
      rows.set(step, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.step - b.step);
}

export const lineColor = (index: number) => `var(--series-${index % 4})`;
