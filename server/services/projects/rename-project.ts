import { eq } from "drizzle-orm";
import { projects } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { projectReply, renameProjectInput } from "./schemas";

export const renameProject = verb(
  {
    name: "projects.rename",
    summary: "Rename the project.",
    description: "Ids and addresses stay. Deleting the project takes the new name.",
    capability: "project:admin",
    effect: "write",
    input: renameProjectInput,
    reply: projectReply,
  },
  async (ctx, { name }) => {
    const [before] = await ctx.db
      .select({ name: projects.name })
      .from(projects)
      .where(eq(projects.id, ctx.projectId))
      .for("no key update");
    const [project] = await ctx.db.update(projects).set({ name }).where(eq(projects.id, ctx.projectId)).returning();
    if (!before || !project) throw notFound("The project");
    auditNote(ctx, { target: { type: "project", id: project.id }, before, after: { name } });
    return { project };
  },
);
