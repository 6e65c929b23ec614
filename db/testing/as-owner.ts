import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Db } from "../client";
import * as schema from "../schema";

/** Runs test work as the owner of the tables: alters a table, or reads or changes append-only ones. */
export async function asOwner<T>(work: (owner: Db) => Promise<T>): Promise<T> {
  const sql = postgres(process.env.MIGRATION_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  return work(drizzle(sql, { schema })).finally(() => sql.end());
}
