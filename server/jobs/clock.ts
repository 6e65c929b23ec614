import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";

/** Unix ms by the database's clock: the one clock of all leases and due times, whatever happens to a process's own. */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function databaseNow(db: Db): Promise<number> {
  const [row] = (await db.execute(sql`select ${NOW} as now`)) as unknown as { now: string }[];
  return Number(row?.now);
}
