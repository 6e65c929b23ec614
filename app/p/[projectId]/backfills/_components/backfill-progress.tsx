import { Progress, Text } from "@mantine/core";
import Link from "next/link";
import { formatCount, formatDuration, plural } from "@/app/_lib/format";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import { doneOf, isRunning, totalOf } from "./backfill-words";

/** `120 of 1,000 · 380/s · 2 min left`, with a bar while it runs. */
export function BackfillProgress({ backfill }: { backfill: Backfill }) {
  const [done, total] = [doneOf(backfill), totalOf(backfill)];
  if (!isRunning(backfill)) return <span className="tabular">{plural(done, "conversation")}</span>;
  return (
    <>
      <Progress
        size="xs"
        value={total === 0 ? 0 : Math.min(100, (100 * done) / total)}
        aria-label="Conversations checked"
      />
      <Text size="xs" c="dimmed" className="tabular" mt={2}>
        {formatCount(done)} of {formatCount(total)}
        {backfill.pausedAt === null && backfill.rate ? ` · ${formatCount(Math.round(backfill.rate))}/s` : ""}
        {backfill.etaMs === null ? "" : ` · ${formatDuration(backfill.etaMs)} left`}
      </Text>
    </>
  );
}

const WORDS = { queued: "queued", running: "running", completed: "completed", skipped: "skipped", failed: "failed" };

/** The number of Runs in each status, linked to those Runs. */
export function RunCounts({ projectId, backfill }: { projectId: string; backfill: Backfill }) {
  const shown = (Object.keys(WORDS) as (keyof typeof WORDS)[]).filter((status) => backfill.counts[status] > 0);
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed" span>
        None yet
      </Text>
    );
  return (
    <span className="tabular">
      {shown.map((status, index) => (
        <span key={status}>
          {index > 0 ? " · " : ""}
          <Link href={`/p/${projectId}/rule-runs?backfill=${backfill.id}&status=${status}`}>
            {formatCount(backfill.counts[status])} {WORDS[status]}
          </Link>
        </span>
      ))}
    </span>
  );
}
