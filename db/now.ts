import { sql } from "drizzle-orm";

/**
 * Unix ms by the database's clock: the one clock that all processes share. Whatever several of them compare (leases, due
 * times, expiry, how long something has waited) is stamped and judged by it; a process's own may be wrong, and may jump.
 */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
