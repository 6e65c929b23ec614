import { Table } from "@mantine/core";
import Link from "next/link";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { Chart, ChartPoint } from "@/server/services/charts/schemas";
import { MEASURES } from "@/server/services/charts/schemas";
import classes from "./charts.module.css";
import { OF_WORDS, STEP_WORDS, stepHref, type View } from "./view";
import { FORMATS, seriesName, stepName } from "./words";

type Props = { projectId: string; view: View; chart: Chart; now: number };

const COLUMN_PX = 120;

/** The chart's numbers, a row per step that has any, newest first, each linked to its conversations. */
export function ChartNumbers({ projectId, view, chart, now }: Props) {
  const rows = chart.at
    .map((at, index) => ({ at, total: chart.totals[index], points: chart.series.map(({ points }) => points[index]) }))
    .filter(({ total }) => (total?.n ?? 0) > 0)
    .reverse();
  const names = chart.series.map((series) => seriesName(chart, series));
  const { read } = OF_WORDS[MEASURES[chart.measure].of];
  return (
    <details className={classes.numbers}>
      <summary>Numbers by {chart.step}</summary>
      <TableScroll minWidth={(names.length + 3) * COLUMN_PX} label="Numbers of the chart">
        <Table aria-label="Numbers of the chart">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{STEP_WORDS[chart.step]} (UTC)</Table.Th>
              {names.map((name, index) => (
                // Names are chosen by clients and may repeat.
                // biome-ignore lint/suspicious/noArrayIndexKey: the order of the series does not change.
                <Table.Th key={index} ta="end">
                  <div className={classes.columnName} title={name}>
                    {name}
                  </div>
                </Table.Th>
              ))}
              <Table.Th ta="end">All</Table.Th>
              <Table.Th ta="end">{read[0]?.toUpperCase() + read.slice(1)}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ at, total, points }) => (
              <Table.Tr key={at}>
                <Table.Th scope="row">
                  <Link href={stepHref(projectId, view, chart, at, now)} prefetch={false}>
                    {stepName(at, chart.step, 0)}
                  </Link>
                </Table.Th>
                {points.map((point, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                  <Table.Td key={index} ta="end" className="tabular">
                    <Value chart={chart} point={point} />
                  </Table.Td>
                ))}
                <Table.Td ta="end" className="tabular">
                  <Value chart={chart} point={total} />
                </Table.Td>
                <Table.Td ta="end" className="tabular">
                  {formatCount(total?.n)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
    </details>
  );
}

/** A value, with its interval or what it leaves out. */
export function Value({ chart, point }: { chart: Pick<Chart, "unit">; point: ChartPoint | undefined }) {
  const limits =
    point?.low == null || point.high == null ? null : `${formatPercent(point.low)} to ${formatPercent(point.high)}`;
  const unpriced = point?.unpricedCalls ?? 0;
  return (
    <>
      {unpriced > 0 && point?.value !== null ? "≥ " : ""}
      {FORMATS[chart.unit](point?.value)}
      {limits === null ? null : (
        <>
          {" "}
          <span className={classes.quiet} title="95% interval of the share">
            {limits}
          </span>
        </>
      )}
      {unpriced > 0 ? (
        <>
          {" "}
          <span className={classes.quiet}>without {plural(unpriced, "unpriced call")}</span>
        </>
      ) : null}
    </>
  );
}
