import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { logRecords, spanSources, spans, telemetryBatches } from "@/db/schema";
import { rowsFor } from "@/db/sets";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { type Counts, type PrepareAgain, storeWithContent } from "../content/store-with-content";
import type { Decoded, LogRecord, SpanRecord } from "../otlp/types";
import { maskingOf } from "./masking-setting";
import {
  NOT_SENT,
  type Preparation,
  type PreparedLogs,
  type PreparedTraces,
  prepareLogs,
  prepareTraces,
} from "./prepare-batch";
import type { SourceRow } from "./source-id";
import { sharedSourcesLock, traceDigest } from "./tombstones";

/** Limits the size of a receipt when most of a batch is invalid. */
const MAX_STORED_REJECTIONS = 100;
export const TRACE_DELETED = "The trace has been deleted.";

export type StoredBatch = Counts & { receiptId: string };

/**
 * Masks and stores a decoded batch of spans in one statement, or one transaction if they are long: all or nothing. Existing
 * spans are left unchanged. The projector rebuilds everything derived (conversations, calls, costs) from these rows.
 */
export const storeTraces = (ctx: Ctx, decoded: Decoded<SpanRecord>) =>
  storeDecoded(ctx, decoded, prepareTraces, storePreparedTraces);

/** Masks and stores a decoded batch of log records. Sending a record again changes nothing. */
export const storeLogs = (ctx: Ctx, decoded: Decoded<LogRecord>) =>
  storeDecoded(ctx, decoded, prepareLogs, storePreparedLogs);

async function storeDecoded<Item, Batch>(
  ctx: Ctx,
  decoded: Decoded<Item>,
  prepare: (decoded: Decoded<Item>, preparation: Preparation) => Batch,
  store: (ctx: Ctx, batch: Batch, prepareAgain: PrepareAgain<Batch>) => Promise<StoredBatch>,
): Promise<StoredBatch> {
  requireCapability(ctx, ["telemetry:write"]);
  const masking = await maskingOf(ctx);
  const prepared = (whole: readonly string[]) => prepare(decoded, { projectId: ctx.projectId, masking, whole });
  return store(ctx, prepared([]), prepared);
}

/** Stores a prepared batch of spans, see `storeTraces`. */
export async function storePreparedTraces(
  ctx: Ctx,
  prepared: PreparedTraces,
  prepareAgain: PrepareAgain<PreparedTraces>,
): Promise<StoredBatch> {
  requireCapability(ctx, ["telemetry:write"]);
  const receipt = receiptOf("traces", prepared);
  const counts = await storeWithContent(ctx, prepared, prepareAgain, (batch) => {
    const sent = rowsFor(spans, NOT_SENT, batch.rows);
    // Sorted inserts, so that two batches with the same traces cannot deadlock.
    return sql`
      with ${gate(ctx)},
      clock as materialized (select ${NOW} as now, ${NEXT_BATCH} as batch),
      sent as materialized (
        select t.* from gate, ${sent.rows}
      ),
      ${withoutRefused(ctx)},
      new_traces as (
        insert into traces (project_id, id)
        select ${ctx.projectId}::text, trace_id from (select distinct trace_id from item order by trace_id) d
        on conflict do nothing
      ),
      new_sources as (${insertSources(ctx, batch.sources, FIRST_SPAN)}),
      earlier_sources as (${moveFirstSeen(ctx)}),
      stored as (
        insert into spans (project_id, batch, ${sent.columns})
        select ${ctx.projectId}::text, clock.batch, ${sent.columns}
        from item, clock order by trace_id, span_id
        on conflict do nothing
        returning trace_id
      ),
      queued as (
        insert into projection_queue (project_id, trace_id, received_at)
        select distinct ${ctx.projectId}::text, trace_id, now from stored, clock
      ),
      receipt as (${insertReceipt(ctx, receipt)})
      select (select count(*)::int from stored) as stored, ${REFUSED} as refused
    `;
  });
  return { receiptId: receipt.id, ...counts };
}

