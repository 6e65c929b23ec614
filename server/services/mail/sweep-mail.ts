import { lte } from "drizzle-orm";
import type { Db } from "@/db/client";
import { outgoingMail } from "@/db/schema";

/** Forgets e-mails whose link opens nothing any more, sent or not. Answers how many. */
export async function sweepMail(db: Db, now = Date.now()): Promise<{ removed: number }> {
  const gone = await db.delete(outgoingMail).where(lte(outgoingMail.expiresAt, now)).returning({ id: outgoingMail.id });
  return { removed: gone.length };
}
