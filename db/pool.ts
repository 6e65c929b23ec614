import "server-only";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/env";
import type { Db } from "./client";
import * as schema from "./schema";

// Hot reload re-runs this file; keeping the pool on globalThis stops it leaking connections.
const kept = globalThis as { whetstonePool?: { sql: postgres.Sql; db: Db } };

/** Opened on first use. */
export function pool() {
  if (!kept.whetstonePool) {
    const sql = postgres(env().DATABASE_URL, {
      max: env().DATABASE_POOL_SIZE,
      onnotice: () => {},
      connection: { application_name: "whetstone" },
      idle_timeout: 30,
      connect_timeout: 10,
    });
    kept.whetstonePool = { sql, db: drizzle(sql, { schema }) };
  }
  return kept.whetstonePool;
}

export const db = (): Db => pool().db;

/** Lets running queries finish for up to five seconds. */
export async function closePool() {
  await kept.whetstonePool?.sql.end({ timeout: 5 });
  delete kept.whetstonePool;
}
