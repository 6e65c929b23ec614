import type { SpanRecord } from "../types";
import { MAX_ATTRIBUTES, MAX_FUTURE_US } from "./limits";
import { otherUnitOf } from "./times";

/** A span as read from either encoding, before validation. Times: 0 is absent, NaN is unreadable. */
export type RawSpan = Omit<SpanRecord, "traceId" | "spanId" | "arrival"> & {
  traceId: string | null;
  spanId: string | null;
  attributeCount: number;
};

const UNSPECIFIED = 0;
/** The protocol's kinds. Other numbers are meaningless and may not fit the column. */
const SPAN_KINDS: ReadonlySet<number> = new Set([UNSPECIFIED, 1, 2, 3, 4, 5]);

/**
 * Returns the span to store, or the reason for its rejection (for the client).
 * A missing start is taken from the end and a missing end from the start. A span with neither is rejected, as is one that
 * starts or ends more than a day after `nowUs`, or whose times are recent in another unit. An end before the start (a clock step) is set to the start.
 */
export function checkSpan(raw: RawSpan, nowUs: number, arrival: number): SpanRecord | string {
  if (raw.traceId === null) return "traceId is missing, all zero or not 16 bytes";
  if (raw.spanId === null) return "spanId is missing, all zero or not 8 bytes";
  if (Number.isNaN(raw.startedUs)) return "startTimeUnixNano is not a number of nanoseconds";
  if (Number.isNaN(raw.endedUs)) return "endTimeUnixNano is not a number of nanoseconds";
  const startedUs = raw.startedUs || raw.endedUs;
  if (startedUs === 0) return "startTimeUnixNano is missing";
  const [startUnit, endUnit] = [otherUnitOf(raw.startedUs, nowUs), otherUnitOf(raw.endedUs, nowUs)];
  if (startUnit) return `startTimeUnixNano is in ${startUnit}, not nanoseconds`;
  if (endUnit) return `endTimeUnixNano is in ${endUnit}, not nanoseconds`;
  const latestUs = nowUs + MAX_FUTURE_US;
  if (startedUs > latestUs) return "startTimeUnixNano is more than a day in the future";
  if (raw.endedUs > latestUs) return "endTimeUnixNano is more than a day in the future";
  if (raw.attributeCount > MAX_ATTRIBUTES) {
    return `has ${raw.attributeCount} attributes, more than the limit of ${MAX_ATTRIBUTES}`;
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
    arrival,
  };
}
