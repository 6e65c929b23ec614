import { eq } from "drizzle-orm";
import { projects } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { personLabel, personOf } from "@/server/services/identity";
import { composeEmail, dayOf, mailEnabled, queueMail } from "@/server/services/mail";

/** Mails an invitation. Returns the address; `null` when it has none, or this installation sends no e-mail. */
export async function mailInvitation(
  { db, projectId, actor }: Ctx,
  { to, role, link, expiresAt }: { to: string | null; role: Role; link: string; expiresAt: number },
): Promise<string | null> {
  if (to === null || !mailEnabled()) return null;
  const [project] = await db.select({ name: projects.name }).from(projects).where(eq(projects.id, projectId));
  const host = actor.kind === "user" ? await personOf(db, actor.userId) : undefined;
  const what = `the project “${project?.name}” in Whetstone, as ${role}.`;
  await queueMail(db, {
    kind: "invitation",
    projectId,
    expiresAt,
    to,
    letter: composeEmail({
      subject: `Invitation to ${project?.name}`,
      before: [
        host ? `${personLabel(host)} invites you to join ${what}` : `You have been invited to join ${what}`,
        `Open this link to join. It works once, until ${dayOf(expiresAt)}:`,
      ],
      link,
      after: ["If you did not expect this, you can ignore this e-mail: nobody joins without the link."],
    }),
  });
  return to;
}
