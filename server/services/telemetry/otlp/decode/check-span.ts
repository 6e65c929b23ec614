import type { SpanRecord } from "../types";
import { MAX_ATTRIBUTES, MAX_FUTURE_US } from "./limits";

/** A span as read from either encoding, before it is known to be whole. Times: 0 is absent, NaN is unreadable. */
export type RawSpan = Omit<SpanRecord, "traceId" | "spanId"> & {
  traceId: string | null;
  spanId: string | null;
  attributeCount: number;
};

const UNSPECIFIED = 0;
/** What the protocol has. Another number says nothing, and need not fit a column. */
const SPAN_KINDS: ReadonlySet<number> = new Set([UNSPECIFIED, 1, 2, 3, 4, 5]);

/**
 * The span as we keep it, or the reason (for the client) why it is refused.
 * A missing start is taken from the end and a missing end from the start; with neither the span has no place in time and is
 * refused, as is one that starts or ends more than a day after `nowUs`. An end before the start (a clock step) becomes it.
 */
export function checkSpan(raw: RawSpan, nowUs: number): SpanRecord | string {
  if (raw.traceId === null) return "traceId is missing, all zero or not 16 bytes";
  if (raw.spanId === null) return "spanId is missing, all zero or not 8 bytes";
  if (Number.isNaN(raw.startedUs)) return "startTimeUnixNano is not a number of nanoseconds";
  if (Number.isNaN(raw.endedUs)) return "endTimeUnixNano is not a number of nanoseconds";
  const startedUs = raw.startedUs || raw.endedUs;
  if (startedUs === 0) return "startTimeUnixNano is missing";
  const latestUs = nowUs + MAX_FUTURE_US;
  if (startedUs > latestUs) return "startTimeUnixNano is more than a day in the future";
  if (raw.endedUs > latestUs) return "endTimeUnixNano is more than a day in the future";
  if (raw.attributeCount > MAX_ATTRIBUTES) {
    return `has ${raw.attributeCount} attributes, more than the ${MAX_ATTRIBUTES} that are kept`;
  }
  return {
    traceId: raw.traceId,
    spanId: raw.spanId,
    parentSpanId: raw.parentSpanId,
    name: raw.name,
    kind: SPAN_KINDS.has(raw.kind) ? raw.kind : UNSPECIFIED,
    scope: raw.scope,
    resource: raw.resource,
    attributes: raw.attributes,
    events: raw.events,
    status: raw.status,
    startedUs,
    endedUs: Math.max(startedUs, raw.endedUs),
  };
}
