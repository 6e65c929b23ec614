import protobuf from "protobufjs/minimal.js";

/** A span (or log record) as a test writes it. Times are Unix ms, ids hex. Omitted fields are not sent. */
export type SentSpan = {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  name?: string;
  kind?: number;
  start?: number;
  end?: number;
  attributes?: SentAttributes;
  events?: { name: string; at?: number; attributes?: SentAttributes }[];
  status?: { code: number; message?: string };
};
export type SentLog = {
  traceId?: string;
  spanId?: string;
  eventName?: string;
  at?: number;
  body?: SentValue;
  attributes?: SentAttributes;
};
export type SentValue = string | number | boolean | null | SentValue[] | { [key: string]: SentValue };
export type SentAttributes = Readonly<Record<string, SentValue>>;
export type SentOwner = { resource?: SentAttributes; scope?: string };

const nanos = (ms: number) => BigInt(Math.round(ms * 1000)) * 1000n;

/** Returns an OTLP/JSON traces body. */
export function tracesJson(spans: readonly SentSpan[], owner: SentOwner = {}): Buffer {
  const sent = spans.map((span) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: span.start === undefined ? undefined : String(nanos(span.start)),
    endTimeUnixNano: span.end === undefined ? undefined : String(nanos(span.end)),
    attributes: jsonAttributes(span.attributes),
    events: span.events?.map(({ name, at, attributes }) => ({
      name,
      timeUnixNano: at === undefined ? undefined : String(nanos(at)),
      attributes: jsonAttributes(attributes),
    })),
    status: span.status,
  }));
  const scopeSpans = [{ scope: { name: owner.scope ?? "test" }, spans: sent }];
  const resource = { attributes: jsonAttributes(owner.resource) };
  return Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }));
}

/** Returns an OTLP/JSON logs body. */
export function logsJson(logs: readonly SentLog[], owner: SentOwner = {}): Buffer {
  const sent = logs.map((log) => ({
    traceId: log.traceId,
    spanId: log.spanId,
    eventName: log.eventName,
    timeUnixNano: log.at === undefined ? undefined : String(nanos(log.at)),
    body: log.body === undefined ? undefined : jsonValue(log.body),
    attributes: jsonAttributes(log.attributes),
  }));
  const scopeLogs = [{ scope: { name: owner.scope ?? "test" }, logRecords: sent }];
  const resource = { attributes: jsonAttributes(owner.resource) };
  return Buffer.from(JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }));
}

function jsonAttributes(attributes: SentAttributes = {}): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: jsonValue(value) }));
}

function jsonValue(value: SentValue): unknown {
  if (value === null) return {};
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } };
  if (typeof value === "object") return { kvlistValue: { values: jsonAttributes(value) } };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Returns an OTLP/protobuf traces body. */
export function tracesProtobuf(spans: readonly SentSpan[], owner: SentOwner = {}): Buffer {
  return envelope(owner, (writer) => {
    for (const span of spans) nested(writer, 2, () => writeSpan(writer, span));
  });
}

/** Returns an OTLP/protobuf logs body. */
export function logsProtobuf(logs: readonly SentLog[], owner: SentOwner = {}): Buffer {
  return envelope(owner, (writer) => {
    for (const log of logs) nested(writer, 2, () => writeLog(writer, log));
  });
}

function envelope({ resource, scope }: SentOwner, writeItems: (writer: protobuf.Writer) => void): Buffer {
  const writer = protobuf.Writer.create();
  nested(writer, 1, () => {
    nested(writer, 1, () => writeAttributes(writer, 1, resource));
    nested(writer, 2, () => {
      nested(writer, 1, () => text(writer, 1, scope ?? "test"));
      writeItems(writer);
    });
  });
  return Buffer.from(writer.finish());
}

function writeSpan(writer: protobuf.Writer, span: SentSpan): void {
  bytes(writer, 1, span.traceId);
  bytes(writer, 2, span.spanId);
  bytes(writer, 4, span.parentSpanId);
  text(writer, 5, span.name);
  if (span.kind !== undefined) writer.uint32(6 << 3).int32(span.kind);
  time(writer, 7, span.start);
  time(writer, 8, span.end);
  writeAttributes(writer, 9, span.attributes);
  for (const event of span.events ?? []) {
    nested(writer, 11, () => {
      time(writer, 1, event.at);
      text(writer, 2, event.name);
      writeAttributes(writer, 3, event.attributes);
    });
  }
  const { status } = span;
  if (status) {
    nested(writer, 15, () => {
      text(writer, 2, status.message);
      writer.uint32(3 << 3).int32(status.code);
    });
  }
}

function writeLog(writer: protobuf.Writer, log: SentLog): void {
  const { body } = log;
  time(writer, 1, log.at);
  if (body !== undefined) writeValue(writer, 5, body);
  writeAttributes(writer, 6, log.attributes);
  bytes(writer, 9, log.traceId);
  bytes(writer, 10, log.spanId);
  text(writer, 12, log.eventName);
}

function nested(writer: protobuf.Writer, field: number, write: () => void): void {
  writer.uint32((field << 3) | 2).fork();
  write();
  writer.ldelim();
}

function bytes(writer: protobuf.Writer, field: number, hex: string | undefined): void {
  if (hex !== undefined) writer.uint32((field << 3) | 2).bytes(Buffer.from(hex, "hex"));
}

function text(writer: protobuf.Writer, field: number, value: string | undefined): void {
  if (value !== undefined) writer.uint32((field << 3) | 2).string(value);
}

function time(writer: protobuf.Writer, field: number, ms: number | undefined): void {
  if (ms === undefined) return;
  const value = nanos(ms);
  writer
    .uint32((field << 3) | 1)
    .fixed32(Number(value & 0xffffffffn))
    .fixed32(Number(value >> 32n));
}

function writeAttributes(writer: protobuf.Writer, field: number, attributes: SentAttributes = {}): void {
  for (const [key, value] of Object.entries(attributes)) {
    nested(writer, field, () => {
      text(writer, 1, key);
      writeValue(writer, 2, value);
    });
  }
}

function writeValue(writer: protobuf.Writer, field: number, value: SentValue): void {
  nested(writer, field, () => {
    if (typeof value === "string") text(writer, 1, value);
    else if (typeof value === "boolean") writer.uint32(2 << 3).bool(value);
    else if (typeof value === "number" && Number.isInteger(value)) writer.uint32(3 << 3).int64(value);
    else if (typeof value === "number") writer.uint32((4 << 3) | 1).double(value);
    else if (Array.isArray(value)) {
      nested(writer, 5, () => {
        for (const item of value) writeValue(writer, 1, item);
      });
    } else if (value !== null) nested(writer, 6, () => writeAttributes(writer, 1, value));
  });
}
