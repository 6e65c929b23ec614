import { and, eq } from "drizzle-orm";
import { memberships, users } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { ProjectId } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { installationVerb } from "@/server/platform/verb";
import { lockMembers, setRole } from "@/server/services/members";
import { soleOwnerOf } from "./read-people";
import { handOverInput } from "./schemas";

export const handOverProject = installationVerb(
  {
    name: "people.handOver",
    summary: "Transfer a project from its only owner to someone else.",
    description:
      "For an owner who can no longer do so themselves. Only for a project without another owner who can sign in (409 otherwise, since its other owners decide). The former owner becomes a manager. Recorded in the project's audit log.",
    right: "people:manage",
    effect: "write",
    input: handOverInput,
    reply: okReply,
  },
  async (ctx, { userId, projectId, toUserId }) => {
    if (userId === toUserId) throw unprocessable("/toUserId", "Choose someone else.");
    const inProject = { db: ctx.db, projectId: projectId as ProjectId };
    await lockMembers(inProject);
    const owned = await soleOwnerOf(ctx.db, userId);
    const [membership] = await ctx.db
      .select({ role: memberships.role })
      .from(memberships)
      .where(and(eq(memberships.projectId, projectId), eq(memberships.userId, userId)));
    if (membership?.role !== "owner") throw notFound("The project of this owner");
    if (!owned.some(({ id }) => id === projectId))
      throw new ServiceError("conflict", "The project has another owner, who can decide.");
    const [heir] = await ctx.db.select({ disabledAt: users.disabledAt }).from(users).where(eq(users.id, toUserId));
    if (!heir || heir.disabledAt !== null) throw unprocessable("/toUserId", "No person with this id can sign in.");
    await ctx.db
      .insert(memberships)
      .values({ projectId, userId: toUserId, role: "owner" })
      .onConflictDoUpdate({ target: [memberships.projectId, memberships.userId], set: { role: "owner" } });
    await setRole(inProject, userId, "manager");
    auditNote(ctx, {
      projectId,
      target: { type: "user", id: toUserId },
      before: { from: { userId, role: "owner" } },
      after: { role: "owner", from: { userId, role: "manager" } },
    });
    return { ok: true as const };
  },
);
