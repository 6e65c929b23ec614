import { asc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { memberships, projects, sampleProjects } from "@/db/schema";
import { accountVerb } from "@/server/platform/verb";
import { myProjectsReply } from "./schemas";

/** Beyond this, the project switcher needs a search rather than a longer list. */
const PROJECTS_SHOWN = 1000;

export const listProjects = accountVerb(
  {
    name: "projects.list",
    summary: "List the projects that the signed-in person belongs to, by name.",
    effect: "read",
    input: z.strictObject({}),
    reply: myProjectsReply,
  },
  async ({ db, userId }) => ({
    projects: await db
      .select({
        id: projects.id,
        name: projects.name,
        createdAt: projects.createdAt,
        role: memberships.role,
        sample: sampleProjects.state,
      })
      .from(memberships)
      .innerJoin(projects, eq(projects.id, memberships.projectId))
      .leftJoin(sampleProjects, eq(sampleProjects.projectId, projects.id))
      .where(eq(memberships.userId, userId))
      .orderBy(asc(sql`lower(${projects.name})`), asc(projects.id))
      .limit(PROJECTS_SHOWN),
  }),
);
