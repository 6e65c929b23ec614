import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { leaseExpired } from "./runs/claim";

export type JobHealth = {
  /** The age of the oldest due run; null if none is due. */
  oldestDueMs: number | null;
  /** The age of the oldest event not yet dispatched (or accepted by the Inngest server); null if none is pending. */
  oldestEventMs: number | null;
  waitingEvents: number;
  /** Milliseconds since a run was last finished and an event last dispatched; null if none is on record. */
  lastRunDoneMs: number | null;
  lastEventTakenMs: number | null;
  /** Runs by state; states without runs are omitted. */
  runs: Partial<Record<string, number>>;
};

/**
 * Returns the jobs' progress under either engine. It measures ages, not configuration, so that a readiness check also detects a
 * hung worker. Runs held back by a concurrency limit count as due too.
 */
export async function jobHealth(db: Db): Promise<JobHealth> {
  const [row] = (await db.execute(sql`
    with clock as (select ${NOW} as now)
    select
      (select now - min(due_at) from job_runs
        where due_at <= now and (lease_token is null or ${leaseExpired(sql`now`)})) as oldest_due,
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
