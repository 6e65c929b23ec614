import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";

/** Timestamps come from the database's clock, which may be adjusted: this is the largest step that is tolerated. */
export const MAX_CLOCK_STEP_MS = 60 * 60 * 1000;

/** Returns the tombstone key of a deleted trace: a hash, so that the tombstone does not contain the trace id. */
export const traceDigest = (projectId: string, traceId: SQL) =>
  sql`substring(sha256(convert_to(${projectId}::text || ':' || ${traceId}, 'UTF8')) for 16)`;

const sourcesLock = (projectId: string) => sql`hashtextextended(${`sources ${projectId}`}, 0)`;

/** Taken first by every batch: deleting sources excludes batches in progress. */
export const sharedSourcesLock = (projectId: string) => sql`pg_advisory_xact_lock_shared(${sourcesLock(projectId)})`;

/** Blocks storing batches of the project until the transaction ends. */
export const lockSources = (tx: Db, projectId: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(${sourcesLock(projectId)})`);

/** Returns a query for those of these traces that have been deleted. */
export const deletedAmong = (projectId: string, traceIds: readonly string[]) => sql`
  select t.id from unnest(${textArray(traceIds)}) as t(id)
  join deleted_traces d on d.project_id = ${projectId} and d.digest = ${traceDigest(projectId, sql`t.id`)}`;

/**
 * Deletes queued traces that have a tombstone (a batch may be stored while its trace is being deleted), and returns the
 * other traces.
 */
export async function withoutDeletedTraces(tx: Db, projectId: string, traceIds: readonly string[]): Promise<string[]> {
  const found = [...(await tx.execute<{ id: string }>(deletedAmong(projectId, traceIds)))].map(({ id }) => id);
  if (found.length === 0) return [...traceIds];
  const gone = textArray(found);
  // Cascades to spans and log records.
  await tx.execute(sql`delete from traces where project_id = ${projectId} and id = any(${gone})`);
  const [first] = await tx.execute<{ at: string }>(sql`
    select min(deleted_at) as at from deleted_traces d
    where d.project_id = ${projectId} and d.digest in (select ${traceDigest(projectId, sql`t.id`)} from unnest(${gone}) as t(id))`);
  await stripReceipts(tx, projectId, Number(first?.at ?? 0));
  const refused = new Set(found);
  return traceIds.filter((id) => !refused.has(id));
}

/** Removes the ids of deleted traces from receipts that were written while the traces were being deleted. */
export async function stripReceipts(tx: Db, projectId: string, since: number) {
  const isDeleted = sql`exists (
    select 1 from deleted_traces d where d.project_id = ${projectId} and d.digest = ${traceDigest(projectId, sql`t.id`)})`;
  await tx.execute(sql`
    update ingest_receipts r set trace_ids = array(select t.id from unnest(r.trace_ids) as t(id) where not ${isDeleted})
    where r.project_id = ${projectId} and r.created_at >= ${since - MAX_CLOCK_STEP_MS}::bigint
      and exists (select 1 from unnest(r.trace_ids) as t(id) where ${isDeleted})`);
}
