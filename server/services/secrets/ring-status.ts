import { desc, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { ringKeys } from "@/db/schema";
import { unwrapRingKey } from "@/server/platform/key-ring";
import { SEALED_FIELDS } from "./sealed-fields";

/** A key of the ring. `opens`: whether this installation's secret decrypts it; `secrets`: how many stored secrets it wraps. */
export type RingKeyStatus = { id: string; createdAt: number; current: boolean; opens: boolean; secrets: number };

/** Returns the keys of the ring, newest first. */
export async function ringStatus(db: Db): Promise<RingKeyStatus[]> {
  const keys = await db.select().from(ringKeys).orderBy(desc(ringKeys.createdAt), desc(ringKeys.id));
  const counts = new Map<string, number>();
  for (const { table, ringKey } of SEALED_FIELDS) {
    const rows = await db
      .select({ id: ringKeys.id, secrets: sql<number>`count(*)::int` })
      .from(table)
      .innerJoin(ringKeys, eq(ringKeys.id, ringKey))
      .groupBy(ringKeys.id);
    for (const { id, secrets } of rows) counts.set(id, (counts.get(id) ?? 0) + secrets);
  }
  return keys.map(({ id, wrapped, current, createdAt }) => ({
    id,
    createdAt,
    current,
    opens: unwrapRingKey({ id, wrapped }) !== undefined,
    secrets: counts.get(id) ?? 0,
  }));
}

/** Returns the retired keys of the ring, whose secrets a job rewraps. */
export const retiredRingKeys = (db: Db) =>
  db.select({ id: ringKeys.id }).from(ringKeys).where(eq(ringKeys.current, false));
