import { auditNote } from "@/server/platform/audit";
import type { ProjectId } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { accountVerb } from "@/server/platform/verb";
import { roleIn } from "@/server/services/projects";
import { takeOut } from "./owners";
import { leaveInput, leftReply } from "./schemas";

export const leaveProject = accountVerb(
  {
    name: "projects.leave",
    summary: "Leave a project. Its last owner cannot (409).",
    effect: "write",
    input: leaveInput,
    reply: leftReply,
  },
  async (ctx, { projectId }) => {
    if (!(await roleIn(ctx.db, { projectId, userId: ctx.userId }))) throw notFound("The project");
    const role = await takeOut({ db: ctx.db, projectId: projectId as ProjectId }, ctx.userId);
    auditNote(ctx, { projectId, target: { type: "user", id: ctx.userId }, before: { role }, after: null });
    return { ok: true as const };
  },
);
