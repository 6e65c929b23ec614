import type { Db } from "@/db/client";
import { outgoingMail } from "@/db/schema";
import { env } from "@/env";
import { newId } from "@/server/platform/ids";
import { mailQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { type Contents, sealMail } from "./sealed-mail";

/** Whether this installation sends e-mail. */
export const mailEnabled = () => env().SMTP_URL !== undefined;

type Mail = {
  /** Names the fact, where the caller may be repeated: told again under it, one e-mail is sent. */
  id?: string;
  kind: (typeof outgoingMail.$inferInsert)["kind"];
  projectId: string | null;
  /** Unix ms. When its link opens nothing any more: it is not sent after that. */
  expiresAt: number;
} & Contents;

/**
 * Stores an e-mail in the caller's transaction: it is sent exactly when the change that it tells of exists. Answers
 * whether it is new.
 */
export async function queueMail(
  db: Db,
  { id = newId("mail"), kind, projectId, expiresAt, to, letter }: Mail,
): Promise<boolean> {
  const [queued] = await db
    .insert(outgoingMail)
    .values({ id, kind, projectId, expiresAt, sealed: sealMail({ to, letter }) })
    .onConflictDoNothing()
    .returning({ id: outgoingMail.id });
  if (!queued) return false;
  await emit(db, mailQueued.create({ mailId: id, ...(projectId === null ? {} : { projectId }) }));
  return true;
}
