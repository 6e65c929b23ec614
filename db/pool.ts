import "server-only";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/env";
import type { Db } from "./client";
import { trackTransactions } from "./inside-transaction";
import { socketOpener } from "./open-socket";
import { withPreparedStatements } from "./prepared-statements";
import * as schema from "./schema";

// Next loads this module twice, for pages and for routes, and hot reload runs it again: all copies share one pool.
const kept = globalThis as { whetstonePool?: { sql: postgres.Sql; db: Db } };

const CONNECT_SECONDS = 5;
/** An idle connection is closed after this long, or sooner: before its silence would count as a fault. */
const IDLE_SECONDS = 30;
/** Delay before reconnecting. The default of postgres.js makes callers wait for up to 20 s. */
const reconnectSeconds = () => 0.1 + Math.random() / 10;
/** Allowance for a reply in transit after the database has cancelled its statement. */
const ON_ITS_WAY_MS = 5_000;

/**
 * Opens a connection pool. `statementSeconds`: the database cancels statements that take longer, so that slow requests fail
 * with an error; 0 means no limit. Behind a pooler only the connection's silence limits them. `name`: shown as
 * `application_name` in `pg_stat_activity`.
 */
export function openPool({
  statementSeconds,
  name = "whetstone",
  connections = env().DATABASE_POOL_SIZE,
}: {
  statementSeconds: number;
  name?: string;
  connections?: number;
}) {
  const statementMs = statementSeconds * 1000;
  // What a connection is told or prepares at its start would reach whoever gets the same one next.
  const isPooled = env().DATABASE_POOLER !== undefined;
  const options = {
    max: connections,
    prepare: !isPooled,
    onnotice: () => {},
    connection: {
      application_name: name,
      ...(statementMs > 0 &&
        !isPooled && { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }),
    },
    idle_timeout: statementSeconds > 0 ? Math.min(statementSeconds, IDLE_SECONDS) : IDLE_SECONDS,
    connect_timeout: CONNECT_SECONDS,
    backoff: reconnectSeconds,
    // Missing from the library's own types.
    socket: socketOpener({ silentMs: statementMs > 0 ? statementMs + ON_ITS_WAY_MS : 0 }),
  };
  const client = postgres(env().DATABASE_URL, options);
  const sql = trackTransactions(isPooled ? client : withPreparedStatements(client));
  kept.whetstonePool = { sql, db: drizzle(sql, { schema }) };
  return kept.whetstonePool;
}

/** Returns the pool, opened on first use with the statement timeout for interactive requests. */
export const pool = () => kept.whetstonePool ?? openPool({ statementSeconds: env().DATABASE_STATEMENT_SECONDS });

export const db = (): Db => pool().db;

/** Closes the pool; running queries get up to five seconds to finish. */
export async function closePool() {
  await kept.whetstonePool?.sql.end({ timeout: 5 });
  delete kept.whetstonePool;
}
