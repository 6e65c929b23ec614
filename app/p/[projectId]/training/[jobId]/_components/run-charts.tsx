"use client";
import { Skeleton } from "@mantine/core";
import { IconChartLine } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import classes from "../../../_components/training/charts/charts.module.css";
import { lineColor, pointsOf } from "../../../_components/training/charts/lines";
import { MetricChart } from "../../../_components/training/charts/metric-chart";
import { chartsOf, seriesWords } from "../../../_components/training/charts/series";
import { useLastReading } from "../../../_components/training/use-last-reading";
import { isMoving } from "../../../_components/training/words";

const LIVE_MS = 2000;
const POINTS = 400;

/** A run's metrics as charts, live while it is in progress. */
export function RunCharts({ projectId, job }: { projectId: string; job: TrainingJob }) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.trainingJobs.metrics.queryOptions(
      { projectId, jobId: job.id, points: POINTS },
      { refetchInterval: isMoving(job) ? LIVE_MS : false },
    ),
  );
  useLastReading(isMoving(job), trpc.trainingJobs.metrics.queryKey({ projectId, jobId: job.id, points: POINTS }));
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <div className={classes.all} role="status" aria-label="Loading the charts">
        {[1, 2, 3, 4].map((key) => (
          <Skeleton key={key} height={230} />
        ))}
      </div>
    );
  }
  const byName = new Map(query.data.metrics.map((series) => [series.series, series]));
  const charts = chartsOf([...byName.keys()]);
  if (charts.length === 0) {
    return (
      <EmptyState icon={IconChartLine} title="Nothing to plot yet">
        {isMoving(job)
          ? "The charts begin with the first step of the training."
          : "The run ended before its first step."}
      </EmptyState>
    );
  }
  return (
    <>
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <div className={classes.all}>
        {charts.map(({ id, title, unit, series }) => (
          <MetricChart
            key={id}
            title={title}
            unit={unit}
            lines={series.flatMap((name, index) => {
              const found = byName.get(name);
              return found
                ? [{ key: name, label: seriesWords(name), color: lineColor(index), points: pointsOf(found) }]
                : [];
            })}
          />
        ))}
      </div>
    </>
  );
}
