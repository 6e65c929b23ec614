import type { Decoded, LogRecord } from "../types";
import { checkLog } from "./check-log";
import { decodeBatch, type Encoding } from "./decode-batch";
import { readJsonLog } from "./json-log";
import { readProtobufLog } from "./protobuf-log";

const LOGS = {
  levels: {
    resources: ["resourceLogs", "resource_logs"],
    scopes: ["scopeLogs", "scope_logs"],
    items: ["logRecords", "log_records"],
  },
  fromProtobuf: readProtobufLog,
  fromJson: readJsonLog,
  check: checkLog,
} as const;

/**
 * Decodes an OTLP/HTTP logs request (already decompressed), with the same sanitising as for traces. Records without a trace id
 * are accepted.
 * @param nowMs Unix milliseconds
 * @throws MalformedBody when the body as a whole cannot be read
 */
export function decodeLogs(body: Uint8Array, encoding: Encoding, nowMs = Date.now()): Decoded<LogRecord> {
  const decoded = decodeBatch(LOGS, body, encoding, nowMs);
  return { ...decoded, items: withTimes(decoded.items, nowMs * 1000) };
}

const NO_TIME = 0;

/**
 * Gives a record without a time that of its span's record before it in the batch or, before the first with a time, of the next;
 * without any, `nowUs`. Records with equal times keep their order.
 */
function withTimes(items: LogRecord[], nowUs: number): LogRecord[] {
  if (items.every(({ timeUs }) => timeUs !== NO_TIME)) return items;
  const nearest = new Map<string, number>();
  const fill = (record: LogRecord): LogRecord => {
    const span = `${record.traceId} ${record.spanId}`;
    if (record.timeUs !== NO_TIME) nearest.set(span, record.timeUs);
    return { ...record, timeUs: record.timeUs || nearest.get(span) || NO_TIME };
  };
  const forwards = items.map(fill);
  nearest.clear();
  const filled = forwards.reverse().map(fill).reverse();
  return filled.map((record) => ({ ...record, timeUs: record.timeUs || nowUs }));
}
