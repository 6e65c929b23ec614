import { createHash } from "node:crypto";
import { logRecords, spans } from "@/db/schema";
import { type RowsText, rowsText } from "@/db/sets";
import { ContentBatch, type ContentColumns, STORED_WHOLE } from "../content/content-batch";
import { type Left, takeFromLog, takeFromSpan } from "../content/take-content";
import { type Masked, type Masking, maskLogs, maskSpans } from "../masking";
import { decodeLogs, decodeTraces, type Encoding } from "../otlp";
import { type IgnoredId, ignoredIdsOf } from "../otlp/identity/identity";
import type { Decoded, LogRecord, Rejection, SpanRecord } from "../otlp/types";
import { placeOf } from "./arrival";
import { createSourceIndex, type SourceRow } from "./source-id";

/** Columns that are the same for all rows of a batch and are set by the statement that stores them. */
export const NOT_SENT = ["project_id", "batch"] as const;
type NotSent = (typeof NOT_SENT)[number];

/** A batch as it will be stored: decoded, masked and divided. */
type Prepared<Rows extends string> = {
  received: number;
  masked: number;
  rejections: readonly Rejection[];
  ignoredIds: readonly IgnoredId[];
  /** The number of rows. */
  count: number;
  rows: Rows;
  sources: readonly SourceRow[];
  /** The distinct traces of the rows. */
  traceIds: readonly string[];
  /** What was taken out of the rows. */
  content: ContentBatch;
};
export type PreparedTraces = Prepared<RowsText<typeof spans, NotSent>>;
export type PreparedLogs = Prepared<RowsText<typeof logRecords, NotSent>>;

/** Items of `whole` traces are not divided: the traces were deleted, and none of their content may be stored. */
export type Preparation = { projectId: string; masking: Masking; whole: readonly string[] };

/** A request's body and the time that its items are checked against, Unix ms. */
export type Request = { body: Uint8Array; encoding: Encoding; nowMs: number };

/** Decodes and prepares a request for spans. Throws `MalformedBody`. */
export const readTraces = ({ body, encoding, nowMs }: Request, preparation: Preparation) =>
  prepareTraces(decodeTraces(body, encoding, nowMs), preparation);

/** Decodes and prepares a request for log records. Throws `MalformedBody`. */
export const readLogs = ({ body, encoding, nowMs }: Request, preparation: Preparation) =>
  prepareLogs(decodeLogs(body, encoding, nowMs), preparation);

export function prepareTraces(decoded: Decoded<SpanRecord>, preparation: Preparation): PreparedTraces {
  const batch = maskSpans(decoded, preparation.masking);
  const sources = createSourceIndex();
  return prepared(batch, preparation, sources, takeFromSpan, (divided) =>
    rowsText(
      spans,
      NOT_SENT,
      divided.map(({ item: span, left, content }, index) => ({
        trace_id: span.traceId,
        span_id: span.spanId,
        parent_span_id: span.parentSpanId,
        source_id: sources.idOf(span),
        name: span.name,
        kind: span.kind,
        status_code: span.status.code,
        status_message: span.status.message,
        started_us: span.startedUs,
        ended_us: span.endedUs,
        attributes: left.attributes,
        events: left.events.length > 0 ? left.events : null,
        place: placeOf(index),
        ...content,
      })),
    ),
  );
}

/** A record's id is the hash of its content, so that sending it again changes nothing. */
export function prepareLogs(decoded: Decoded<LogRecord>, preparation: Preparation): PreparedLogs {
  const batch = maskLogs(decoded, preparation.masking);
  const sources = createSourceIndex();
  const row = ({ item: log, left, content }: Divided<LogRecord>, index: number) => {
    const whole = {
      trace_id: log.traceId,
      span_id: log.spanId,
      source_id: sources.idOf(log),
      event_name: log.eventName,
      severity: log.severity,
      time_us: log.timeUs,
      body: log.body,
      attributes: log.attributes,
    };
    const id = `log_${createHash("sha256").update(JSON.stringify(whole)).digest("base64url")}`;
    return {
      id,
      ...whole,
      body: left.body,
      attributes: left.attributes,
      place: placeOf(index),
      ...content,
    };
  };
  return prepared(batch, preparation, sources, takeFromLog, (divided) =>
    rowsText(logRecords, NOT_SENT, divided.map(row)),
  );
}

/** An item of a batch, what is to be stored of it in its own row, and the columns that refer to the rest. */
type Divided<Item> = { item: Item; left: Item; content: ContentColumns };

function prepared<Item extends Pick<LogRecord, "traceId" | "attributes" | "resource">, Rows extends string>(
  { items, received, masked, rejections }: Masked<Item>,
  { projectId, whole }: Preparation,
  sources: ReturnType<typeof createSourceIndex>,
  take: (item: Item) => Left<Item>,
  rowsOf: (divided: readonly Divided<Item>[]) => Rows,
): Prepared<Rows> {
  const content = new ContentBatch(projectId);
  const wholeTraces = new Set(whole);
  const rows = rowsOf(
    items.map((item) => {
      if (item.traceId !== null && wholeTraces.has(item.traceId)) return { item, left: item, content: STORED_WHOLE };
      const { left, taken } = take(item);
      return { item, left, content: content.add(taken) };
    }),
  );
  return {
    received,
    masked,
    rejections,
    ignoredIds: ignoredIdsOf(items),
    count: items.length,
    rows,
    sources: sources.rows(),
    traceIds: [...new Set(items.flatMap(({ traceId }) => traceId ?? []))],
    content,
  };
}
