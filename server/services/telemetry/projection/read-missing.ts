import type { Db } from "@/db/client";
import type { LogRecord } from "../otlp/types";
import { loadLogsById, loadSpansByKey, type TraceKeys } from "./load-spans";
import type { ReadSpan, TraceReading } from "./reading";

/** Spans and log records of a trace that are still to be read. */
export type Missing = { traceId: string; spanIds: readonly string[]; logIds: readonly string[] };
export type StoredLog = { id: string; record: LogRecord };

/**
 * Returns what a reading of a trace lacks: new spans with all their log records, and spans that new log records refer to. The
 * keys determine what the trace consists of: anything that arrives later is left to the next pass.
 */
export function missingIn(traceId: string, keys: TraceKeys, reading: TraceReading | undefined): Missing {
  const spanIds = new Set<string>();
  for (const spanId of keys.spans.keys()) if (!reading?.spans.has(spanId)) spanIds.add(spanId);
  const isNew = (logId: string) => !reading?.logs.has(logId);
  for (const [logId, spanId] of keys.logs) {
    if (spanId !== null && isNew(logId) && keys.spans.has(spanId)) spanIds.add(spanId);
  }
  const logIds: string[] = [];
  for (const [logId, spanId] of keys.logs) {
    if (isNew(logId) || (spanId !== null && spanIds.has(spanId))) logIds.push(logId);
  }
  return { traceId, spanIds: [...spanIds], logIds };
}

/** Reads what is missing: log records in one query, spans a page at a time. */
export async function readMissing(db: Db, projectId: string, missing: readonly Missing[]) {
  const logs = await loadLogsById(
    db,
    projectId,
    missing.flatMap(({ logIds }) => logIds),
  );
  const logsOf = groupLogs(logs.map(({ record }) => record));
  const wanted = missing.flatMap(({ traceId, spanIds }) => spanIds.map((spanId) => ({ traceId, spanId })));
  async function* pages(): AsyncGenerator<ReadSpan[]> {
    for await (const page of loadSpansByKey(db, projectId, wanted)) {
      yield page.map((span) => ({ span, logs: logsOf(span) }));
    }
  }
  return { logs, pages: pages() };
}

/** Returns a lookup of a span's log records, in their order. */
export function groupLogs(logs: readonly LogRecord[]) {
  const bySpan = new Map<string, LogRecord[]>();
  for (const record of logs) {
    const key = `${record.traceId} ${record.spanId}`;
    const group = bySpan.get(key);
    if (group) group.push(record);
    else bySpan.set(key, [record]);
  }
  return (span: { traceId: string; spanId: string }) => bySpan.get(`${span.traceId} ${span.spanId}`) ?? [];
}
