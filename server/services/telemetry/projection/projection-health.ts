import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";

export type ProjectionHealth = {
  /** How long the oldest of the traces that never failed has waited; null when none waits. */
  oldestMs: number | null;
  /** How long ago any projector completed a pass; null when none is remembered. */
  progressedMs: number | null;
  /** Traces that failed and will be tried again, and those that were given up. */
  retried: number;
  parked: number;
};

/** What the projectors' progress is, whichever process they run in. */
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
