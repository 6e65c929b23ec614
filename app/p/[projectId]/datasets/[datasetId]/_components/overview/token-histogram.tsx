import { BarChart } from "@mantine/charts";
import { Table } from "@mantine/core";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { formatCompact, formatCount, plural } from "@/app/_lib/format";
import classes from "./overview.module.css";

type TokenRange = { from: number; count: number };

const HEIGHT = 180;
/** The ranges double from the first bound to the last. */
const [FIRST_BOUND, LAST_BOUND] = [128, 65_536];

const nextBound = (from: number) => (from === 0 ? FIRST_BOUND : from * 2);

/** `1,024 – 2,047`; the last range has no end. */
const rangeWords = (from: number) =>
  from >= LAST_BOUND ? `${formatCount(from)} or more` : `${formatCount(from)} – ${formatCount(nextBound(from) - 1)}`;

/** Returns the ranges from the first with Examples to the last, including empty ones in between. */
function filled(ranges: readonly TokenRange[]): TokenRange[] {
  const last = ranges.at(-1)?.from ?? -1;
  const all: TokenRange[] = [];
  for (let from = ranges[0]?.from ?? 0; from <= last; from = nextBound(from)) {
    all.push({ from, count: ranges.find((range) => range.from === from)?.count ?? 0 });
  }
  return all;
}

/** Examples by their estimated number of tokens; a table below has the same numbers. */
export function TokenHistogram({ ranges }: { ranges: readonly TokenRange[] }) {
  const rows = filled(ranges).map((range) => ({ ...range, words: rangeWords(range.from) }));
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return <p className={classes.none}>No Examples yet</p>;
  return (
    <>
      <div
        role="img"
        aria-label={`Tokens of ${plural(total, "Example")}; the numbers are in the table below`}
        style={{ blockSize: HEIGHT }}
      >
        <BarChart
          h={HEIGHT}
          data={rows.map(({ from, count }) => ({ from: formatCompact(from), count }))}
          dataKey="from"
          series={[{ name: "count", label: "Examples", color: "indigo.6" }]}
          tickLine="none"
          gridAxis="x"
          maxBarWidth={40}
          valueFormatter={formatCount}
          xAxisProps={{ tick: TICK, interval: "preserveStartEnd" }}
          yAxisProps={{ ...VALUE_AXIS, width: 48, allowDecimals: false }}
          barChartProps={{ accessibilityLayer: false }}
          barProps={{ isAnimationActive: false }}
          tooltipAnimationDuration={0}
        />
      </div>
      <details className={classes.numbers}>
        <summary>Numbers by range of tokens</summary>
        <Table fz="xs" verticalSpacing={2} maw={420} aria-label="Examples by tokens">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Tokens, estimated</Table.Th>
              <Table.Th ta="end">Examples</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ from, words, count }) => (
              <Table.Tr key={from}>
                <Table.Td className="tabular">{words}</Table.Td>
                <Table.Td ta="end" className="tabular">
                  {formatCount(count)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
    </>
  );
}
