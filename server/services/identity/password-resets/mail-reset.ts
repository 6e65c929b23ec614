import type { Db } from "@/db/client";
import { composeEmail, mailEnabled, queueMail } from "@/server/services/mail";
import { personLabel, personOf } from "../person";

type Reset = {
  mailId?: string;
  userId: string;
  projectId: string | null;
  /** The owner who created the link; `null` when the person requested it. */
  makerId: string | null;
  link: string;
  expiresAt: number;
};

/** Mails a reset link to its person. Returns the address; `null` when nothing new is mailed. */
export async function mailReset(db: Db, reset: Reset): Promise<string | null> {
  const { mailId, userId, projectId, makerId, link, expiresAt } = reset;
  const person = mailEnabled() ? await personOf(db, userId) : undefined;
  if (!person) return null;
  const maker = makerId === null ? undefined : await personOf(db, makerId);
  const queued = await queueMail(db, {
    ...(mailId === undefined ? {} : { id: mailId }),
    kind: "passwordReset",
    projectId,
    expiresAt,
    to: person.email,
    letter: composeEmail({
      subject: "Set a new password for Whetstone",
      before: [
        ...(maker ? [`${personLabel(maker)} created a link for you.`] : []),
        `This link sets a new password for ${person.email}. It works once, within a day. All signed-in browsers are then signed out.`,
      ],
      link,
      after: ["If you did not request it, you can ignore this e-mail: your password stays as it is."],
    }),
  });
  return queued ? person.email : null;
}
