import { BarChart, LineChart } from "@mantine/charts";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { plural } from "@/app/_lib/format";
import { fromFirst } from "@/app/_lib/from-first";
import type { Chart, ChartPoint } from "@/server/services/charts/schemas";
import { colourOf, coloursOf } from "../../_components/series/colours";
import { type Series, SeriesLegend } from "../../_components/series/series-legend";
import { SeriesTooltip } from "../../_components/series/series-tooltip";
import { isStacked } from "./view";
import { FORMATS, seriesName, stepName } from "./words";

type Props = {
  title: string;
  chart: Chart;
  now: number;
  height: number;
  /** The numbers are in a table beside it. */
  withTable?: boolean;
};
type Part = Series & { points: readonly ChartPoint[] };

/** Returns the series that have something to draw; without a group, that of all together. Keyed by position, because clients choose names. */
function partsOf(chart: Chart): Part[] {
  if (chart.group === null)
    return [{ name: "part0", label: "All", color: "var(--mantine-color-indigo-filled)", points: chart.totals }];
  const colours = coloursOf(chart.series.map(({ key }) => key));
  return chart.series
    .map((series, index) => ({
      name: `part${index}`,
      label: seriesName(chart, series),
      color: colourOf(series.others ? "others" : (colours[index] ?? "others")),
      points: series.points,
    }))
    .filter(({ points }) => points.some(({ value }) => value !== null));
}

const CHART = { tickLine: "none", gridAxis: "x", tooltipAnimationDuration: 0 } as const;

/** The measure over time: bars where the series add up to the whole, else lines, which break where nothing is known. */
export function ChartPicture({ title, chart, now, height, withTable = false }: Props) {
  const parts = partsOf(chart);
  const format = FORMATS[chart.unit];
  const rows = fromFirst(
    chart.at.map((at, index) => ({
      step: stepName(at, chart.step, now),
      total: chart.totals[index],
      ...Object.fromEntries(parts.map(({ name, points }) => [name, points[index]?.value ?? null])),
    })),
    ({ total }) => (total?.n ?? 0) > 0,
  );
  const shared = {
    ...CHART,
    h: height,
    data: rows,
    dataKey: "step",
    series: parts.map(({ name, label, color }) => ({ name, label, color })),
    valueFormatter: (value: number) => format(value),
    xAxisProps: { minTickGap: 24, tick: TICK },
    yAxisProps: { ...VALUE_AXIS, width: 72, ...(chart.unit === "count" && { allowDecimals: false }) },
    tooltipProps: {
      content: ({
        label,
        payload,
      }: {
        label?: unknown;
        payload?: readonly { dataKey?: unknown; value?: unknown; payload?: { total?: ChartPoint } }[];
      }) => (
        <SeriesTooltip
          at={String(label ?? "")}
          total={<Total point={payload?.[0]?.payload?.total} chart={chart} />}
          format={format}
          series={chart.group === null ? [] : parts}
          values={new Map(payload?.map(({ dataKey, value }) => [String(dataKey), value]))}
        />
      ),
    },
  };
  return (
    <>
      <div
        role="img"
        aria-label={`${title}, ${plural(rows.length, chart.step)}${withTable ? "; the numbers are in the table below" : ""}`}
        style={{ blockSize: height }}
      >
        {isStacked(chart) ? (
          <BarChart
            {...shared}
            type="stacked"
            maxBarWidth={32}
            barChartProps={{ accessibilityLayer: false }}
            barProps={{ isAnimationActive: false }}
          />
        ) : (
          <LineChart
            {...shared}
            curveType="linear"
            strokeWidth={1.5}
            connectNulls={false}
            withDots={rows.length < 45}
            dotProps={{ r: 2 }}
            lineChartProps={{ accessibilityLayer: false }}
            lineProps={{ isAnimationActive: false }}
          />
        )}
      </div>
      {chart.group === null ? null : <SeriesLegend series={parts} />}
    </>
  );
}

/** The value of all together, where the series add up to it. */
const Total = ({ point, chart }: { point: ChartPoint | undefined; chart: Chart }) =>
  point && (chart.group === null || isStacked(chart)) ? (
    <span className="tabular">{FORMATS[chart.unit](point.value)}</span>
  ) : null;
