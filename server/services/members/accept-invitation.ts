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

const closed = () =>
  new ServiceError("forbidden", "This link was used already, has expired or was revoked. Ask an owner for a new one.");

const usable = (db: Db, token: string) => and(eq(invitations.tokenHash, hashOfToken(token)), isPending(db));

/** What its holder may know of an invitation before they use it; `null` when it opens nothing. */
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
 * An invitation by which somebody with this address may come: one whose link they hold, unless it is for another, or one
 * that is for them. It is not used up by asking.
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
    // Of several, the one whose link they hold.
    .orderBy(desc(held))
    .limit(1);
  return found ?? null;
}

/** A revocation of the key with which the link was made waits, or has happened: the link then lets nobody in. */
const holdIssuingKey = (db: Db, token: string) =>
  db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .innerJoin(invitations, and(eq(apiKeys.projectId, invitations.projectId), eq(apiKeys.id, invitations.createdBy)))
    .where(eq(invitations.tokenHash, hashOfToken(token)))
    .for("share", { of: apiKeys });

/** Uses the link up and lets the person in, in the caller's transaction. */
async function admit(db: Db, token: string, person: { id: string; email: string }) {
  const seen = await findInvitation(db, token);
  if (!seen) throw closed();
  const projectId = seen.projectId as ProjectId;
  const project = await lockMembers({ db, projectId });
  await holdIssuingKey(db, token);
  if (seen.email !== null && seen.email.toLowerCase() !== person.email.toLowerCase()) {
    throw new ServiceError("forbidden", "This link was made for another e-mail address.");
  }
  if (await roleIn(db, { projectId, userId: person.id })) {
    throw new ServiceError("conflict", "You belong to this project already.");
  }
  const [used] = await db
    .update(invitations)
    .set({ acceptedAt: NOW, acceptedBy: person.id })
    .where(usable(db, token))
    .returning({ id: invitations.id, role: invitations.role });
  if (!used) throw closed();
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
    summary: "Join a project by the one-time link that an owner gave.",
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

/** Somebody without an account makes one by the link and joins: both or neither. */
export async function joinByInvitation(db: Db, given: unknown, request?: RequestInfo) {
  requirePasswords();
  const { token, ...person } = joinInput.parse(given);
  const seen = await findInvitation(db, token);
  if (!seen) throw closed();
  return db.transaction(async (tx) => {
    // One after the other: of many who use a link at once, the others hash no password.
    const [open] = await tx.select({ id: invitations.id }).from(invitations).where(usable(tx, token)).for("update");
    if (!open) throw closed();
    if (await findUserByEmail(tx, person.email)) {
      throw new ServiceError("conflict", "This address has an account: sign in with it, then open the link again.");
    }
    const user = await createUser(tx, person, { emailProven: seen.email !== null });
    const { accepted, note } = await admit(tx, token, user);
    const actor = { kind: "user" as const, id: user.id };
    await recordAudit(tx, { ...note, action: acceptInvitation.spec.name, actor, request });
    return { user, ...accepted };
  });
}
