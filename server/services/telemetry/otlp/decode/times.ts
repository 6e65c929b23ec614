import { MAX_FUTURE_US } from "./limits";

const NANOS_TO_THE_WORD = 4_294_967.296; // 2^32 nanoseconds, in microseconds

/** Converts Unix nanoseconds in two 32-bit halves to microseconds, rounded down. */
export function microsFromHalves(low: number, high: number): number {
  return Math.floor(high * NANOS_TO_THE_WORD + low / 1000);
}

/**
 * Converts Unix nanoseconds of a JSON body to microseconds; 0 if absent, NaN if unreadable. The spec says a decimal string; some
 * exporters write a number, and some a `{low, high}` pair.
 */
export function microsFromJson(nanos: unknown): number {
  if (nanos === undefined || nanos === null || nanos === "") return 0;
  if (typeof nanos === "number") return Number.isFinite(nanos) && nanos >= 0 ? Math.floor(nanos / 1000) : Number.NaN;
  if (typeof nanos === "string") {
    if (!/^\d{1,20}$/.test(nanos)) return Number.NaN;
    // A number cannot represent all nineteen digits exactly; microseconds fit.
    return nanos.length > 3 ? Number(nanos.slice(0, -3)) : 0;
  }
  if (typeof nanos === "object") {
    const { low, high } = nanos as { low?: unknown; high?: unknown };
    if (typeof low === "number" && typeof high === "number") return microsFromHalves(low >>> 0, high >>> 0);
  }
  return Number.NaN;
}

const OTHER_UNITS = [
  ["microseconds", 1e3],
  ["milliseconds", 1e6],
  ["seconds", 1e9],
] as const;
/** Telemetry is not older: OpenTelemetry began in 2019, and what is imported is a few years old. */
const EARLIEST_US = Date.UTC(2015, 0) * 1000;

/** Returns the unit of a time that was read as nanoseconds, if it is in the first weeks of 1970 but recent in that unit. */
export function otherUnitOf(us: number, nowUs: number): string | undefined {
  const latestUs = nowUs + MAX_FUTURE_US;
  if (us * 1e3 > latestUs) return undefined;
  return OTHER_UNITS.find(([, factor]) => us * factor >= EARLIEST_US && us * factor <= latestUs)?.[0];
}
