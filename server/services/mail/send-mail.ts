import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { outgoingMail } from "@/db/schema";
import { env } from "@/env";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/logging/log";
import { unsealMail } from "./sealed-mail";
import { deliver, MailProblem } from "./transport";

/** The outcome of sending; `nothing`: already sent, deleted with its project, or its link has expired. */
export type Outcome = "sent" | "refused" | "nothing";

/**
 * Sends a queued e-mail. Throws when a retry makes sense. If the process dies between the mail server's reply and our
 * commit, the e-mail is sent twice under the same Message-ID, which lets mailboxes deduplicate it.
 */
export async function sendMail(db: Db, id: string, at?: number): Promise<Outcome> {
  const [mail] = await db.select().from(outgoingMail).where(eq(outgoingMail.id, id));
  if (!mail?.sealed || mail.expiresAt <= (at ?? (await databaseNow(db)))) return "nothing";
  const { MAIL_FROM: from } = env();
  if (from === undefined) throw new ServiceError("unavailable", "No mail server is configured: set SMTP_URL.");
  const { to, letter } = unsealMail(mail.sealed);
  const settle = (what: { sentAt: typeof NOW } | { refusedAt: typeof NOW }) =>
    db
      .update(outgoingMail)
      .set({ ...what, sealed: null })
      .where(eq(outgoingMail.id, id));
  try {
    await deliver({ from, to, messageId: `<${id}@${domainOf(from)}>`, date: new Date(mail.createdAt), ...letter });
  } catch (error) {
    if (!(error instanceof MailProblem && error.permanent)) throw error;
    logger("mail").warn(
      { mailId: id, kind: mail.kind, why: error.message },
      "The mail server permanently rejected an e-mail.",
    );
    await settle({ refusedAt: NOW });
    return "refused";
  }
  await settle({ sentAt: NOW });
  return "sent";
}

const domainOf = (from: string) => /@([^\s@<>]+)>?$/.exec(from)?.[1] ?? "localhost";
