import type { AttributeValue } from "../types";
import { NO_ATTRIBUTES, NO_SCOPE, noAttributes } from "./attributes";
import type { RawLog } from "./check-log";
import { SPAN_ID_BYTES, TRACE_ID_BYTES } from "./ids";
import { readId } from "./protobuf-span";
import {
  bytesField,
  eachField,
  fixed64Field,
  readAnyValue,
  readKeyValue,
  readMicros,
  readText,
  varintField,
  type WireReader,
} from "./protobuf-values";

/** Reads one `opentelemetry.proto.logs.v1.LogRecord`. Its resource and scope are set by the levels above. */
export function readProtobufLog(reader: WireReader, end: number): RawLog {
  const attributes = noAttributes();
  let attributeCount = 0;
  let timeUs = 0;
  let observedUs = 0;
  let severity: number | null = null;
  let body: AttributeValue = null;
  let traceId: string | null = null;
  let spanId: string | null = null;
  let eventName: string | null = null;
  eachField(reader, end, (tag) => {
    if (tag === fixed64Field(1)) timeUs = readMicros(reader);
    else if (tag === varintField(2)) severity = reader.int32();
    else if (tag === bytesField(5)) body = readAnyValue(reader, end);
    else if (tag === bytesField(6)) {
      attributeCount++;
      readKeyValue(reader, end, attributes, 0);
    } else if (tag === bytesField(9)) traceId = readId(reader, end, TRACE_ID_BYTES);
    else if (tag === bytesField(10)) spanId = readId(reader, end, SPAN_ID_BYTES);
    else if (tag === fixed64Field(11)) observedUs = readMicros(reader);
    else if (tag === bytesField(12)) eventName = readText(reader) || null;
    else return false;
    return true;
  });
  return {
    traceId,
    spanId,
    eventName,
    timeUs: timeUs || observedUs,
    severity,
    body,
    attributes,
    resource: NO_ATTRIBUTES,
    scope: NO_SCOPE,
    attributeCount,
  };
}
