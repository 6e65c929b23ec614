import type { LogRecord } from "../types";
import { MAX_ATTRIBUTES, MAX_FUTURE_US } from "./limits";
import { otherUnitOf } from "./times";

/** A log record as read from either encoding. `timeUs`: 0 is absent, NaN is unreadable. */
export type RawLog = LogRecord & { attributeCount: number };

/** The protocol's range is from 1 (`TRACE`) to 24 (`FATAL4`). */
const SEVERITY_MAX = 24;

/**
 * Returns the log record to store, or the reason for its rejection (for the client). Records without a trace id are accepted,
 * as some clients send content in them. A record without a time keeps 0.
 */
export function checkLog(raw: RawLog, nowUs: number): LogRecord | string {
  if (Number.isNaN(raw.timeUs)) return "timeUnixNano is not a number of nanoseconds";
  const unit = otherUnitOf(raw.timeUs, nowUs);
  if (unit) return `timeUnixNano is in ${unit}, not nanoseconds`;
  if (raw.timeUs > nowUs + MAX_FUTURE_US) return "timeUnixNano is more than a day in the future";
  if (raw.attributeCount > MAX_ATTRIBUTES) {
    return `has ${raw.attributeCount} attributes, more than the limit of ${MAX_ATTRIBUTES}`;
  }
  // Older clients send the event's name as an attribute.
  const named = raw.attributes["event.name"];
  return {
    traceId: raw.traceId,
    spanId: raw.traceId === null ? null : raw.spanId,
    eventName: raw.eventName ?? (typeof named === "string" && named !== "" ? named : null),
    timeUs: raw.timeUs,
    severity: raw.severity !== null && raw.severity >= 1 && raw.severity <= SEVERITY_MAX ? raw.severity : null,
    body: raw.body,
    attributes: raw.attributes,
    resource: raw.resource,
    scope: raw.scope,
  };
}
