import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { tablesDeletedBy } from "@/db/deletion-registry";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { attachFeedback } from "../feedback";
import { lockSources, MAX_CLOCK_STEP_MS, traceDigest } from "../ingest/tombstones";
import { forgetReadings } from "../projection/reading-cache";

/** Rows deleted, by table. */
export type Deleted = Record<string, number>;

/**
 * Deletes conversations with all their telemetry, in the caller's transaction; Findings are left to the caller. `remember`
 * stores a tombstone for each trace, so that resent spans are not stored again. `onceLocked` runs before anything is deleted.
 */
export async function deleteConversations(
  tx: Ctx,
  conversationIds: readonly string[],
  { remember, onceLocked }: { remember: boolean; onceLocked?: () => Promise<void> },
): Promise<Deleted> {
  const ids = textArray([...conversationIds]);
  const ofConversations = sql`project_id = ${tx.projectId} and conversation_id = any(${ids})`;
  // Same lock order as the projector: traces, then conversations. Once locked, no other trace can join them.
  await tx.db.execute(sql`select 1 from traces where ${ofConversations} order by id for update`);
  await tx.db.execute(
    sql`select 1 from conversations where project_id = ${tx.projectId} and id = any(${ids}) order by id for update`,
  );
  await onceLocked?.();
  const traces = await tx.db.execute<{ id: string }>(sql`select id from traces where ${ofConversations} order by id`);
  const inProgress = await deleteCallsInProgress(
    tx,
    "gen_ai.conversation.id",
    sql`select external_id from conversations where project_id = ${tx.projectId} and id = any(${ids})`,
  );
  await attachFeedback(tx.db, tx.projectId, conversationIds);

  const counts = await deleteTraces(
    tx,
    [...traces].map((row) => row.id),
    { remember },
  );
  // Rows that remain under the conversation; calls of traces that moved away belong to their new conversation.
  for (const table of tablesDeletedBy("conversation_id")) {
    counts[table] = (counts[table] ?? 0) + (await deleted(tx.db, table, ofConversations));
  }
  counts.gateway_calls = (counts.gateway_calls ?? 0) + inProgress;
  counts.conversations = await deleted(tx.db, "conversations", sql`project_id = ${tx.projectId} and id = any(${ids})`);
  // The rows are locked until the commit: a pass that had read them has ended, and no other can read them.
  forgetReadings(tx.projectId, conversationIds);
  return counts;
}

/**
 * Deletes calls of models in progress by an attribute: they are in no conversation yet. One whose process lives is stored when
 * it ends, like any that arrives after a deletion.
 */
const deleteCallsInProgress = (tx: Ctx, attribute: string, values: SQL) =>
  deleted(
    tx.db,
    "gateway_calls",
    sql`project_id = ${tx.projectId} and (request ->> ${attribute}::text in (${values})
      or exists (select 1 from jsonb_array_elements(spans) s where s -> 'attributes' ->> ${attribute}::text in (${values})))`,
  );

/** Deletes traces with their spans, log records and calls, and removes their ids from receipts. */
export async function deleteTraces(
  tx: Ctx,
  traceIds: readonly string[],
  { remember }: { remember: boolean },
): Promise<Deleted> {
  if (traceIds.length === 0) return {};
  const ids = textArray([...traceIds]);
  const ofTraces = sql`project_id = ${tx.projectId} and trace_id = any(${ids})`;
  if (remember) {
    await tx.db.execute(sql`
      insert into deleted_traces (project_id, digest, deleted_at)
      select ${tx.projectId}::text, ${traceDigest(tx.projectId, sql`id`)}, ${NOW} from unnest(${ids}) as t(id)
      on conflict do nothing`);
  }
  const counts: Deleted = { ...(await deleteFromReceipts(tx, ids)) };
  for (const table of tablesDeletedBy("trace_id")) {
    counts[table] = await deleted(tx.db, table, ofTraces);
  }
  counts.traces = await deleted(tx.db, "traces", sql`project_id = ${tx.projectId} and id = any(${ids})`);
  // Last: a batch that was blocked on the traces' rows has queued them by this point.
  counts.projection_queue = await deleted(tx.db, "projection_queue", ofTraces);
  return counts;
}

