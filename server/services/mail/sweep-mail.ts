import { lte, type SQL } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { outgoingMail } from "@/db/schema";

/** Deletes e-mails whose link has expired, sent or not. Returns the number of deleted rows. */
export async function sweepMail(db: Db, now: number | SQL = NOW): Promise<{ removed: number }> {
  const gone = await db.delete(outgoingMail).where(lte(outgoingMail.expiresAt, now)).returning({ id: outgoingMail.id });
  return { removed: gone.length };
}
