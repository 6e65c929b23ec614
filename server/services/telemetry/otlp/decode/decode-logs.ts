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
 * are accepted; a record without a time gets `nowMs`.
 * @param nowMs Unix milliseconds
 * @throws MalformedBody when the body as a whole cannot be read
 */
export function decodeLogs(body: Uint8Array, encoding: Encoding, nowMs = Date.now()): Decoded<LogRecord> {
  return decodeBatch(LOGS, body, encoding, nowMs);
}
