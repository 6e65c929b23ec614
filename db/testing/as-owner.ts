import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Db } from "../client";
import * as schema from "../schema";

/** For tests: what only whose the tables are may do, such as to change one, or to look at or into what is append-only. */
export async function asOwner<T>(work: (owner: Db) => Promise<T>): Promise<T> {
  const sql = postgres(process.env.MIGRATION_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  return work(drizzle(sql, { schema })).finally(() => sql.end());
}
