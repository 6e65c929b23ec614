import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";

/** Queue rows per pass: enough to write in sets, few enough to be readable within a second. */
const ROWS_PER_PASS = 400;
/** Limit for one project, so that a busy project does not starve the rest. */
const ROWS_PER_PROJECT = 200;
/** Oldest rows among which a pass finds those of several projects. It locks them all, so other passes skip them. */
const ROWS_LOOKED_AT = 2000;
/**
 * Backlog traces per pass, and messages and calls of their conversations after which no further trace is begun: new arrivals
 * have to wait for them.
 */
const BACKLOG_PER_PASS = 20;
const BACKLOG_ITEMS_PER_PASS = 500;

/**
 * `attempts` contains the number of failed attempts by trace id, where there are any. `rows` counts queue rows: one per batch
 * with spans of a trace.
 */
export type ClaimedTraces = {
  projectId: string;
  traceIds: string[];
  rows: number;
  receivedAt: number;
  attempts: Readonly<Record<string, number>>;
  alone: boolean;
};

/** Uses the partial index of traces that are processed alone, which is usually empty. */
const triedAlone = sql`exists (
  select 1 from projection_queue a where a.alone and a.project_id = q.project_id and a.trace_id = q.trace_id)`;

/**
 * Dequeues pending traces, oldest first. A rollback returns the rows to the queue; other projectors skip them until the
 * transaction ends.
 */
export const claimTraces = (tx: Db): Promise<ClaimedTraces[]> =>
  take(
    tx,
    sql`
    head as (
      select q.ctid, q.project_id, q.id from projection_queue q
      where not q.backlog and q.retry_at <= ${NOW} and not ${triedAlone}
      order by q.id limit (
        select case when min(project_id) = max(project_id) then ${ROWS_PER_PROJECT}::int else ${ROWS_LOOKED_AT}::int end
        from projection_queue)
      for update skip locked
    ),
    chosen as (
      select ctid from (
        select ctid, id, row_number() over (partition by project_id order by id) as turn from head
      ) ranked where turn <= ${ROWS_PER_PROJECT} order by turn, id limit ${ROWS_PER_PASS}
    )`,
    false,
  );

/** Dequeues one of the traces that must be rebuilt alone. */
export const claimAlone = (tx: Db): Promise<ClaimedTraces[]> =>
  take(
    tx,
    sql`
    first as (
      select project_id, trace_id from projection_queue where alone and retry_at <= ${NOW}
      order by project_id, trace_id limit 1 for update skip locked
    ),
    chosen as (
      select q.ctid from projection_queue q join first f on q.project_id = f.project_id and q.trace_id = f.trace_id
    )`,
    true,
  );

/** Dequeues backlog traces that are to be rebuilt, one claim each, so that each keeps its own `receivedAt`. */
export const claimBacklog = (tx: Db): Promise<ClaimedTraces[]> =>
  take(
    tx,
    sql`
    head as (
      select q.ctid, q.id, q.project_id, q.trace_id from projection_queue q
      where q.backlog and not ${triedAlone}
      order by q.id limit ${BACKLOG_PER_PASS} for update skip locked
    ),
    chosen as (
      select ctid from (
        select h.ctid, sum(c.message_count + c.model_call_count)
            over (order by h.id rows between unbounded preceding and 1 preceding) as before
        from head h
        left join traces t on t.project_id = h.project_id and t.id = h.trace_id
        left join conversations c on c.project_id = t.project_id and c.id = t.conversation_id
      ) sized where coalesce(before, 0) < ${BACKLOG_ITEMS_PER_PASS}
    )`,
    false,
    sql`project_id, trace_id`,
  );

/**
 * Deletes the chosen rows by `ctid`, since the planner would compare each with every row of the queue. Drops the rows of
 * quarantined traces: they are not retried when more spans arrive.
 */
async function take(tx: Db, choosing: SQL, alone: boolean, together = sql`project_id`): Promise<ClaimedTraces[]> {
  const rows = await tx.execute<{
    project_id: string;
    trace_ids: string[];
    rows: number;
    received_at: string;
    attempts: Record<string, number> | null;
  }>(sql`
    with ${choosing},
    taken as (
      delete from projection_queue q where q.ctid = any(array(select ctid from chosen))
      returning q.project_id, q.trace_id, q.received_at, q.attempts
    )
    select project_id, array_agg(trace_id order by trace_id) as trace_ids, sum(rows)::int as rows, max(received_at) as received_at,
           json_object_agg(trace_id, attempts) filter (where attempts > 0) as attempts
    from (
      select project_id, trace_id, count(*) as rows, max(received_at) as received_at, max(attempts) as attempts
      from taken t
      where not exists (select 1 from parked_traces p where p.project_id = t.project_id and p.trace_id = t.trace_id)
      group by project_id, trace_id
    ) traces
    group by ${together} order by ${together}`);
  return [...rows].map((row) => ({
    projectId: row.project_id,
    traceIds: row.trace_ids,
    rows: row.rows,
    receivedAt: Number(row.received_at),
    attempts: row.attempts ?? {},
    alone,
  }));
}
