import type { SpanEvent, SpanRecord } from "../types";
import { NO_ATTRIBUTES, NO_SCOPE, noAttributes } from "./attributes";
import type { RawSpan } from "./check-span";
import { idFromBytes, SPAN_ID_BYTES, TRACE_ID_BYTES } from "./ids";
import {
  bytesField,
  eachField,
  endOf,
  fixed64Field,
  readKeyValue,
  readMicros,
  readText,
  varintField,
  type WireReader,
} from "./protobuf-values";

const TRACE_ID = bytesField(1);
const SPAN_ID = bytesField(2);
const PARENT_SPAN_ID = bytesField(4);
const NAME = bytesField(5);
const KIND = varintField(6);
const START = fixed64Field(7);
const END = fixed64Field(8);
const ATTRIBUTE = bytesField(9);
const EVENT = bytesField(11);
const STATUS = bytesField(15);

/** Reads one `opentelemetry.proto.trace.v1.Span`. Its resource and scope are set by the levels above. */
export function readProtobufSpan(reader: WireReader, end: number): RawSpan {
  const attributes = noAttributes();
  const events: SpanEvent[] = [];
  let attributeCount = 0;
  let traceId: string | null = null;
  let spanId: string | null = null;
  let parentSpanId: string | null = null;
  let name = "";
  let kind = 0;
  let startedUs = 0;
  let endedUs = 0;
  let status: SpanRecord["status"] = { code: 0, message: null };

  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag) {
      case TRACE_ID:
        traceId = readId(reader, end, TRACE_ID_BYTES);
        break;
      case SPAN_ID:
        spanId = readId(reader, end, SPAN_ID_BYTES);
        break;
      case PARENT_SPAN_ID:
        parentSpanId = readId(reader, end, SPAN_ID_BYTES);
        break;
      case NAME:
        name = readText(reader);
        break;
      case KIND:
        kind = reader.int32();
        break;
      case START:
        startedUs = readMicros(reader);
        break;
      case END:
        endedUs = readMicros(reader);
        break;
      case ATTRIBUTE:
        attributeCount++;
        readKeyValue(reader, end, attributes, 0);
        break;
      case EVENT:
        events.push(readEvent(reader, end));
        break;
      case STATUS:
        status = readStatus(reader, end);
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  if (reader.pos !== end) throw new RangeError("a field reaches past the end of its span");
  for (const event of events) if (event.timeUs === 0) event.timeUs = startedUs;
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    scope: NO_SCOPE,
    resource: NO_ATTRIBUTES,
    attributes,
    events,
    status,
    startedUs,
    endedUs,
    attributeCount,
  };
}

export function readId(reader: WireReader, limit: number, bytes: number): string | null {
  const end = endOf(reader, limit);
  const id = idFromBytes(reader.buf, reader.pos, end, bytes);
  reader.pos = end;
  return id;
}

function readEvent(reader: WireReader, limit: number): SpanEvent {
  const end = endOf(reader, limit);
  const attributes = noAttributes();
  let timeUs = 0;
  let name = "";
  eachField(reader, end, (tag) => {
    if (tag === fixed64Field(1)) timeUs = readMicros(reader);
    else if (tag === bytesField(2)) name = readText(reader);
    else if (tag === bytesField(3)) readKeyValue(reader, end, attributes, 0);
    else return false;
    return true;
  });
  return { name, timeUs, attributes };
}

function readStatus(reader: WireReader, limit: number): SpanRecord["status"] {
  const end = endOf(reader, limit);
  let code = 0;
  let message: string | null = null;
  eachField(reader, end, (tag) => {
    if (tag === bytesField(2)) message = readText(reader) || null;
    else if (tag === varintField(3)) code = reader.int32();
    else return false;
    return true;
  });
  return { code: code === 1 || code === 2 ? code : 0, message };
}
