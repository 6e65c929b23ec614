import { eq } from "drizzle-orm";
import { projects } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { projectReply, renameProjectInput } from "./schemas";

export const renameProject = verb(
  {
    name: "projects.rename",
    summary: "Give the project another name.",
    capability: "project:admin",
    effect: "write",
    input: renameProjectInput,
    reply: projectReply,
  },
  async (ctx, { name }) => {
    const [project] = await ctx.db.update(projects).set({ name }).where(eq(projects.id, ctx.projectId)).returning();
    if (!project) throw notFound("The project");
    return { project };
  },
);
