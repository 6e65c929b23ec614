import type { Db } from "@/db/client";
import { outgoingMail } from "@/db/schema";
import { env } from "@/env";
import { newId } from "@/server/platform/ids";
import { mailQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { type Contents, sealMail } from "./sealed-mail";

/** Returns whether this installation sends e-mail. */
export const mailEnabled = () => env().SMTP_URL !== undefined;

type Mail = {
  /** An idempotency key for callers that may run again: one e-mail is sent per id. */
  id?: string;
  kind: (typeof outgoingMail.$inferInsert)["kind"];
  projectId: string | null;
  /** When its link expires (Unix ms): it is not sent after that. */
  expiresAt: number;
} & Contents;

/**
 * Queues an e-mail in the caller's transaction, so that it is sent only if the change commits. Returns `false` when the id
 * was queued before.
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
