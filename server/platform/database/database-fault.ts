import { ServiceError } from "../errors";

/** How a healthy database can fail. Each fault may clear up by itself. */
export type DatabaseFault = "away" | "full" | "slow" | "busy";

/** Codes from Postgres (SQLSTATE), postgres.js and Node. */
const CODES: Record<DatabaseFault, RegExp> = {
  full: /^53100$/,
  slow: /^(57014|25P0[34])$/,
  busy: /^(53...|40001|40P01|55P03)$/,
  away: /^(08...|57P0[1-5]|CONNECT(_TIMEOUT|ION_\w+)|ECONN\w+|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN)$/,
};

/** Messages for callers and for the readiness check. */
export const FAULT_MESSAGES: Record<DatabaseFault, string> = {
  full: "The database is out of disk space: nothing can be stored until there is room.",
  slow: "The database takes too long to respond.",
  busy: "The database is busy with other work.",
  away: "The database cannot be reached.",
};

/**
 * OpenTelemetry's exporters make five attempts within a timeout of ten seconds by default. A Retry-After that starts at two
 * seconds and grows to 1.5 times the age of the fault lets them survive a restart of the database with their defaults, and a
 * full minute with `OTEL_EXPORTER_OTLP_TIMEOUT` raised: retries at 2, 5, 13, 33 and 63 seconds.
 */
const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 30;
const AGE_FACTOR = 1.5;
/** After a minute without errors, the next one starts a new incident. Clients with the longest Retry-After return sooner. */
const FORGET_AFTER_MS = 60_000;

/** The first and last error, in monotonic milliseconds. */
type Incident = { since: number; last: number };
/** Per bundle: routes share this map and serve readiness; pages are another bundle and only read the database. */
const incidents = new Map<DatabaseFault, Incident>();

/** Returns the fault that error codes indicate; `undefined` if they indicate none. */
export const faultOf = (codes: readonly string[]): DatabaseFault | undefined =>
  (Object.keys(CODES) as DatabaseFault[]).find((fault) => codes.some((code) => CODES[fault].test(code)));

/** Returns whether this process encountered the fault within the last minute and no success since has cleared it. */
export function hasRecentFault(fault: DatabaseFault, now = performance.now()): boolean {
  const incident = incidents.get(fault);
  return incident !== undefined && now - incident.last < FORGET_AFTER_MS;
}

/** Records the fault and returns the error for callers, with its Retry-After in seconds. */
export function unavailable(fault: DatabaseFault, cause: unknown, now = performance.now()): ServiceError {
  const since = hasRecentFault(fault, now) ? incidents.get(fault)!.since : now;
  incidents.set(fault, { since, last: now });
  const fromAge = Math.ceil((AGE_FACTOR * (now - since)) / 1000);
  const retryAfter = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, fromAge));
  return new ServiceError("unavailable", `${FAULT_MESSAGES[fault]} Try again in ${retryAfter} s.`, {
    retryAfter,
    cause,
  });
}

/** Clears the faults that a successful read or write disproves. A read does not prove that there is disk space. */
export function recordDatabaseSuccess(effect: "read" | "write") {
  for (const fault of incidents.keys()) if (fault !== "full" || effect === "write") incidents.delete(fault);
}
