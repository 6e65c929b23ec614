"use client";
import { BarChart } from "@mantine/charts";
import { formatCount, formatDay, plural, UNKNOWN } from "@/app/_lib/format";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import { dayRows } from "./day-rows";
import classes from "./finding-page.module.css";

const HEIGHT = 132;

/** Affected conversations per day, as bars and as numbers. */
export function FindingDays({ finding }: { finding: FindingDetail }) {
  const rows = dayRows(finding.days);
  const total = rows.reduce((sum, row) => sum + row.occurrences, 0);
  return (
    <section>
      <h2 className={classes.heading}>By day (UTC)</h2>
      <div
        role="img"
        aria-label={`${plural(total, "affected conversation")} in 30 days; the numbers are in the table below`}
        style={{ blockSize: HEIGHT }}
      >
        <BarChart
          h={HEIGHT}
          data={rows.map((row) => ({ day: formatDay(row.day), Conversations: row.occurrences }))}
          dataKey="day"
          series={[{ name: "Conversations", color: "indigo.5" }]}
          gridAxis="none"
          tickLine="none"
          withYAxis={false}
          xAxisProps={{ interval: 6, tick: { fontSize: 11, fill: "var(--mantine-color-dimmed)" } }}
          barChartProps={{ accessibilityLayer: false }}
          barProps={{ isAnimationActive: false, radius: 2 }}
          tooltipAnimationDuration={0}
        />
      </div>
      <details className={classes.details}>
        <summary>Numbers</summary>
        <table className={classes.numbers}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Affected</th>
              <th scope="col">Of</th>
            </tr>
          </thead>
          <tbody>
            {rows
              .filter((row) => row.occurrences > 0)
              .reverse()
              .map((row) => (
                <tr key={row.day}>
                  <th scope="row">{formatDay(row.day)}</th>
                  <td>{formatCount(row.occurrences)}</td>
                  <td>{row.conversations === null ? UNKNOWN : formatCount(row.conversations)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
