import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import { type WithContent, withContents } from "../content/load-content";
import { putIntoLog, putIntoSpan } from "../content/put-back";
import { arrivalOf } from "../ingest/arrival";
import type { Attributes, LogRecord, SpanEvent, SpanRecord } from "../otlp/types";

/** Spans per query, which bounds memory for traces of any size. */
const PAGE = 2000;

type SpanRow = WithContent & {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  name: string;
  kind: number;
  status_code: 0 | 1 | 2;
  status_message: string | null;
  started_us: string;
  ended_us: string;
  batch: string;
  place: number;
  attributes: Attributes;
  events: SpanEvent[] | null;
  resource: Attributes | null;
  scope_name: string | null;
  scope_version: string | null;
};

const SPANS = sql`
  select s.trace_id, s.span_id, s.parent_span_id, s.name, s.kind, s.status_code, s.status_message, s.started_us,
         s.ended_us, s.batch, s.place, s.attributes, s.events, s.content, s.chunk_ids, o.resource, o.scope_name, o.scope_version
  from spans s left join span_sources o on o.project_id = s.project_id and o.id = s.source_id`;

/** Returns these spans of one trace, unordered. */
export async function loadSpanRows(db: Db, projectId: string, traceId: string, spanIds: readonly string[]) {
  const rows = await db.execute<SpanRow>(sql`
    ${SPANS} where s.project_id = ${projectId} and s.trace_id = ${traceId} and s.span_id = any(${textArray(spanIds)})`);
  const spans: SpanRecord[] = [];
  for await (const group of filledSpans(db, projectId, rows)) spans.push(...group);
  return spans;
}

/** Returns these spans of one trace, unordered, with an empty text for each long value that was taken out of its row. */
export async function loadSpanOutlines(db: Db, projectId: string, traceId: string, spanIds: readonly string[]) {
  const rows = await db.execute<SpanRow>(sql`
    ${SPANS} where s.project_id = ${projectId} and s.trace_id = ${traceId} and s.span_id = any(${textArray(spanIds)})`);
  return rows.map((row): SpanRecord => {
    const span = spanOf(row);
    const taken = (row.content?.values ?? []).filter((value) => value.in === "attributes");
    if (taken.length === 0) return span;
    const emptied = taken.map(({ name, form }) => [form === "family" ? `${name}.0` : name, ""] as const);
    return { ...span, attributes: Object.assign(Object.create(null), span.attributes, Object.fromEntries(emptied)) };
  });
}

/** Yields spans in groups, with the contents that were taken out of their rows. */
async function* filledSpans(db: Db, projectId: string, rows: readonly SpanRow[]): AsyncGenerator<SpanRecord[]> {
  for await (const group of withContents(db, projectId, rows)) {
    yield group.map(({ row, taken }) => (taken.length === 0 ? spanOf(row) : putIntoSpan(spanOf(row), taken)));
  }
}

/** Identifies what is stored of a trace, without its contents. A row that is deleted and stored again gets a new version. */
export type TraceKeys = {
  /** Versions by span id. */
  spans: ReadonlyMap<string, string>;
  /** Span ids by the log record's id, which is a hash of its content. */
  logs: ReadonlyMap<string, string | null>;
};

/** Returns the keys of these traces' spans and log records; a trace without either is absent. */
export async function loadKeys(db: Db, projectId: string, traceIds: readonly string[]) {
  const keys = new Map<string, { spans: Map<string, string>; logs: Map<string, string | null> }>();
  if (traceIds.length === 0) return keys;
  const ids = textArray(traceIds);
  const rows = await db.execute<{
    trace_id: string;
    span_id: string | null;
    log_id: string | null;
    version: string;
  }>(sql`
    select trace_id, span_id, null as log_id, xmin::text as version from spans
    where project_id = ${projectId} and trace_id = any(${ids})
    union all
    select trace_id, span_id, id, '' from log_records where project_id = ${projectId} and trace_id = any(${ids})`);
  for (const { trace_id, span_id, log_id, version } of rows) {
    let trace = keys.get(trace_id);
    if (!trace) {
      trace = { spans: new Map(), logs: new Map() };
      keys.set(trace_id, trace);
    }
    if (log_id !== null) trace.logs.set(log_id, span_id);
    else if (span_id !== null) trace.spans.set(span_id, version);
  }
  return keys;
}

/** Yields these spans, a page at a time; those that no longer exist are absent. */
export async function* loadSpansByKey(
  db: Db,
  projectId: string,
  wanted: readonly { traceId: string; spanId: string }[],
): AsyncGenerator<SpanRecord[]> {
  for (let from = 0; from < wanted.length; from += PAGE) {
    const page = wanted.slice(from, from + PAGE);
    const rows = await db.execute<SpanRow>(sql`
      ${SPANS} where s.project_id = ${projectId} and s.trace_id = any(${textArray([...new Set(page.map(({ traceId }) => traceId))])})
        and (s.trace_id, s.span_id) in (
          select * from unnest(${textArray(page.map(({ traceId }) => traceId))}, ${textArray(page.map(({ spanId }) => spanId))}))`);
    yield* filledSpans(db, projectId, rows);
  }
}

