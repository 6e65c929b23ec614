import type { RawLog } from "./check-log";
import { idFromText, SPAN_ID_BYTES, TRACE_ID_BYTES } from "./ids";
import type { JsonOwner } from "./json-batch";
import { field, type JsonObject, listOf, readJsonAttributes, readJsonValue, textOf } from "./json-values";
import { microsFromJson } from "./times";

/** Reads one log record of OTLP/JSON. */
export function readJsonLog(log: JsonObject, owner: JsonOwner): RawLog {
  const attributes = listOf(log.attributes);
  const severity = readSeverity(field(log, "severityNumber", "severity_number"));
  return {
    traceId: idFromText(field(log, "traceId", "trace_id"), TRACE_ID_BYTES),
    spanId: idFromText(field(log, "spanId", "span_id"), SPAN_ID_BYTES),
    eventName: textOf(field(log, "eventName", "event_name")) || null,
    timeUs:
      microsFromJson(field(log, "timeUnixNano", "time_unix_nano")) ||
      microsFromJson(field(log, "observedTimeUnixNano", "observed_time_unix_nano")),
    severity,
    body: readJsonValue(log.body),
    ...owner,
    attributes: readJsonAttributes(attributes),
    attributeCount: attributes.length,
  };
}

/** Converts only strings and numbers: an object may have no primitive value. */
function readSeverity(value: unknown): number | null {
  const severity = typeof value === "string" ? Number(value) : value;
  return typeof severity === "number" && Number.isSafeInteger(severity) && severity > 0 ? severity : null;
}
