import { sql } from "drizzle-orm";

/**
 * Unix ms by the database's clock, the one clock that all processes share. Use it for every time that processes compare
 * (leases, due times, expiry, waiting times): a process's own clock may be wrong and may jump.
 */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
