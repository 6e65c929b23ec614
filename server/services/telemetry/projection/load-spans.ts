import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import type { Attributes, LogRecord, SpanEvent, SpanRecord } from "../otlp/types";

/** Spans per query, which bounds memory for traces of any size. */
const PAGE = 2000;

type SpanRow = {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  name: string;
  kind: number;
  status_code: 0 | 1 | 2;
  status_message: string | null;
  started_us: string;
  ended_us: string;
  attributes: Attributes;
  events: SpanEvent[] | null;
  resource: Attributes | null;
  scope_name: string | null;
  scope_version: string | null;
};

const SPANS = sql`
  select s.trace_id, s.span_id, s.parent_span_id, s.name, s.kind, s.status_code, s.status_message, s.started_us,
         s.ended_us, s.attributes, s.events, o.resource, o.scope_name, o.scope_version
  from spans s left join span_sources o on o.project_id = s.project_id and o.id = s.source_id`;

/** Returns these spans of one trace, unordered. */
export async function loadSpanRows(db: Db, projectId: string, traceId: string, spanIds: readonly string[]) {
  const rows = await db.execute<SpanRow>(sql`
    ${SPANS} where s.project_id = ${projectId} and s.trace_id = ${traceId} and s.span_id = any(${textArray(spanIds)})`);
  return [...rows].map(spanOf);
}

/** Yields all spans of these traces of a project, a page at a time. */
export async function* loadSpans(db: Db, projectId: string, traceIds: readonly string[]): AsyncGenerator<SpanRecord[]> {
  for (const group of await pagesOf(db, projectId, traceIds)) {
    for (let after = ""; ; ) {
      // A page holds whole traces, read by primary key; only a trace longer than a page is split.
      const rows = await db.execute<SpanRow>(sql`
        ${SPANS} where s.project_id = ${projectId} and s.trace_id = any(${textArray(group)})
          ${group.length === 1 ? sql`and s.span_id > ${after} order by s.span_id limit ${PAGE}` : sql``}`);
      if (rows.length > 0) yield [...rows].map(spanOf);
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

type LogRow = {
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
export const loadLogs = (db: Db, projectId: string, traceIds: readonly string[]) =>
  logsWhere(db, sql`l.project_id = ${projectId} and l.trace_id = any(${textArray(traceIds)})`);

/** Returns log records by their ids, oldest first. */
export const loadLogRows = async (db: Db, projectId: string, ids: readonly string[]) =>
  ids.length === 0 ? [] : logsWhere(db, sql`l.project_id = ${projectId} and l.id = any(${textArray(ids)})`);

async function logsWhere(db: Db, where: SQL): Promise<LogRecord[]> {
  const rows = await db.execute<LogRow>(sql`
    select l.trace_id, l.span_id, l.event_name, l.severity, l.time_us, l.body, l.attributes, o.resource, o.scope_name,
           o.scope_version
    from log_records l left join span_sources o on o.project_id = l.project_id and o.id = l.source_id
    where ${where} order by l.time_us, l.id`);
  return [...rows].map((row) => ({
    traceId: row.trace_id,
    spanId: row.span_id,
    eventName: row.event_name,
    timeUs: Number(row.time_us),
    severity: row.severity,
    body: row.body,
    attributes: row.attributes,
    resource: row.resource ?? {},
    scope: { name: row.scope_name ?? "", version: row.scope_version ?? "" },
  }));
}

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
});
