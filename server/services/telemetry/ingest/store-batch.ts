import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { logRecords, spanSources, spans } from "@/db/schema";
import { rowsFor } from "@/db/sets";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { type StoredItem, storeWithContent } from "../content/store-with-content";
import { takeFromLog, takeFromSpan } from "../content/take-content";
import { type Masked, maskLogs, maskSpans } from "../masking";
import type { Decoded, LogRecord, SpanRecord } from "../otlp/types";
import { maskingOf } from "./masking-setting";
import { createSourceIndex, type SourceRow } from "./source-id";
import { sharedSourcesLock, traceDigest } from "./tombstones";

/** Limits the size of a receipt when most of a batch is invalid. */
const MAX_STORED_REJECTIONS = 100;
export const TRACE_DELETED = "The trace has been deleted.";

type Counts = { stored: number; refused: number };
const NONE: Counts = { stored: 0, refused: 0 };

/** `refused` counts items of deleted traces. They count as rejected and are never stored again. */
export type StoredBatch = Counts & { receiptId: string };

/**
 * Masks and stores a decoded batch of spans in one statement, or one transaction if they are long: all or nothing. Existing
 * spans are left unchanged. The projector rebuilds everything derived (conversations, calls, costs) from these rows.
 */
export async function storeTraces(ctx: Ctx, decoded: Decoded<SpanRecord>): Promise<StoredBatch> {
  requireCapability(ctx, ["telemetry:write"]);
  const batch = maskSpans(decoded, await maskingOf(ctx));
  const sources = createSourceIndex();
  const row = ({ item: span, left, content }: StoredItem<SpanRecord>) => ({
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId,
    source_id: sources.idOf(span),
    name: span.name,
    kind: span.kind,
    status_code: span.status.code,
    status_message: span.status.message,
    started_us: span.startedUs,
    ended_us: span.endedUs,
    attributes: left.attributes,
    events: left.events.length > 0 ? left.events : null,
    ...content,
  });
  const receipt = receiptOf("traces", batch);

  const counts = await storeWithContent(ctx, batch.items, takeFromSpan, async (db, items) => {
    const sent = rowsFor(spans, ["project_id"], items.map(row));
    // Sorted inserts, so that two batches with the same traces cannot deadlock.
    const [result] = await db.execute<Counts>(sql`
      with ${gate(ctx)},
      clock as materialized (select ${NOW} as now),
      sent as materialized (
        select t.* from gate, ${sent.rows}
      ),
      ${withoutRefused(ctx)},
      new_traces as (
        insert into traces (project_id, id)
        select ${ctx.projectId}::text, trace_id from (select distinct trace_id from item order by trace_id) d
        on conflict do nothing
      ),
      new_sources as (${insertSources(ctx, sources.rows(), FIRST_SPAN)}),
      earlier_sources as (${moveFirstSeen(ctx)}),
      stored as (
        insert into spans (project_id, ${sent.columns})
        select ${ctx.projectId}::text, ${sent.columns}
        from item order by trace_id, span_id
        on conflict do nothing
        returning trace_id
      ),
      queued as (
        insert into projection_queue (project_id, trace_id, received_at)
        select distinct ${ctx.projectId}::text, trace_id, now from stored, clock
      ),
      receipt as (${insertReceipt(ctx, receipt)})
      select (select count(*)::int from stored) as stored, ${REFUSED} as refused
    `);
    return result ?? NONE;
  });
  return { receiptId: receipt.id, ...counts };
}

/** Masks and stores a decoded batch of log records. A record's id is the hash of its content, so resending it is a no-op. */
export async function storeLogs(ctx: Ctx, decoded: Decoded<LogRecord>): Promise<StoredBatch> {
  requireCapability(ctx, ["telemetry:write"]);
  const batch = maskLogs(decoded, await maskingOf(ctx));
  const sources = createSourceIndex();
  const row = ({ item: log, left, content }: StoredItem<LogRecord>) => {
    const whole = {
      trace_id: log.traceId,
      span_id: log.spanId,
      source_id: sources.idOf(log),
      event_name: log.eventName,
      severity: log.severity,
      time_us: log.timeUs,
      body: log.body,
      attributes: log.attributes,
    };
    const id = `log_${createHash("sha256").update(JSON.stringify(whole)).digest("base64url")}`;
    return { id, ...whole, body: left.body, attributes: left.attributes, ...content };
  };
  const receipt = receiptOf("logs", batch);

  const counts = await storeWithContent(ctx, batch.items, takeFromLog, async (db, items) => {
    const sent = rowsFor(logRecords, ["project_id"], items.map(row));
    const [result] = await db.execute<Counts>(sql`
      with ${gate(ctx)},
      clock as materialized (select ${NOW} as now),
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
      new_sources as (${insertSources(ctx, sources.rows(), sql`null::bigint`)}),
      stored as (
        insert into log_records (project_id, ${sent.columns})
        select ${ctx.projectId}::text, ${sent.columns}
        from item order by id
        on conflict do nothing
        returning trace_id
      ),
      queued as (
        insert into projection_queue (project_id, trace_id, received_at)
        select distinct ${ctx.projectId}::text, trace_id, now from stored, clock where trace_id is not null
      ),
      receipt as (${insertReceipt(ctx, receipt)})
      select (select count(*)::int from stored) as stored, ${REFUSED} as refused
    `);
    return result ?? NONE;
  });
  return { receiptId: receipt.id, ...counts };
}

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
 * Corrects the time of known sources when earlier spans arrive late. Rows that another batch holds are skipped, so that two
 * batches cannot deadlock; the times of both differ by seconds.
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

const receiptOf = (signal: "traces" | "logs", batch: Masked<{ traceId: string | null }>) => ({
  id: newId("rcp"),
  signal,
  received: batch.received,
  masked: batch.masked,
  rejected: batch.rejections.length,
  rejections: batch.rejections.slice(0, MAX_STORED_REJECTIONS),
  traceIds: [...new Set(batch.items.flatMap((item) => item.traceId ?? []))].slice(0, 1000),
});

const insertReceipt = (ctx: Ctx, receipt: ReturnType<typeof receiptOf>) => sql`
  insert into ingest_receipts (project_id, id, signal, received, stored, rejected, rejections, trace_ids, masked, created_at)
  select ${ctx.projectId}::text, ${receipt.id}::text, ${receipt.signal}::text, ${receipt.received}::int, (select count(*)::int from stored),
         ${receipt.rejected}::int + ${REFUSED},
         ${JSON.stringify(receipt.rejections)}::text::jsonb || case when ${REFUSED} = 0 then '[]' else
           jsonb_build_array(jsonb_build_object('index', null, 'spanId', null, 'reason', ${REFUSED} || ' × ' || ${TRACE_DELETED}::text)) end,
         array(select id from unnest(${sql.param(receipt.traceIds)}::text[]) as t(id) where id not in (select trace_id from refused)),
         ${receipt.masked}::int, now
  from clock`;