/** Stores a prepared batch of log records, see `storeLogs`. */
export async function storePreparedLogs(
  ctx: Ctx,
  prepared: PreparedLogs,
  prepareAgain: PrepareAgain<PreparedLogs>,
): Promise<StoredBatch> {
  requireCapability(ctx, ["telemetry:write"]);
  const receipt = receiptOf("logs", prepared);
  const counts = await storeWithContent(ctx, prepared, prepareAgain, (batch) => {
    const sent = rowsFor(logRecords, NOT_SENT, batch.rows);
    return sql`
      with ${gate(ctx)},
      clock as materialized (select ${NOW} as now, ${NEXT_BATCH} as batch),
      sent as materialized (
        select t.* from gate, ${sent.rows}
      ),
      ${withoutRefused(ctx)},
      new_traces as (
        insert into traces (project_id, id)
        select ${ctx.projectId}::text, trace_id
        from (select distinct trace_id from item where trace_id is not null order by trace_id) d
        on conflict do nothing
      ),
      new_sources as (${insertSources(ctx, batch.sources, sql`null::bigint`)}),
      stored as (
        insert into log_records (project_id, batch, ${sent.columns})
        select ${ctx.projectId}::text, clock.batch, ${sent.columns}
        from item, clock order by id
        on conflict do nothing
        returning trace_id
      ),
      queued as (
        insert into projection_queue (project_id, trace_id, received_at)
        select distinct ${ctx.projectId}::text, trace_id, now from stored, clock where trace_id is not null
      ),
      receipt as (${insertReceipt(ctx, receipt)})
      select (select count(*)::int from stored) as stored, ${REFUSED} as refused
    `;
  });
  return { receiptId: receipt.id, ...counts };
}

const NEXT_BATCH = sql`nextval(${telemetryBatches.seqName!})`;

/** Evaluated first: no source is deleted while a batch that may reference it is being stored. */
const gate = (ctx: Ctx) => sql`gate as materialized (select ${sharedSourcesLock(ctx.projectId)})`;

/** Filters out the items of deleted traces. */
const withoutRefused = (ctx: Ctx) => sql`
    refused as materialized (
      select s.trace_id from (select distinct trace_id from sent) s
      where exists (
        select 1 from deleted_traces d
        where d.project_id = ${ctx.projectId} and d.digest = ${traceDigest(ctx.projectId, sql`s.trace_id`)})
    ),
    item as materialized (
      select * from sent where trace_id is null or trace_id not in (select trace_id from refused)
    )`;

const REFUSED = sql`(select count(*)::int from sent where trace_id in (select trace_id from refused))`;

const insertSources = (ctx: Ctx, rows: readonly SourceRow[], firstSeenAt: SQL) => {
  const sources = rowsFor(spanSources, ["project_id", "first_seen_at"], rows);
  return sql`
    insert into span_sources (project_id, ${sources.columns}, first_seen_at)
    select ${ctx.projectId}::text, t.*, ${firstSeenAt} from gate, ${sources.rows}
    on conflict do nothing`;
};

/** Start of the batch's earliest span of the source `t`. */
const FIRST_SPAN = sql`(select min(started_us) / 1000 from item where source_id = t.id)`;

/**
 * Corrects the time of known sources when earlier spans arrive late. Rows that another batch has locked are skipped, so that
 * two batches cannot deadlock; the times of both differ by seconds.
 */
const moveFirstSeen = (ctx: Ctx) => sql`
  update span_sources o set first_seen_at = e.first from (
    select s.id, i.first
    from (select source_id, min(started_us) / 1000 as first from item group by source_id) i
    join span_sources s on s.project_id = ${ctx.projectId} and s.id = i.source_id
    where s.first_seen_at is null or s.first_seen_at > i.first
    for update of s skip locked
  ) e
  where o.project_id = ${ctx.projectId} and o.id = e.id`;

const receiptOf = (signal: "traces" | "logs", batch: PreparedTraces | PreparedLogs) => ({
  id: newId("rcp"),
  signal,
  received: batch.received,
  masked: batch.masked,
  rejected: batch.rejections.length,
  rejections: batch.rejections.slice(0, MAX_STORED_REJECTIONS),
  traceIds: batch.traceIds.slice(0, 1000),
  ignoredIds: batch.ignoredIds,
});

const insertReceipt = (ctx: Ctx, receipt: ReturnType<typeof receiptOf>) => sql`
  insert into ingest_receipts (project_id, id, signal, received, stored, rejected, rejections, trace_ids, masked, ignored_ids,
    created_at)
  select ${ctx.projectId}::text, ${receipt.id}::text, ${receipt.signal}::text, ${receipt.received}::int, (select count(*)::int from stored),
         ${receipt.rejected}::int + ${REFUSED},
         ${JSON.stringify(receipt.rejections)}::text::jsonb || case when ${REFUSED} = 0 then '[]' else
           jsonb_build_array(jsonb_build_object('index', null, 'spanId', null, 'reason', ${REFUSED} || ' × ' || ${TRACE_DELETED}::text)) end,
         array(select id from unnest(${sql.param(receipt.traceIds)}::text[]) as t(id) where id not in (select trace_id from refused)),
         ${receipt.masked}::int, ${JSON.stringify(receipt.ignoredIds)}::text::jsonb, now
  from clock`;
