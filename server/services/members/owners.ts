import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { invitations, memberships, passwordResets, projects, users } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";

type In = Pick<Ctx, "db" | "projectId">;

/**
 * One change of a project's people at a time, in any number of processes: what was true of its owners when it was
 * asked is true when it is done. Weaker than the lock of a deletion, so that ingest does not wait for it.
 */
export async function lockMembers({ db, projectId }: In) {
  const [project] = await db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(eq(projects.id, projectId))
    .for("no key update");
  if (!project) throw notFound("The project");
  return project;
}

export async function roleOf({ db, projectId }: In, userId: string): Promise<Role> {
  const [row] = await db
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.projectId, projectId), eq(memberships.userId, userId)));
  if (!row) throw notFound("The member");
  return row.role;
}

/** Whether somebody else owns the project who can sign in. */
const hasOtherOwner = ({ db, projectId }: In, userId: string) =>
  db
    .select({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(memberships.projectId, projectId),
        eq(memberships.role, "owner"),
        ne(memberships.userId, userId),
        isNull(users.disabledAt),
      ),
    )
    .limit(1)
    .then((found) => found.length > 0);

/** Refuses to take the role from the only owner. Call it with the lock held. */
export async function requireOtherOwner(ctx: In, userId: string, leaving: Role) {
  if (leaving === "owner" && !(await hasOtherOwner(ctx, userId))) {
    throw new ServiceError("conflict", "This is the project's last owner: make somebody else an owner first.");
  }
}

async function revokeLinks(db: Db, ofInvitations: SQL | undefined, ofResets: SQL | undefined) {
  await db
    .update(invitations)
    .set({ revokedAt: NOW })
    .where(and(ofInvitations, isNull(invitations.acceptedAt), isNull(invitations.revokedAt)));
  await db
    .update(passwordResets)
    .set({ usedAt: sql`coalesce(${passwordResets.usedAt}, ${NOW})` })
    .where(ofResets);
}

/** Links that a former owner made must not be their way back in. */
export const revokeLinksOf = ({ db, projectId }: In, userId: string) =>
  revokeLinks(
    db,
    and(eq(invitations.projectId, projectId), eq(invitations.createdBy, userId)),
    and(eq(passwordResets.projectId, projectId), eq(passwordResets.createdBy, userId)),
  );

/** The same in every project, also of links that were made for them to set a password: nothing lets them back in. */
export const revokeAllLinksOf = (db: Db, userId: string) =>
  revokeLinks(
    db,
    eq(invitations.createdBy, userId),
    or(eq(passwordResets.createdBy, userId), eq(passwordResets.userId, userId)),
  );

/** Takes somebody out. Their next request already finds no project here. */
export async function removeMembership(ctx: In, userId: string): Promise<Role> {
  await lockMembers(ctx);
  const role = await roleOf(ctx, userId);
  await requireOtherOwner(ctx, userId, role);
  await ctx.db.delete(memberships).where(and(eq(memberships.projectId, ctx.projectId), eq(memberships.userId, userId)));
  await revokeLinksOf(ctx, userId);
  return role;
}

export async function setRole(ctx: In, userId: string, role: Role) {
  await ctx.db
    .update(memberships)
    .set({ role })
    .where(and(eq(memberships.projectId, ctx.projectId), eq(memberships.userId, userId)));
  if (role !== "owner") await revokeLinksOf(ctx, userId);
}
