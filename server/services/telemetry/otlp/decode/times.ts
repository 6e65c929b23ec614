const NANOS_TO_THE_WORD = 4_294_967.296; // 2^32 nanoseconds, in microseconds

/** Unix nanoseconds as two 32-bit halves → microseconds, rounded down to a whole one. */
export function microsFromHalves(low: number, high: number): number {
  return Math.floor(high * NANOS_TO_THE_WORD + low / 1000);
}

/**
 * Unix nanoseconds of a JSON body → microseconds. 0 means that there is none; NaN that it cannot be read. The spec says a
 * decimal string; some exporters write a number, and some a `{low, high}` pair.
 */
export function microsFromJson(nanos: unknown): number {
  if (nanos === undefined || nanos === null || nanos === "") return 0;
  if (typeof nanos === "number") return Number.isFinite(nanos) && nanos >= 0 ? Math.floor(nanos / 1000) : Number.NaN;
  if (typeof nanos === "string") {
    if (!/^\d{1,20}$/.test(nanos)) return Number.NaN;
    // all nineteen digits do not fit a number exactly, microseconds do
    return nanos.length > 3 ? Number(nanos.slice(0, -3)) : 0;
  }
  if (typeof nanos === "object") {
    const { low, high } = nanos as { low?: unknown; high?: unknown };
    if (typeof low === "number" && typeof high === "number") return microsFromHalves(low >>> 0, high >>> 0);
  }
  return Number.NaN;
}
