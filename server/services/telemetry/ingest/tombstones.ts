import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";

/** Receipts, traces and deletions are stamped by the database, whose clock may be set: by so much at most, it is taken. */
export const CLOCKS_DIFFER_MS = 60 * 60 * 1000;

/** The key under which a deleted trace is remembered: it finds the trace again and does not say which it was. */
export const traceDigest = (projectId: string, traceId: SQL) =>
  sql`substring(sha256(convert_to(${projectId}::text || ':' || ${traceId}, 'UTF8')) for 16)`;

const sourcesLock = (projectId: string) => sql`hashtextextended(${`sources ${projectId}`}, 0)`;

/** Taken by every batch, before anything else: a deletion of sources waits for batches under way, and they for it. */
export const sharedSourcesLock = (projectId: string) => sql`pg_advisory_xact_lock_shared(${sourcesLock(projectId)})`;

/** No batch of the project is stored from here to the end of the transaction. */
export const lockSources = (tx: Db, projectId: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(${sourcesLock(projectId)})`);

/**
 * A batch that was being stored while its trace was deleted may have come through: its trace is in the queue now, and
 * goes here. Answers the traces that stay.
 */
export async function withoutDeletedTraces(tx: Db, projectId: string, traceIds: readonly string[]): Promise<string[]> {
  const ids = textArray([...traceIds]);
  const found = await tx.execute<{ id: string }>(sql`
    select t.id from unnest(${ids}) as t(id)
    join deleted_traces d on d.project_id = ${projectId} and d.digest = ${traceDigest(projectId, sql`t.id`)}`);
  if (found.length === 0) return [...traceIds];
  const gone = textArray([...found].map((row) => row.id));
  // Spans and log records fall with their trace.
  await tx.execute(sql`delete from traces where project_id = ${projectId} and id = any(${gone})`);
  const [first] = await tx.execute<{ at: string }>(sql`
    select min(deleted_at) as at from deleted_traces d
    where d.project_id = ${projectId} and d.digest in (select ${traceDigest(projectId, sql`t.id`)} from unnest(${gone}) as t(id))`);
  await stripReceipts(tx, projectId, Number(first?.at ?? 0));
  const refused = new Set([...found].map((row) => row.id));
  return traceIds.filter((id) => !refused.has(id));
}

/** Takes the ids of deleted traces from receipts that were written while these were being deleted. */
export async function stripReceipts(tx: Db, projectId: string, since: number) {
  const isDeleted = sql`exists (
    select 1 from deleted_traces d where d.project_id = ${projectId} and d.digest = ${traceDigest(projectId, sql`t.id`)})`;
  await tx.execute(sql`
    update ingest_receipts r set trace_ids = array(select t.id from unnest(r.trace_ids) as t(id) where not ${isDeleted})
    where r.project_id = ${projectId} and r.created_at >= ${since - CLOCKS_DIFFER_MS}::bigint
      and exists (select 1 from unnest(r.trace_ids) as t(id) where ${isDeleted})`);
}
