import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import { version } from "@/package.json";
import { hideCredentials, logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { takeOrphanedEntries } from "./projector-journal";

/** Seconds before each retry of a trace that could not be rebuilt; after the last it is quarantined (parked). */
const RETRY_DELAYS_S = [1, 5, 25, 120];
const REASON_CHARACTERS = 500;

/** A trace whose conversation could not be rebuilt, after `attempts` attempts. */
export type FailedTrace = {
  projectId: string;
  traceId: string;
  receivedAt: number;
  attempts: number;
  alone: boolean;
  error: unknown;
};

/** Returns a short error message, without the query that a database error carries. */
const reasonOf = (error: unknown) => {
  const shown = loggable(error);
  const first = (shown instanceof Error ? shown.message : String(shown)).split("\n")[0] ?? "";
  return hideCredentials(first).slice(0, REASON_CHARACTERS).toWellFormed().replaceAll("\0", "");
};

/** Queues a trace for a delayed retry, or quarantines it after the last, so that it does not occupy the queue forever. */
export async function retryOrPark(tx: Db, trace: FailedTrace): Promise<void> {
  const { projectId, traceId, receivedAt, attempts, alone, error } = trace;
  const delayS = RETRY_DELAYS_S[attempts - 1];
  if (delayS !== undefined) {
    await tx.execute(sql`
      insert into projection_queue (project_id, trace_id, received_at, attempts, retry_at, alone)
      values (${projectId}, ${traceId}, ${receivedAt}, ${attempts}, ${NOW} + ${delayS * 1000}::bigint, ${alone})`);
    return;
  }
  await tx.execute(sql`
    insert into parked_traces (project_id, trace_id, received_at, attempts, reason, alone, version)
    select t.project_id, t.id, ${receivedAt}::bigint, ${attempts}::int, ${reasonOf(error)}::text, ${alone}::boolean, ${version}::text
    from traces t where t.project_id = ${projectId} and t.id = ${traceId}
    on conflict (project_id, trace_id) do nothing`);
  logger("projector").error(
    { err: loggable(error), projectId, traceId, attempts },
    "Quarantined a trace that could not be rebuilt. It is listed in its project and can be replayed.",
  );
}

/**
 * Marks the traces that dead processes were working on to be rebuilt alone: if one of them crashed its process, it affects no
 * other trace the next time, and is quarantined after several crashes.
 */
export async function isolateOrphanedTraces(database: Db): Promise<void> {
  await database.transaction(async (tx) => {
    const suspects = await takeOrphanedEntries(tx);
    if (suspects.length === 0) return;
    const rows = suspects.map(([project_id, trace_id]) => ({ project_id, trace_id }));
    const taken = await tx.execute<{ project_id: string; trace_id: string; received_at: string; attempts: number }>(sql`
      with gone as (
        delete from projection_queue q using ${rowsOf(rows, "project_id text, trace_id text")}
        where q.project_id = t.project_id and q.trace_id = t.trace_id
        returning q.project_id, q.trace_id, q.received_at, q.attempts
      )
      select project_id, trace_id, max(received_at) as received_at, max(attempts) as attempts from gone
      group by project_id, trace_id order by project_id, trace_id`);
    logger("projector").warn(
      { traces: suspects.length },
      "A process died while rebuilding these traces; retrying each one separately.",
    );
    const error = new Error("The process died while rebuilding this trace.");
    for (const { project_id: projectId, trace_id: traceId, received_at, attempts } of taken) {
      const failed = {
        projectId,
        traceId,
        receivedAt: Number(received_at),
        attempts: attempts + 1,
        alone: true,
        error,
      };
      await retryOrPark(tx, failed);
    }
  });
}

/**
 * Requeues the quarantined traces of one project or, with `null`, those that another version quarantined. Returns the
 * count.
 */
export async function replayParked(tx: Db, { projectId }: { projectId: string | null }): Promise<number> {
  const which = projectId === null ? sql`version <> ${version}` : sql`project_id = ${projectId}`;
  const [row] = await tx.execute<{ replayed: number }>(sql`
    with parked as (delete from parked_traces where ${which} returning project_id, trace_id, received_at, alone),
    queued as (
      insert into projection_queue (project_id, trace_id, received_at, alone)
      select project_id, trace_id, received_at, alone from parked order by received_at
    )
    select count(*)::int as replayed from parked`);
  return row?.replayed ?? 0;
}
