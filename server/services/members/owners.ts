import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { invitations, memberships, passwordResets, projects, users } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";

type In = Pick<Ctx, "db" | "projectId">;

/**
 * Serializes changes of a project's members across processes, so that checks of its owners hold until the commit. Weaker
 * than a deletion's lock, so that it does not block ingest.
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

/** Whether the project has another owner who can sign in. */
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

/** Throws `conflict` when the project would lose its last owner. Call it with the lock held. */
export async function requireOtherOwner(ctx: In, userId: string, leaving: Role) {
  if (leaving === "owner" && !(await hasOtherOwner(ctx, userId))) {
    throw new ServiceError("conflict", "This is the project's last owner: make someone else an owner first.");
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

/** Revokes the links that a former owner created, so that they cannot get back in with them. */
export const revokeLinksOf = ({ db, projectId }: In, userId: string) =>
  revokeLinks(
    db,
    and(eq(invitations.projectId, projectId), eq(invitations.createdBy, userId)),
    and(eq(passwordResets.projectId, projectId), eq(passwordResets.createdBy, userId)),
  );

/** Revokes the links that a person created in any project, and the password links created for them. */
export const revokeAllLinksOf = (db: Db, userId: string) =>
  revokeLinks(
    db,
    eq(invitations.createdBy, userId),
    or(eq(passwordResets.createdBy, userId), eq(passwordResets.userId, userId)),
  );

/** Removes a member, effective with their next request. Returns their former role. */
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
