import { and, eq, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { modelCalls, traces } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { readSpan, TYPE_EVENTS } from "../otlp";
import type { LogRecord, SpanRecord } from "../otlp/types";
import { loadLogOutlines, loadLogRows, loadSpanRows } from "../projection/load-spans";
import { groupLogs } from "../projection/read-missing";
import { fitting, partsPage } from "./parts-page";

const US_PER_MS = 1000;

type Page = { traceId: string; limit: number; cursor?: string | undefined };

/** Returns a trace of the context's project, by its id in hex. */
export async function findTrace(ctx: Ctx, id: string) {
  const [trace] = await ctx.db
    .select({ id: traces.id, conversationId: traces.conversationId })
    .from(traces)
    .where(and(eq(traces.projectId, ctx.projectId), eq(traces.id, id.toLowerCase())));
  if (!trace) throw notFound("Trace");
  return trace;
}

/** Counts the spans, model calls and log records of a trace. */
export async function countParts({ db, projectId }: Ctx, traceId: string) {
  const [row] = await db.execute<{ spans: number; calls: number; logs: number }>(sql`
    select
      (select count(*)::int from spans where project_id = ${projectId} and trace_id = ${traceId}) as spans,
      (select count(*)::int from model_calls where project_id = ${projectId} and trace_id = ${traceId}) as calls,
      (select count(*)::int from log_records where project_id = ${projectId} and trace_id = ${traceId}) as logs`);
  return { spanCount: row!.spans, modelCallCount: row!.calls, logCount: row!.logs };
}

type SpanKey = { at: string; batch: string; place: number; span_id: string; length: number };
const ORDER = sql`(s.started_us, s.batch, s.place, s.span_id)`;

/** What has equal times is in order of arrival: by batch, then by the place in it. */
type Arrived = { batch: string; place: string | number; id: string };

/** Reads a position in a list; one of an earlier version has only the id. */
function arrivedAt(position: string): Arrived {
  const [id = "", place = "0", batch = "0"] = position.split(" ").reverse();
  return { batch, place, id };
}

const positionOf = (at: string, { batch, place, id }: Arrived): [number, string] => [
  Number(at),
  `${batch} ${place} ${id}`,
];

type SpansPage = Page & { fromSpanId?: string | undefined };

/** Returns spans of a trace of the context's project as stored and interpreted, earliest start first. */
export const spansPage = (ctx: Ctx, page: SpansPage) =>
  pageOfSpans(ctx, page, {
    list: "spans",
    length: sql`${LENGTH_IN_ROW} + coalesce((s.content ->> 'length')::int, 0)`,
    read: (spanIds) => readSpans(ctx, page.traceId, spanIds),
  });

type Reading<Row> = {
  list: string;
  /** What a span `s` adds to the length of a page, in bytes. */
  length: SQL;
  /** Returns these spans in this order. */
  read: (spanIds: string[]) => Promise<readonly Row[]>;
};

/** The length of what a span's row holds, without the long values that were taken out of it. */
export const LENGTH_IN_ROW = sql`(octet_length(s.attributes::text) + coalesce(octet_length(s.events::text), 0))`;

/** Returns a page of a trace's spans, earliest start first, however they are read. */
export async function pageOfSpans<Row>(ctx: Ctx, page: SpansPage, { list, length, read }: Reading<Row>) {
  const { db, projectId } = ctx;
  const { traceId, fromSpanId } = page;
  const ofTrace = sql`s.project_id = ${projectId} and s.trace_id = ${traceId}`;
  const first = fromSpanId === undefined ? null : await startOf(ctx, traceId, fromSpanId);
  return partsPage({
    ...page,
    list,
    filters: { project: projectId, traceId, fromSpanId },
    keysAfter: async (position, most) => {
      const from = (at: string | number, { batch, place, id }: Arrived) =>
        sql`(${at}::bigint, ${batch}::text::bigint, ${place}::text::int, ${id}::text)`;
      const after = position
        ? sql`and ${ORDER} > ${from(position[0], arrivedAt(position[1]))}`
        : first
          ? sql`and ${ORDER} >= ${from(first.at, { ...first, id: first.span_id })}`
          : sql``;
      return [
        ...(await db.execute<SpanKey>(sql`
          select k.started_us as at, k.batch, k.place, k.span_id, l.length
          from (
            select s.span_id, s.started_us, s.batch, s.place from spans s where ${ofTrace} ${after}
            order by s.started_us, s.batch, s.place, s.span_id limit ${most}
          ) k
          cross join lateral (
            -- A plan for any limit expects one span, and then a join reads the whole trace for each.
            select ${length} as length
            from spans s where ${ofTrace} and s.span_id = k.span_id limit 1
          ) l
          order by k.started_us, k.batch, k.place, k.span_id`)),
      ];
    },
    read: (keys) => read(keys.map((key) => key.span_id)),
    positionOf: (key) => positionOf(key.at, { ...key, id: key.span_id }),
  });
}

async function startOf({ db, projectId }: Ctx, traceId: string, spanId: string) {
  const [row] = await db.execute<Omit<SpanKey, "length">>(sql`
    select started_us as at, batch, place, span_id from spans
    where project_id = ${projectId} and trace_id = ${traceId} and span_id = ${spanId.toLowerCase()}`);
  if (!row) throw notFound("Span");
  return row;
}

/** Returns spans with their interpretation, in the order of these ids. */
async function readSpans(ctx: Ctx, traceId: string, spanIds: string[]) {
  const [spans, counted, typeLogs] = await Promise.all([
    loadSpanRows(ctx.db, ctx.projectId, traceId, spanIds),
    ctx.db
      .select({ spanId: modelCalls.spanId })
      .from(modelCalls)
      .where(
        and(
          eq(modelCalls.projectId, ctx.projectId),
          eq(modelCalls.traceId, traceId),
          sql`${modelCalls.spanId} = any(${textArray(spanIds)})`,
        ),
      ),
    loadTypeLogs(ctx, traceId, spanIds),
  ]);
  const countedIds = new Set(counted.map((call) => call.spanId));
  const logsOf = groupLogs(typeLogs);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return spanIds.flatMap((spanId) => {
    const span = byId.get(spanId);
    return span ? [spanJson(span, logsOf(span), countedIds.has(spanId))] : [];
  });
}

const spanJson = (span: SpanRecord, logs: readonly LogRecord[], counted: boolean) => ({
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  name: span.name,
  ...readSpan(span, logs),
  counted,
  status: span.status.code === 2 ? ("error" as const) : ("ok" as const),
  startedAt: span.startedUs / US_PER_MS,
  endedAt: span.endedUs / US_PER_MS,
  attributes: span.attributes,
  events: span.events.map((event) => ({
    name: event.name,
    at: event.timeUs / US_PER_MS,
    attributes: event.attributes,
  })),
  resource: span.resource,
  scope: span.scope,
});

type LogKey = { at: string; batch: string; place: number; id: string; length: number };
const LENGTH = sql`octet_length(l.attributes::text) + coalesce(octet_length(l.body::text), 0)
  + coalesce((l.content ->> 'length')::int, 0) as length`;

/** Returns log records of a trace of the context's project, or of one of its spans, oldest first. */
export function logsPage(ctx: Ctx, page: Page & { spanId?: string | undefined }) {
  const { db, projectId } = ctx;
  const spanId = page.spanId?.toLowerCase();
  const ofTrace = sql`l.project_id = ${projectId} and l.trace_id = ${page.traceId}
    ${spanId === undefined ? sql`` : sql`and l.span_id = ${spanId}`}`;
  return partsPage({
    ...page,
    list: "logs",
    filters: { project: projectId, traceId: page.traceId, spanId },
    keysAfter: async (position, most) => {
      const { batch, place, id } = arrivedAt(position?.[1] ?? "");
      const after = position
        ? sql`and (l.time_us, l.batch, l.place, l.id) >
            (${position[0]}::bigint, ${batch}::text::bigint, ${place}::text::int, ${id}::text)`
        : sql``;
      return [
        ...(await db.execute<LogKey>(sql`
          select k.time_us as at, k.batch, k.place, k.id, ${LENGTH}
          from (
            select l.id, l.time_us, l.batch, l.place from log_records l where ${ofTrace} ${after}
            order by l.time_us, l.batch, l.place, l.id limit ${most}
          ) k
          join log_records l on l.project_id = ${projectId} and l.id = k.id
          order by k.time_us, k.batch, k.place, k.id`)),
      ];
    },
    read: async (keys) => (await loadLogRows(db, projectId, idsOf(keys))).map(logJson),
    positionOf: (key) => positionOf(key.at, key),
  });
}

const idsOf = (keys: readonly LogKey[]) => keys.map((key) => key.id);

const logJson = ({ traceId: _, timeUs, ...record }: LogRecord) => ({ ...record, at: timeUs / US_PER_MS });

/** Returns the log records that determine the types of these spans, as many as fit on a page. */
async function loadTypeLogs({ db, projectId }: Ctx, traceId: string, spanIds: readonly string[]) {
  const keys = await typeLogKeys(db, projectId, traceId, spanIds);
  return loadLogRows(db, projectId, idsOf(fitting(keys, keys.length)));
}

/** Returns the keys of the log records that determine the types of these spans. */
const typeLogKeys = async (db: Ctx["db"], projectId: string, traceId: string, spanIds: readonly string[]) => [
  ...(await db.execute<LogKey>(sql`
    select l.time_us as at, l.batch, l.place, l.id, ${LENGTH} from log_records l
    where l.project_id = ${projectId} and l.trace_id = ${traceId} and l.span_id = any(${textArray(spanIds)})
      and l.event_name = any(${textArray(TYPE_EVENTS)})
    order by l.time_us, l.batch, l.place, l.id limit ${4 * spanIds.length}`)),
];

/** Like `loadTypeLogs`, of all these spans and without the long values that were taken out of the rows. */
export async function loadTypeLogOutlines({ db, projectId }: Ctx, traceId: string, spanIds: readonly string[]) {
  const keys = await typeLogKeys(db, projectId, traceId, spanIds);
  return loadLogOutlines(db, projectId, idsOf(keys));
}