/** Yields all spans of these traces of a project, a page at a time. */
export async function* loadSpans(db: Db, projectId: string, traceIds: readonly string[]): AsyncGenerator<SpanRecord[]> {
  for (const group of await pagesOf(db, projectId, traceIds)) {
    for (let after = ""; ; ) {
      // A page holds whole traces, read by primary key; only a trace longer than a page is split.
      const rows = await db.execute<SpanRow>(sql`
        ${SPANS} where s.project_id = ${projectId} and s.trace_id = any(${textArray(group)})
          ${group.length === 1 ? sql`and s.span_id > ${after} order by s.span_id limit ${PAGE}` : sql``}`);
      yield* filledSpans(db, projectId, rows);
      if (group.length > 1 || rows.length < PAGE) break;
      after = rows[rows.length - 1]!.span_id;
    }
  }
}

/** Groups traces that have spans so that a group fits on a page; a trace longer than a page gets its own group. */
async function pagesOf(db: Db, projectId: string, traceIds: readonly string[]): Promise<string[][]> {
  const counts = await db.execute<{ id: string; spans: number }>(sql`
    select t.id, (select count(*)::int from spans s where s.project_id = ${projectId} and s.trace_id = t.id) as spans
    from unnest(${textArray(traceIds)}) as t(id)`);
  const groups: string[][] = [];
  let room = 0;
  for (const { id, spans } of counts) {
    if (spans === 0) continue; // its log records arrived first
    if (spans > room) {
      groups.push([]);
      room = PAGE;
    }
    groups.at(-1)!.push(id);
    room -= spans;
  }
  return groups;
}

type LogRow = WithContent & {
  id: string;
  trace_id: string;
  span_id: string | null;
  event_name: string | null;
  severity: number | null;
  time_us: string;
  body: LogRecord["body"];
  attributes: Attributes;
  resource: Attributes | null;
  scope_name: string | null;
  scope_version: string | null;
};

/** Returns all log records of these traces, oldest first. */
export const loadLogs = async (db: Db, projectId: string, traceIds: readonly string[]) =>
  (await logsWhere(db, projectId, sql`l.trace_id = any(${textArray(traceIds)})`)).map(recordOf);

/** Returns log records by their ids, oldest first. */
export const loadLogRows = async (db: Db, projectId: string, ids: readonly string[]) =>
  (await loadLogsById(db, projectId, ids)).map(recordOf);

const recordOf = ({ record }: { record: LogRecord }) => record;

/** Returns log records with their ids, oldest first. */
export const loadLogsById = async (db: Db, projectId: string, ids: readonly string[]) =>
  ids.length === 0 ? [] : logsWhere(db, projectId, sql`l.id = any(${textArray(ids)})`);

/** Returns log records by their ids, oldest first, without the long values that were taken out of their rows. */
export const loadLogOutlines = async (db: Db, projectId: string, ids: readonly string[]) =>
  ids.length === 0 ? [] : (await logRows(db, projectId, sql`l.id = any(${textArray(ids)})`)).map(recordFrom);

const logRows = (db: Db, projectId: string, where: SQL) =>
  db.execute<LogRow>(sql`
    select l.id, l.trace_id, l.span_id, l.event_name, l.severity, l.time_us, l.body, l.attributes, l.content, l.chunk_ids,
           o.resource, o.scope_name, o.scope_version
    from log_records l left join span_sources o on o.project_id = l.project_id and o.id = l.source_id
    where l.project_id = ${projectId} and ${where} order by l.time_us, l.batch, l.place, l.id`);

async function logsWhere(db: Db, projectId: string, where: SQL): Promise<{ id: string; record: LogRecord }[]> {
  const rows = await logRows(db, projectId, where);
  const logs: { id: string; record: LogRecord }[] = [];
  for await (const group of withContents(db, projectId, rows)) {
    for (const { row, taken } of group) {
      const record = recordFrom(row);
      logs.push({ id: row.id, record: taken.length === 0 ? record : putIntoLog(record, taken) });
    }
  }
  return logs;
}

const recordFrom = (row: LogRow): LogRecord => ({
  traceId: row.trace_id,
  spanId: row.span_id,
  eventName: row.event_name,
  timeUs: Number(row.time_us),
  severity: row.severity,
  body: row.body,
  attributes: row.attributes,
  resource: row.resource ?? {},
  scope: { name: row.scope_name ?? "", version: row.scope_version ?? "" },
});

const spanOf = (row: SpanRow): SpanRecord => ({
  traceId: row.trace_id,
  spanId: row.span_id,
  parentSpanId: row.parent_span_id,
  name: row.name,
  kind: row.kind,
  scope: { name: row.scope_name ?? "", version: row.scope_version ?? "" },
  resource: row.resource ?? {},
  attributes: row.attributes,
  events: row.events ?? [],
  status: { code: row.status_code, message: row.status_message },
  startedUs: Number(row.started_us),
  endedUs: Number(row.ended_us),
  arrival: arrivalOf(row),
});
