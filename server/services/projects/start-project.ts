import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { installationVerb } from "@/server/platform/verb";
import { createdProjectNote, createProject } from "./create-project";
import { createdProjectReply, createProjectInput } from "./schemas";

export const startProject = installationVerb(
  {
    name: "projects.create",
    summary: "Create a project. The caller becomes its owner; its default key is returned only in this response.",
    right: "projects:create",
    effect: "write",
    input: createProjectInput,
    reply: createdProjectReply,
  },
  async (ctx, { name }) => {
    if ("operator" in ctx) throw new ServiceError("unprocessable", "A project needs an owner.");
    const created = await createProject(ctx.db, { name, ownerUserId: ctx.userId });
    auditNote(ctx, createdProjectNote(created));
    return created;
  },
);
