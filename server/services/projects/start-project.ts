import { auditNote } from "@/server/platform/audit";
import { accountVerb } from "@/server/platform/verb";
import { createdProjectNote, createProject } from "./create-project";
import { createdProjectReply, createProjectInput } from "./schemas";

export const startProject = accountVerb(
  {
    name: "projects.create",
    summary: "Start a project. Whoever starts it owns it; its default key is shown in this answer only.",
    effect: "write",
    input: createProjectInput,
    reply: createdProjectReply,
  },
  async (ctx, { name }) => {
    const created = await createProject(ctx.db, { name, ownerUserId: ctx.userId });
    auditNote(ctx, createdProjectNote(created));
    return created;
  },
);
