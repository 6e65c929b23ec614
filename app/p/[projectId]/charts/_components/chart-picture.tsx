import { BarChart, LineChart } from "@mantine/charts";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { plural } from "@/app/_lib/format";
import { fromFirst } from "@/app/_lib/from-first";
import { coloursOf } from "@/app/p/[projectId]/costs/_components/view";
import type { Chart, ChartPoint } from "@/server/services/charts/schemas";
import classes from "./charts.module.css";
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
type Part = { name: string; label: string; color: string; points: readonly ChartPoint[] };

/** Returns the series that have something to draw; without a group, that of all together. Keyed by position, because clients choose names. */
function partsOf(chart: Chart): Part[] {
  if (chart.group === null)
    return [{ name: "part0", label: "All", color: "var(--mantine-color-indigo-filled)", points: chart.totals }];
  const colours = coloursOf(chart.series.map(({ key }) => key));
  return chart.series
    .map((series, index) => ({
      name: `part${index}`,
      label: seriesName(chart, series),
      color: `var(--chart-${series.others ? "others" : colours[index]})`,
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
        <AtStep
          step={String(label ?? "")}
          total={chart.group === null || isStacked(chart) ? payload?.[0]?.payload?.total : undefined}
          format={format}
          parts={chart.group === null ? [] : parts}
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
      {chart.group === null ? null : (
        <ul className={classes.legend} aria-label="Colours" data-legend>
          {parts.map(({ name, label, color }) => (
            <li key={name} title={label}>
              <span className={classes.swatch} style={{ background: color }} />
              <span className="clip">{label}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type AtStepProps = {
  step: string;
  total: ChartPoint | undefined;
  format: (value: number | null) => string;
  parts: readonly Part[];
  values: ReadonlyMap<string, unknown>;
};

/** The tooltip: the values of a step, the largest first. */
function AtStep({ step, total, format, parts, values }: AtStepProps) {
  const known = parts
    .flatMap((part) => {
      const value = values.get(part.name);
      return typeof value === "number" ? [{ ...part, value }] : [];
    })
    .sort((a, b) => b.value - a.value);
  return (
    <div className={classes.tip}>
      <div className={classes.tipHead}>
        <span>{step}</span>
        {total ? <span className="tabular">{format(total.value)}</span> : null}
      </div>
      {known.map(({ name, label, color, value }) => (
        <div key={name} className={classes.tipLine}>
          <span className={classes.swatch} style={{ background: color }} />
          <span className="clip">{label}</span>
          <span className="tabular">{format(value)}</span>
        </div>
      ))}
    </div>
  );
}
