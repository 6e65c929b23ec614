"use client";
import { CompositeChart } from "@mantine/charts";
import { Button, Group, Paper, Skeleton } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { formatCount, formatPercent, plural, UNKNOWN } from "@/app/_lib/format";
import { fromFirst } from "@/app/_lib/from-first";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../_components/access/membership";
import { newAlertHref } from "../../../alerts/_components/view";
import { versionsHref } from "../../../versions/_components/view";
import classes from "./rate-by-day.module.css";
import { SinceFix } from "./since-fix";
import { type DayOfChanges, daysOfChanges, type TimelineRow, timelineRows } from "./timeline-rows";
import { WatchButton } from "./watch-button";

const HEIGHT = 200;
/** To a tenth of a percent, so that the labels of evenly spaced ticks are evenly spaced too. */
const tickOf = (share: number) => `${Number((share * 100).toFixed(1))}%`;
const REFETCH_MS = 60_000;

const intervalWords = ({ rate }: TimelineRow) =>
  rate === null ? UNKNOWN : `${formatPercent(rate.low)} to ${formatPercent(rate.high)}`;

/** The Finding's rate by day with its interval, and what changed on those days. */
export function RateByDay({ projectId, finding }: { projectId: string; finding: { id: string; title: string } }) {
  const trpc = useTRPC();
  const mayAlert = useMay("diagnostics:write");
  const query = useQuery(
    trpc.findings.timeline.queryOptions({ projectId, findingId: finding.id }, { refetchInterval: REFETCH_MS }),
  );
  return (
    <section id="rate-by-day">
      <Group justify="space-between">
        <h2 className={classes.heading}>Rate by day</h2>
        {mayAlert ? (
          <span className={classes.actions}>
            <WatchButton projectId={projectId} findingId={finding.id} />
            <Button
              component={Link}
              variant="subtle"
              size="compact-sm"
              leftSection={<IconBell size={14} aria-hidden />}
              href={newAlertHref(projectId, { measure: "finding_share", finding })}
            >
              Alert me
            </Button>
          </span>
        ) : null}
      </Group>
      {query.data ? (
        <>
          {query.data.fix === null ? null : <SinceFix projectId={projectId} fix={query.data.fix} />}
          <Drawn
            projectId={projectId}
            days={timelineRows(query.data.days)}
            changes={daysOfChanges(query.data.markers)}
          />
        </>
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      ) : (
        <Skeleton height={HEIGHT} role="status" aria-label="Loading the rate by day" />
      )}
    </section>
  );
}

type DrawnProps = { projectId: string; days: readonly TimelineRow[]; changes: DayOfChanges[] };

function Drawn({ projectId, days, changes }: DrawnProps) {
  const changed = new Set(changes.map(({ day }) => day));
  const rows = fromFirst(
    days,
    ({ day, affected, conversations }) => affected > 0 || conversations !== 0 || changed.has(day),
  );
  const sumOf = (field: "readAffected" | "read" | "conversations") =>
    rows.reduce((sum, row) => sum + (row[field] ?? 0), 0);
  const [affected, read, all] = [sumOf("readAffected"), sumOf("read"), sumOf("conversations")];
  return (
    <>
      <p className={classes.caption}>
        Share of each day’s conversations (UTC) with this Finding, with its 95% interval: {formatCount(affected)} of{" "}
        {plural(read, "conversation")} in {rows.length} days
        {read === all ? "." : ` that its Rule read as it reads now, of ${formatCount(all)} in all.`}
      </p>
      <div
        role="img"
        aria-label={`Rate of ${rows.length} days, with intervals; the numbers are in the table below`}
        style={{ blockSize: HEIGHT }}
      >
        <CompositeChart
          h={HEIGHT}
          data={rows}
          dataKey="label"
          series={[
            { name: "interval", type: "bar", color: "indigo.5" },
            { name: "share", type: "line", color: "indigo.6" },
          ]}
          gridAxis="x"
          tickLine="none"
          curveType="linear"
          strokeWidth={1}
          connectNulls={false}
          maxBarWidth={6}
          xAxisProps={{ minTickGap: 28, tick: TICK }}
          yAxisProps={{ ...VALUE_AXIS, width: 40, tickFormatter: tickOf }}
          referenceLines={changes.map(({ label, number }) => ({
            x: label,
            color: "dimmed",
            label: String(number),
            labelPosition: "insideTopLeft" as const,
          }))}
          composedChartProps={{ accessibilityLayer: false }}
          barProps={{ isAnimationActive: false, radius: 1, fillOpacity: 0.35 }}
          lineProps={{ isAnimationActive: false }}
          dotProps={{ r: 2.5 }}
          activeDotProps={{ r: 3.5 }}
          tooltipAnimationDuration={0}
          tooltipProps={{
            content: ({ payload }) => {
              const row = payload?.[0]?.payload as TimelineRow | undefined;
              return row ? (
                <OneDay row={row} changes={changes.find(({ day }) => day === row.day)?.changes ?? []} />
              ) : null;
            },
          }}
        />
      </div>
      {changes.length === 0 ? null : (
        <ol className={classes.changes} aria-label="What changed on these days">
          {changes.map(({ number, label, changes: said, versions }) => (
            <li key={number}>
              <span className={classes.number}>{number}</span>
              <span className={classes.day}>{label}</span>
              <span className={classes.said}>
                {said.join(", ")}
                {versions.map((version) => (
                  <Fragment key={version}>
                    {" · "}
                    <Link href={versionsHref(projectId, { compared: version })} aria-label={`Compare ${version}`}>
                      Compare{versions.length > 1 ? ` ${version}` : ""}
                    </Link>
                  </Fragment>
                ))}
              </span>
            </li>
          ))}
        </ol>
      )}
      <Numbers rows={rows} />
    </>
  );
}

const OneDay = ({ row, changes }: { row: TimelineRow; changes: readonly string[] }) => (
  <Paper withBorder p="xs" className={classes.tooltip}>
    <strong>{row.label}</strong>
    <div>
      {row.conversations === null
        ? `${formatCount(row.affected)} affected; the day’s conversations were not all counted`
        : row.conversations === 0
          ? "No conversations"
          : row.read === 0
            ? `${formatCount(row.affected)} affected; none of ${plural(row.conversations, "conversation")} was read as the Rule reads now`
            : `${formatPercent(row.share)}: ${formatCount(row.readAffected)} of ${plural(row.read ?? 0, "conversation")}`}
    </div>
    {row.rate === null ? null : <div>95% interval {intervalWords(row)}</div>}
    {changes.map((said) => (
      <div key={said}>{said}</div>
    ))}
  </Paper>
);

const Numbers = ({ rows }: { rows: readonly TimelineRow[] }) => (
  <details className={classes.details}>
    <summary>Numbers</summary>
    <table className={classes.numbers}>
      <thead>
        <tr>
          <th scope="col">Day (UTC)</th>
          <th scope="col">Affected</th>
          <th scope="col">Of</th>
          <th scope="col">Read</th>
          <th scope="col">Rate</th>
          <th scope="col">95% interval</th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(({ affected, conversations }) => affected > 0 || conversations !== 0)
          .reverse()
          .map((row) => (
            <tr key={row.day}>
              <th scope="row">{row.label}</th>
              <td>{formatCount(row.affected)}</td>
              <td>{formatCount(row.conversations)}</td>
              <td>{formatCount(row.read)}</td>
              <td>{formatPercent(row.share)}</td>
              <td>{intervalWords(row)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </details>
);
