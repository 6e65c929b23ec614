import { eq } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { projectReply } from "./schemas";

export const getProject = verb(
  {
    name: "projects.get",
    summary: "Read the project.",
    description: "Its id, name and when it was created.",
    capability: "workspace:read",
    effect: "read",
    input: z.strictObject({}),
    reply: projectReply,
  },
  async (ctx) => {
    const [project] = await ctx.db.select().from(projects).where(eq(projects.id, ctx.projectId));
    if (!project) throw notFound("The project");
    return { project };
  },
);
