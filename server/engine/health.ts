import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";

export type JobHealth = {
  /** How long the oldest run that could go on has waited; null when none waits. */
  oldestDueMs: number | null;
  /** How long the oldest event has waited to be taken by the engine (or by the Inngest server); null when none waits. */
  oldestEventMs: number | null;
  waitingEvents: number;
  /** How long ago a run was last finished, an event last taken; null when none is remembered. */
  lastRunDoneMs: number | null;
  lastEventTakenMs: number | null;
  /** Runs by state; a state without runs is left out. */
  runs: Partial<Record<string, number>>;
};

/**
 * What the jobs' progress is, whoever runs them: a readiness check looks at ages and not at configuration, so it also
 * sees a worker that hangs. Runs held back by their concurrency limit are due, too: judge the age with that in mind.
 */
export async function jobHealth(db: Db): Promise<JobHealth> {
  const [row] = (await db.execute(sql`
    with clock as (select ${NOW} as now)
    select
      (select now - min(due_at) from job_runs
        where due_at <= now and (lease_token is null or lease_until < now)) as oldest_due,
      (select now - min(created_at) from job_events where dispatched_at is null) as oldest_event,
      (select count(*) from job_events where dispatched_at is null) as waiting_events,
      (select now - max(finished_at) from job_runs where finished_at is not null) as last_run,
      (select now - max(dispatched_at) from job_events where dispatched_at is not null) as last_event,
      (select coalesce(json_object_agg(state, n), '{}') from
        (select state, count(*) as n from job_runs group by state) counted) as runs
    from clock`)) as unknown as {
    oldest_due: string | null;
    oldest_event: string | null;
    waiting_events: string;
    last_run: string | null;
    last_event: string | null;
    runs: Record<string, number>;
  }[];
  const age = (value: string | null | undefined) => (value == null ? null : Math.max(0, Number(value)));
  return {
    oldestDueMs: age(row?.oldest_due),
    oldestEventMs: age(row?.oldest_event),
    waitingEvents: Number(row?.waiting_events ?? 0),
    lastRunDoneMs: age(row?.last_run),
    lastEventTakenMs: age(row?.last_event),
    runs: row?.runs ?? {},
  };
}
