import { auditNote } from "@/server/platform/audit";
import type { ProjectId } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { accountVerb } from "@/server/platform/verb";
import { settleKeysOf } from "@/server/services/api-keys";
import { roleIn } from "@/server/services/projects";
import { removeMembership } from "./owners";
import { leaveInput, removedReply } from "./schemas";

export const leaveProject = accountVerb(
  {
    name: "projects.leave",
    summary: "Leave a project. The last owner cannot leave (409).",
    effect: "write",
    input: leaveInput,
    reply: removedReply,
  },
  async (ctx, { projectId, revokeKeys }) => {
    if (!(await roleIn(ctx.db, { projectId, userId: ctx.userId }))) throw notFound("The project");
    const role = await removeMembership({ db: ctx.db, projectId: projectId as ProjectId }, ctx.userId);
    const { revoked, left } = await settleKeysOf(ctx.db, { userId: ctx.userId, projectId, revoke: revokeKeys });
    const target = { type: "user", id: ctx.userId };
    auditNote(ctx, {
      projectId,
      target,
      before: { role },
      after: revoked.length > 0 ? { keysRevoked: revoked } : null,
    });
    return { ok: true as const, keysRevoked: revoked.length, keysLeft: left };
  },
);
