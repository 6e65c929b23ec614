import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";

export type ProjectionHealth = {
  /** Age of the oldest pending trace that has not failed; null when none is pending. */
  oldestMs: number | null;
  /** Time since any projector completed a pass; null when there is no record of one. */
  progressedMs: number | null;
  /** Traces that failed: `retried` are scheduled for a retry, `parked` are quarantined after their last retry. */
  retried: number;
  parked: number;
};

/** Returns the progress of the projectors of all processes. Ages are milliseconds. */
export async function projectionHealth(database: Db): Promise<ProjectionHealth> {
  const [row] = await database.execute<Record<"oldest" | "progressed" | "retried" | "parked", string | null>>(sql`
    with clock as (select ${NOW} as now)
    select
      (select now - received_at from projection_queue where attempts = 0 and not backlog order by id limit 1) as oldest,
      (select now - max(progressed_at) from projectors) as progressed,
      (select count(distinct (project_id, trace_id)) from projection_queue where attempts > 0) as retried,
      (select count(*) from parked_traces) as parked
    from clock`);
  const age = (value: string | null | undefined) => (value == null ? null : Math.max(0, Number(value)));
  return {
    oldestMs: age(row?.oldest),
    progressedMs: age(row?.progressed),
    retried: Number(row?.retried ?? 0),
    parked: Number(row?.parked ?? 0),
  };
}
