import { sql } from "drizzle-orm";
import type { Db } from "./client";
import { NOW } from "./now";

/** The database's time, for code that computes with it. */
export async function databaseNow(db: Db): Promise<number> {
  const [row] = await db.execute<{ now: string }>(sql`select ${NOW} as now`);
  return Number(row?.now);
}
