import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { memberships } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { lastVisitReply } from "./schemas";

export const lastVisit = verb(
  {
    name: "home.lastVisit",
    summary: "Read when the member last used the project before the current visit.",
    description: "Half an hour without a request ends a visit. `at` is `null` on the first visit, and for API keys.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: lastVisitReply,
  },
  async ({ db, projectId, actor }) => {
    if (actor.kind !== "user") return { lastVisit: { at: null } };
    const [row] = await db
      .select({ at: memberships.visitedBeforeAt })
      .from(memberships)
      .where(and(eq(memberships.projectId, projectId), eq(memberships.userId, actor.userId)));
    return { lastVisit: { at: row?.at ?? null } };
  },
);
