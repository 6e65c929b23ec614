import { lte, type SQL } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { outgoingMail } from "@/db/schema";

/** Forgets e-mails whose link opens nothing any more, sent or not. Answers how many. */
export async function sweepMail(db: Db, now: number | SQL = NOW): Promise<{ removed: number }> {
  const gone = await db.delete(outgoingMail).where(lte(outgoingMail.expiresAt, now)).returning({ id: outgoingMail.id });
  return { removed: gone.length };
}
