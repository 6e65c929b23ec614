import { and, eq, sql } from "drizzle-orm";
import { savedViews } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { isVisible, savedViewJson } from "./saved-views";
import { listSavedViewsInput, savedViewsReply } from "./schemas";

export const listSavedViews = verb(
  {
    name: "savedViews.list",
    summary: "List the saved views of a list: those shared with the project, and the caller's own.",
    description:
      "Sorted by name. `query` is the query string of the list's page in the workbench. A key has no views of its own.",
    effect: "read",
    capability: "diagnostics:read",
    input: listSavedViewsInput,
    reply: savedViewsReply,
  },
  async (ctx, { list }) => {
    const rows = await ctx.db
      .select()
      .from(savedViews)
      .where(and(isVisible(ctx), eq(savedViews.list, list)))
      .orderBy(sql`lower(${savedViews.name})`, savedViews.id);
    return { savedViews: rows.map(savedViewJson) };
  },
);