/** Deletes receipts that name only these traces, and removes the ids from others. */
async function deleteFromReceipts(tx: Ctx, ids: SQL): Promise<Deleted> {
  const [row] = await tx.db.execute<{ gone: number }>(sql`
    with naming as materialized (
      select r.id, r.trace_ids <@ ${ids} as only from ingest_receipts r
      where r.project_id = ${tx.projectId}
        and r.created_at >= (select min(created_at) from traces where project_id = ${tx.projectId} and id = any(${ids})) - ${MAX_CLOCK_STEP_MS}::bigint
        and r.trace_ids && ${ids}
    ),
    gone as (
      delete from ingest_receipts r using naming n where r.project_id = ${tx.projectId} and r.id = n.id and n.only returning 1
    ),
    stripped as (
      update ingest_receipts r set trace_ids = array(select t from unnest(r.trace_ids) t where t <> all(${ids}))
      from naming n where r.project_id = ${tx.projectId} and r.id = n.id and not n.only
    )
    select count(*)::int as gone from gone`);
  return { ingest_receipts: row?.gone ?? 0 };
}

/**
 * Deletes resources and scopes that no span or log record of the project references. Blocks the project's ingest until the
 * transaction ends, so that no batch can reference a source that is being deleted.
 */
export async function deleteUnusedSources(tx: Ctx): Promise<Deleted> {
  await lockSources(tx.db, tx.projectId);
  const unused = sql`project_id = ${tx.projectId}
    and not exists (select 1 from spans u where u.project_id = ${tx.projectId} and u.source_id = span_sources.id)
    and not exists (select 1 from log_records u where u.project_id = ${tx.projectId} and u.source_id = span_sources.id)`;
  return { span_sources: await deleted(tx.db, "span_sources", unused) };
}

/** Condition on `log_records`: in no conversation, and any attribute has this value. */
export const unassignedLogsMentioning = (projectId: string, value: string) => sql`project_id = ${projectId}
  and (trace_id is null or trace_id in (select id from traces where project_id = ${projectId} and conversation_id is null))
  and exists (select 1 from jsonb_each_text(log_records.attributes) a where a.value = ${value}::text)`;

/** Condition on traces `t`: in no conversation (they could not be rebuilt), and any attribute of a span has this value. */
export const unassignedTracesMentioning = (projectId: string, value: string) => sql`t.project_id = ${projectId}
  and t.conversation_id is null and exists (
    select 1 from spans s, jsonb_each_text(case jsonb_typeof(s.attributes) when 'object' then s.attributes else '{}' end) a
    where s.project_id = t.project_id and s.trace_id = t.id and a.value = ${value}::text)`;

export const deleteUnassignedLogsMentioning = async (tx: Ctx, value: string): Promise<Deleted> => ({
  log_records: await deleted(tx.db, "log_records", unassignedLogsMentioning(tx.projectId, value)),
});

export async function deleteUnassignedTracesMentioning(
  tx: Ctx,
  value: string,
  { remember }: { remember: boolean },
): Promise<Deleted> {
  const naming = await tx.db.execute<{ id: string }>(sql`
    select t.id from traces t where ${unassignedTracesMentioning(tx.projectId, value)} order by t.id for update of t`);
  const counts = await deleteTraces(
    tx,
    [...naming].map((row) => row.id),
    { remember },
  );
  const inProgress = await deleteCallsInProgress(tx, "user.id", sql`select ${value}::text`);
  return { ...counts, gateway_calls: (counts.gateway_calls ?? 0) + inProgress };
}

/** Deletes traces and logs in no conversation from before `before` (Unix ms), at most `limit` rows of each. */
export async function deleteUnassignedBefore(tx: Ctx, before: number, limit: number): Promise<Deleted> {
  const traces = await tx.db.execute<{ id: string }>(sql`
    select id from traces where project_id = ${tx.projectId} and conversation_id is null and created_at < ${before}::bigint
    order by id limit ${limit} for update skip locked`);
  const counts = await deleteTraces(
    tx,
    [...traces].map((row) => row.id),
    { remember: false },
  );
  const logs = await deleted(
    tx.db,
    "log_records",
    sql`project_id = ${tx.projectId} and id in (
      select id from log_records where project_id = ${tx.projectId} and trace_id is null and time_us < ${before * 1000}::bigint
      limit ${limit})`,
  );
  return { ...counts, log_records: (counts.log_records ?? 0) + logs };
}

export const deleteReceiptsBefore = async (tx: Ctx, before: number, limit: number): Promise<Deleted> => ({
  ingest_receipts: await deleted(
    tx.db,
    "ingest_receipts",
    sql`project_id = ${tx.projectId} and id in (
      select id from ingest_receipts where project_id = ${tx.projectId} and created_at < ${before}::bigint
      order by created_at limit ${limit})`,
  ),
});

async function deleted(db: Db, table: string, where: SQL): Promise<number> {
  const [row] = await db.execute<{ gone: number }>(
    sql`with gone as (delete from ${sql.identifier(table)} where ${where} returning 1) select count(*)::int as gone from gone`,
  );
  return row?.gone ?? 0;
}
