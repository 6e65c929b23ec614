"use client";
import { LineChart } from "@mantine/charts";
import { Table } from "@mantine/core";
import { useState } from "react";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { formatCompact, formatCount } from "@/app/_lib/format";
import classes from "./charts.module.css";
import { type ChartLine, rowsOf } from "./lines";
import { formatIn } from "./metric-words";
import type { ChartKind } from "./series";

const HEIGHT = 200;

type Props = Pick<ChartKind, "title" | "unit"> & { lines: readonly ChartLine[] };

/** Lines by step, each line's last value next to its name, and the same numbers in a table behind a toggle. */
export function MetricChart({ title, unit, lines }: Props) {
  const format = formatIn(unit);
  const rows = rowsOf(lines);
  const series = lines.map(({ label, color }, index) => ({ name: `line${index}`, label, color }));
  return (
    <section className={classes.chart} aria-label={title}>
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        <ul className={classes.legend} aria-label="Latest values">
          {lines.map(({ key, label, color, points }) => (
            <li key={key} title={label}>
              <span className={classes.swatch} style={{ background: color }} />
              {lines.length === 1 && label === title ? null : <span className={`${classes.dim} clip`}>{label}</span>}
              <span className="tabular">{format(points.at(-1)?.[1])}</span>
            </li>
          ))}
        </ul>
      </div>
      <div role="img" aria-label={`${title} by step; the numbers are in the table below`} style={{ blockSize: HEIGHT }}>
        <LineChart
          h={HEIGHT}
          data={rows}
          dataKey="step"
          series={series}
          curveType="linear"
          strokeWidth={1.5}
          withDots={rows.length < 3}
          connectNulls
          gridAxis="x"
          tickLine="none"
          valueFormatter={format}
          xAxisProps={{
            type: "number",
            domain: ["dataMin", "dataMax"],
            tick: TICK,
            minTickGap: 32,
            tickFormatter: (step: number) => formatCompact(step),
          }}
          yAxisProps={{ ...VALUE_AXIS, width: 64, domain: unit === "percent" ? [0, 1] : ["auto", "auto"] }}
          lineChartProps={{ accessibilityLayer: false }}
          lineProps={{ isAnimationActive: false }}
          tooltipAnimationDuration={0}
          tooltipProps={{
            content: ({ label, payload }) => (
              <AtStep
                step={Number(label)}
                lines={lines}
                values={new Map(payload?.map(({ dataKey, value }) => [String(dataKey), value]))}
                format={format}
              />
            ),
          }}
        />
      </div>
      <Numbers title={title} lines={lines} format={format} />
    </section>
  );
}

type AtStepProps = {
  step: number;
  lines: readonly ChartLine[];
  values: ReadonlyMap<string, unknown>;
  format: (value: number | null) => string;
};

const AtStep = ({ step, lines, values, format }: AtStepProps) => (
  <div className={classes.tip}>
    <strong>Step {formatCount(step)}</strong>
    <ul>
      {lines.map(({ key, label, color }, index) => {
        const value = values.get(`line${index}`);
        return typeof value === "number" ? (
          <li key={key}>
            <span className={classes.swatch} style={{ background: color }} />
            <span className="clip">{label}</span>
            <span className="tabular">{format(value)}</span>
          </li>
        ) : null;
      })}
    </ul>
  </div>
);

type NumbersProps = {
  title: string;
  lines: readonly ChartLine[];
  format: (value: number | null | undefined) => string;
};

/** A chart's numbers, rendered only on request: a run has hundreds of points. */
function Numbers({ title, lines, format }: NumbersProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes.numbers} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Numbers by step</summary>
      {open ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls; this is a table that scrolls
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <div className={classes.rows} tabIndex={0} role="group" aria-label={`${title}, numbers, scrollable`}>
          <Table fz="xs" verticalSpacing={2} aria-label={`${title} by step`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Step</Table.Th>
                {lines.map(({ key, label }) => (
                  <Table.Th key={key} ta="end">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rowsOf(lines)
                .reverse()
                .map((row) => (
                  <Table.Tr key={row.step}>
                    <Table.Th scope="row" fw={400} className="tabular">
                      {formatCount(row.step)}
                    </Table.Th>
                    {lines.map(({ key }, index) => (
                      <Table.Td key={key} ta="end" className="tabular">
                        {format(row[`line${index}`])}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : null}
    </details>
  );
}
