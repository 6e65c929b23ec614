import { csvLine } from "@/server/platform/csv";
import { streamVerb } from "@/server/platform/stream-verb";
import { queryChart } from "./query-chart";
import type { Chart, ChartPoint } from "./schemas";

/** `charts.query` as a CSV file. */
export const downloadChart = streamVerb(
  {
    name: "charts.download",
    summary: "Download a measure over time as CSV.",
    description: `${queryChart.spec.description} One row per step and series, and those of all together where \`series\` is \`all\`; what is unknown is empty, and so are all numbers of a step that was not counted.`,
    capability: queryChart.spec.capability,
    effect: "read",
    input: queryChart.spec.input,
    produces: { "text/csv": { type: "string" } },
  },
  async (ctx, input) => {
    const { chart } = await queryChart(ctx, input);
    const { measure, group, unit, from, to } = chart;
    const days = `${isoTime(from).slice(0, 10)}-to-${isoTime(to - 1).slice(0, 10)}`;
    const fileName = `${measure}${group === null ? "" : `-by-${group}`}-${days}.csv`;
    const lines = chart.at.flatMap((at, index) => [
      line(at, "all", null, chart.totals[index], unit),
      ...chart.series.map((series) =>
        line(at, series.others ? "others" : "group", series.key, series.points[index], unit, series.name),
      ),
    ]);
    return { mediaType: "text/csv", fileName, body: HEADER + lines.join("") };
  },
);

const isoTime = (at: number) => new Date(at).toISOString();

const HEADER = csvLine(["start", "series", "key", "name", "value", "unit", "n", "low", "high", "unpricedCalls"]);

const line = (
  at: number,
  series: "all" | "group" | "others",
  key: string | null,
  point: ChartPoint | undefined,
  unit: Chart["unit"],
  name: string | null = null,
) =>
  csvLine([
    isoTime(at),
    series,
    key,
    name,
    point?.exact ?? point?.value,
    unit,
    point?.n,
    point?.low,
    point?.high,
    point?.unpricedCalls,
  ]);
