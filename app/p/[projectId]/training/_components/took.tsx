"use client";
import { useNow } from "@/app/_components/values/now";
import { formatDuration } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { tookMs } from "../../_components/training/words";

/** How long a job has been running, or ran. */
export function Took({ job }: { job: TrainingJob }) {
  const now = useNow();
  // The page's clock ticks only twice a minute, so the job's last update may be newer.
  const took = tookMs(job, Math.max(now, job.updatedAt));
  return (
    <span className="tabular" suppressHydrationWarning>
      {formatDuration(took)}
    </span>
  );
}
