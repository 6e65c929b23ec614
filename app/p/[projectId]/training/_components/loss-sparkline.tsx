"use client";
import { useQuery } from "@tanstack/react-query";
import { Unknown } from "@/app/_components/values/unknown";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { formatMetric } from "../../_components/training/charts/metric-words";
import { LOSS } from "../../_components/training/charts/series";
import { useLastReading } from "../../_components/training/use-last-reading";
import { isMoving } from "../../_components/training/words";

const [WIDTH, HEIGHT, PAD] = [72, 22, 2];
const POINTS = 40;
const LIVE_MS = 5000;

/** The loss so far as a small line, with its last value. */
export function LossSparkline({ projectId, job }: { projectId: string; job: TrainingJob }) {
  const trpc = useTRPC();
  const started = job.startedAt !== null;
  const { data } = useQuery(
    trpc.trainingJobs.metrics.queryOptions(
      { projectId, jobId: job.id, series: LOSS, points: POINTS },
      { enabled: started, refetchInterval: started && isMoving(job) ? LIVE_MS : false },
    ),
  );
  useLastReading(
    isMoving(job),
    trpc.trainingJobs.metrics.queryKey({ projectId, jobId: job.id, series: LOSS, points: POINTS }),
  );
  const values = data?.metrics[0]?.mean ?? [];
  const last = values.at(-1);
  if (last === undefined) return <Unknown />;
  return (
    <span style={{ display: "inline-flex", gap: 8, alignItems: "center" }}>
      <Line values={values} />
      <span className="tabular">{formatMetric(last)}</span>
    </span>
  );
}

function Line({ values }: { values: readonly number[] }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (index: number) => PAD + ((WIDTH - 2 * PAD) * index) / Math.max(1, values.length - 1);
  const y = (value: number) => HEIGHT - PAD - ((HEIGHT - 2 * PAD) * (value - low)) / (high - low || 1);
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`Loss from ${formatMetric(values[0])} to ${formatMetric(values.at(-1))}`}
      style={{ display: "block", flex: "none", color: "var(--mantine-primary-color-filled)" }}
    >
      <polyline
        points={values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
    </svg>
  );
}
