import type { SpanRecord } from "../types";
import type { RawSpan } from "./check-span";
import { idFromText, SPAN_ID_BYTES, TRACE_ID_BYTES } from "./ids";
import type { JsonOwner } from "./json-batch";
import { enumOf, field, isObject, type JsonObject, listOf, readJsonAttributes, textOf } from "./json-values";
import { microsFromJson } from "./times";

const KINDS = {
  SPAN_KIND_UNSPECIFIED: 0,
  SPAN_KIND_INTERNAL: 1,
  SPAN_KIND_SERVER: 2,
  SPAN_KIND_CLIENT: 3,
  SPAN_KIND_PRODUCER: 4,
  SPAN_KIND_CONSUMER: 5,
};
const STATUS_CODES = { STATUS_CODE_UNSET: 0, STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2, UNSET: 0, OK: 1, ERROR: 2 };

/** Reads one span of OTLP/JSON. */
export function readJsonSpan(span: JsonObject, owner: JsonOwner): RawSpan {
  const startedUs = microsFromJson(field(span, "startTimeUnixNano", "start_time_unix_nano"));
  const attributes = listOf(span.attributes);
  return {
    traceId: idFromText(field(span, "traceId", "trace_id"), TRACE_ID_BYTES),
    spanId: idFromText(field(span, "spanId", "span_id"), SPAN_ID_BYTES),
    parentSpanId: idFromText(field(span, "parentSpanId", "parent_span_id"), SPAN_ID_BYTES),
    name: textOf(span.name),
    kind: enumOf(span.kind, KINDS),
    ...owner,
    attributes: readJsonAttributes(attributes),
    events: listOf(span.events)
      .filter(isObject)
      .map((event) => ({
        name: textOf(event.name),
        timeUs: microsFromJson(field(event, "timeUnixNano", "time_unix_nano")) || startedUs || 0,
        attributes: readJsonAttributes(event.attributes),
      })),
    status: readStatus(span.status),
    startedUs,
    endedUs: microsFromJson(field(span, "endTimeUnixNano", "end_time_unix_nano")),
    attributeCount: attributes.length,
  };
}

function readStatus(status: unknown): SpanRecord["status"] {
  if (!isObject(status)) return { code: 0, message: null };
  const code = enumOf(status.code, STATUS_CODES);
  return { code: code === 1 || code === 2 ? code : 0, message: textOf(status.message) || null };
}
