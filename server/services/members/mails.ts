import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { projects, users } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { dayOf, letter, mailIsOn, queueMail } from "@/server/services/mail";

type Person = { email: string; name: string | null };
const personOf = async (db: Db, userId: string): Promise<Person | undefined> =>
  (await db.select({ email: users.email, name: users.name }).from(users).where(eq(users.id, userId)))[0];

const named = ({ email, name }: Person) => (name === null ? email : `${name} (${email})`);

/** Mails an invitation to whom it is for. Answers the address; `null` where it is for nobody, or no e-mail is sent here. */
export async function mailInvitation(
  { db, projectId, actor }: Ctx,
  { to, role, link, expiresAt }: { to: string | null; role: Role; link: string; expiresAt: number },
): Promise<string | null> {
  if (to === null || !mailIsOn()) return null;
  const [project] = await db.select({ name: projects.name }).from(projects).where(eq(projects.id, projectId));
  const host = actor.kind === "user" ? await personOf(db, actor.userId) : undefined;
  const what = `the project “${project?.name}” in Whetstone, as ${role}.`;
  await queueMail(db, {
    kind: "invitation",
    projectId,
    expiresAt,
    to,
    letter: letter({
      subject: `Invitation to ${project?.name}`,
      before: [
        host ? `${named(host)} invites you to join ${what}` : `You are invited to join ${what}`,
        `Open this link to join. It works once, until ${dayOf(expiresAt)}:`,
      ],
      link,
      after: ["If you did not expect it, do nothing: nobody joins without the link."],
    }),
  });
  return to;
}

type Reset = {
  mailId?: string;
  userId: string;
  projectId: string | null;
  /** The owner who made the link; `null` where the person asked for it. */
  makerId: string | null;
  link: string;
  expiresAt: number;
};

/** Mails a link for a new password to its person. Answers the address; `null` where nothing new is mailed. */
export async function mailReset(db: Db, reset: Reset): Promise<string | null> {
  const { mailId, userId, projectId, makerId, link, expiresAt } = reset;
  const person = mailIsOn() ? await personOf(db, userId) : undefined;
  if (!person) return null;
  const maker = makerId === null ? undefined : await personOf(db, makerId);
  const queued = await queueMail(db, {
    ...(mailId === undefined ? {} : { id: mailId }),
    kind: "passwordReset",
    projectId,
    expiresAt,
    to: person.email,
    letter: letter({
      subject: "A new password for Whetstone",
      before: [
        ...(maker ? [`${named(maker)} made a link for you.`] : []),
        `This link sets a new password for ${person.email}. It works once, for a day. Every browser that is signed in is signed out.`,
      ],
      link,
      after: ["If you did not ask for it, do nothing: your password stays as it is."],
    }),
  });
  return queued ? person.email : null;
}
