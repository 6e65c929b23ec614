"use client";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import charts from "../../../_components/training/charts/charts.module.css";
import { lineColor, pointsOf } from "../../../_components/training/charts/lines";
import { MetricChart } from "../../../_components/training/charts/metric-chart";
import { chartsOf, seriesWords } from "../../../_components/training/charts/series";
import classes from "./evaluation-page.module.css";

const POINTS = 200;

/** The loss of the run that produced the checkpoint, shown next to the comparison. */
export function LossChart({ projectId, jobId }: { projectId: string; jobId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.trainingJobs.metrics.queryOptions({ projectId, jobId, points: POINTS }),
  );
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <div role="status" aria-label="Loading the loss">
        <Skeleton height={230} m="md" />
      </div>
    );
  }
  const byName = new Map(data.metrics.map((series) => [series.series, series]));
  const loss = chartsOf([...byName.keys()]).find(({ id }) => id === "loss");
  if (!loss) return <p className={classes.quiet}>The run has reported no loss.</p>;
  return (
    <div className={`${charts.all} ${classes.chart}`}>
      <MetricChart
        title={loss.title}
        unit={loss.unit}
        lines={loss.series.flatMap((name, index) => {
          const found = byName.get(name);
          return found
            ? [{ key: name, label: seriesWords(name), color: lineColor(index), points: pointsOf(found) }]
            : [];
        })}
      />
    </div>
  );
}
