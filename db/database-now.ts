import { sql } from "drizzle-orm";
import type { Db } from "./client";
import { NOW } from "./now";

/** Returns the database's time in Unix ms. */
export async function databaseNow(db: Db): Promise<number> {
  const [row] = await db.execute<{ now: string }>(sql`select ${NOW} as now`);
  return Number(row?.now);
}
