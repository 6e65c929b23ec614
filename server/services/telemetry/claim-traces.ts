import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";

/** Queue rows taken in one pass: enough to write in sets, few enough to be readable within the second. */
const ROWS_A_PASS = 400;
/** Of them for one project while others wait, so that a busy one does not keep the rest from being read. */
const ROWS_A_PROJECT = 200;

export type ClaimedTraces = { projectId: string; traceIds: string[]; receivedAt: number };

/**
 * Takes waiting traces out of the queue, oldest first. The rows come back when the transaction does not commit, and
 * other projectors skip them until it does.
 */
export async function claimTraces(tx: Db): Promise<ClaimedTraces[]> {
  const rows = await tx.execute<{ project_id: string; trace_ids: string[]; received_at: string }>(sql`
    with head as (
      select project_id, id from projection_queue order by id limit ${ROWS_A_PASS * 5} for update skip locked
    ),
    fair as (
      select project_id, id from (
        select project_id, id, row_number() over (partition by project_id order by id) as turn from head
      ) ranked where turn <= ${ROWS_A_PROJECT} order by turn, id limit ${ROWS_A_PASS}
    ),
    taken as (
      delete from projection_queue q using fair f where q.project_id = f.project_id and q.id = f.id
      returning q.project_id, q.trace_id, q.received_at
    )
    select project_id, array_agg(distinct trace_id order by trace_id) as trace_ids, max(received_at) as received_at
    from taken group by project_id order by project_id`);
  return [...rows].map((row) => ({
    projectId: row.project_id,
    traceIds: row.trace_ids,
    receivedAt: Number(row.received_at),
  }));
}
