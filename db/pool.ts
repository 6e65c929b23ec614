import "server-only";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/env";
import type { Db } from "./client";
import { trackTransactions } from "./inside-transaction";
import { socketOpener } from "./open-socket";
import { withPreparedStatements } from "./prepared-statements";
import * as schema from "./schema";

// Next holds this module twice, for pages and for routes, and hot reload runs it again: all of them share one pool.
const kept = globalThis as { whetstonePool?: { sql: postgres.Sql; db: Db } };

const CONNECT_SECONDS = 5;
/** After a connection broke, another is tried so soon: postgres.js would make whoever asks then wait for up to 20 s. */
const reconnectSeconds = () => 0.1 + Math.random() / 10;
/** What an answer may be on its way after the database has given its statement up. */
const ON_ITS_WAY_MS = 5_000;

/**
 * `statementSeconds`: the database gives up a statement that takes longer, so that what is slow is refused in words and
 * not waited for without end; 0 is as long as it takes. `name`: what `pg_stat_activity` shows.
 */
export function openPool({ statementSeconds, name = "whetstone" }: { statementSeconds: number; name?: string }) {
  const statementMs = statementSeconds * 1000;
  const options = {
    max: env().DATABASE_POOL_SIZE,
    onnotice: () => {},
    connection: {
      application_name: name,
      ...(statementMs > 0 && { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }),
    },
    idle_timeout: 30,
    connect_timeout: CONNECT_SECONDS,
    backoff: reconnectSeconds,
    // Its own types leave it out.
    socket: socketOpener({ silentMs: statementMs > 0 ? statementMs + ON_ITS_WAY_MS : 0 }),
  };
  const sql = trackTransactions(withPreparedStatements(postgres(env().DATABASE_URL, options)));
  kept.whetstonePool = { sql, db: drizzle(sql, { schema }) };
  return kept.whetstonePool;
}

/** Opened on first use, with the patience of somebody who waits for an answer. */
export const pool = () => kept.whetstonePool ?? openPool({ statementSeconds: env().DATABASE_STATEMENT_SECONDS });

export const db = (): Db => pool().db;

/** Lets running queries finish for up to five seconds. */
export async function closePool() {
  await kept.whetstonePool?.sql.end({ timeout: 5 });
  delete kept.whetstonePool;
}
