import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { apiKeys, invitations, memberships, projects } from "@/db/schema";
import { auditNote, recordAudit } from "@/server/platform/audit";
import type { ProjectId, RequestInfo } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { accountVerb } from "@/server/platform/verb";
import { createUser, findUserByEmail, getMe, hashOfToken, requirePasswords } from "@/server/services/identity";
import { roleIn } from "@/server/services/projects";
import { isPending } from "./invitations";
import { lockMembers } from "./owners";
import { acceptedReply, joinInput, tokenInput } from "./schemas";

const invalidLink = () =>
  new ServiceError(
    "forbidden",
    "This link has already been used, has expired or was revoked. Ask an owner for a new one.",
  );

const usable = (db: Db, token: string) => and(eq(invitations.tokenHash, hashOfToken(token)), isPending(db));

/** Returns what the holder of an invitation link may see before using it; `null` for a link that does not work. */
export async function findInvitation(db: Db, token: string) {
  const [found] = await db
    .select({
      projectId: projects.id,
      projectName: projects.name,
      role: invitations.role,
      email: invitations.email,
      expiresAt: invitations.expiresAt,
    })
    .from(invitations)
    .innerJoin(projects, eq(projects.id, invitations.projectId))
    .where(usable(db, token));
  return found ?? null;
}

/**
 * Returns a pending invitation for a person with this address: one for their address, or one for nobody in particular
 * whose link they hold. Does not use it up.
 */
export async function invitationFor(
  db: Db,
  { token, email }: { token: string | null; email: string },
): Promise<{ projectId: string } | null> {
  const held = eq(invitations.tokenHash, hashOfToken(token ?? ""));
  const theirs = eq(sql`lower(${invitations.email})`, sql`lower(${email})`);
  const [found] = await db
    .select({ projectId: invitations.projectId })
    .from(invitations)
    .where(and(isPending(db), or(theirs, and(held, isNull(invitations.email)))))
    // Prefers the one whose link they hold.
    .orderBy(desc(held))
    .limit(1);
  return found ?? null;
}

/** Locks the key that created the link: its revocation either waits, or has happened and the link no longer works. */
const lockIssuingKey = (db: Db, token: string) =>
  db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .innerJoin(invitations, and(eq(apiKeys.projectId, invitations.projectId), eq(apiKeys.id, invitations.createdBy)))
    .where(eq(invitations.tokenHash, hashOfToken(token)))
    .for("share", { of: apiKeys });

function requireAddress(invited: string | null, email: string) {
  if (invited === null || invited.toLowerCase() === email.toLowerCase()) return;
  throw new ServiceError("forbidden", "This link is for a different e-mail address.");
}

/** Uses up the link and adds the person to the project, in the caller's transaction. */
async function admit(db: Db, token: string, person: { id: string; email: string }) {
  const seen = await findInvitation(db, token);
  if (!seen) throw invalidLink();
  const projectId = seen.projectId as ProjectId;
  const project = await lockMembers({ db, projectId });
  await lockIssuingKey(db, token);
  requireAddress(seen.email, person.email);
  if (await roleIn(db, { projectId, userId: person.id })) {
    throw new ServiceError("conflict", "You already belong to this project.");
  }
  const [used] = await db
    .update(invitations)
    .set({ acceptedAt: NOW, acceptedBy: person.id })
    .where(usable(db, token))
    .returning({ id: invitations.id, role: invitations.role });
  if (!used) throw invalidLink();
  await db.insert(memberships).values({ projectId, userId: person.id, role: used.role });
  return {
    accepted: { project, role: used.role },
    note: {
      projectId: project.id,
      target: { type: "user", id: person.id },
      before: null,
      after: { role: used.role, invitationId: used.id },
    },
  };
}

export const acceptInvitation = accountVerb(
  {
    name: "invitations.accept",
    summary: "Join a project with a one-time invitation link.",
    effect: "write",
    input: tokenInput,
    reply: acceptedReply,
  },
  async (ctx, { token }) => {
    const { user } = await getMe(ctx, {});
    const { accepted, note } = await admit(ctx.db, token, user);
    auditNote(ctx, note);
    return accepted;
  },
);

/** Creates an account for the holder of an invitation link and adds it to the project, atomically. */
export async function joinByInvitation(db: Db, given: unknown, request?: RequestInfo) {
  requirePasswords();
  const { token, ...person } = joinInput.parse(given);
  const seen = await findInvitation(db, token);
  if (!seen) throw invalidLink();
  // Before looking for an account: the link for one address must not tell who else has one.
  requireAddress(seen.email, person.email);
  return db.transaction(async (tx) => {
    // Serializes concurrent uses of one link, so that only one of them hashes a password.
    const [open] = await tx.select({ id: invitations.id }).from(invitations).where(usable(tx, token)).for("update");
    if (!open) throw invalidLink();
    if (await findUserByEmail(tx, person.email)) {
      throw new ServiceError("conflict", "This address already has an account: sign in, then open the link again.");
    }
    const user = await createUser(tx, person, { emailProven: seen.email !== null });
    const { accepted, note } = await admit(tx, token, user);
    const actor = { kind: "user" as const, id: user.id };
    await recordAudit(tx, { ...note, action: acceptInvitation.spec.name, actor, request });
    return { user, ...accepted };
  });
}
