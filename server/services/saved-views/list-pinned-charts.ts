import { and, asc, eq } from "drizzle-orm";
import { pinnedCharts, savedViews } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { isVisible, memberOf, savedViewJson } from "./saved-views";
import { pinnedChartsInput, type SavedView, savedViewsReply } from "./schemas";

export const listPinnedCharts = verb(
  {
    name: "pinnedCharts.list",
    summary: "List the saved charts that the caller pinned to their Home, in their order.",
    description:
      "A saved chart is a saved view of the list `charts`. One that is not shared any more is not listed. A key has no Home, so its list is empty.",
    effect: "read",
    capability: "diagnostics:read",
    input: pinnedChartsInput,
    reply: savedViewsReply,
  },
  async (ctx) => ({ savedViews: await pinnedBy(ctx) }),
);

/** Returns the charts that the caller pinned and may see, in order. */
export async function pinnedBy(ctx: Ctx): Promise<SavedView[]> {
  const userId = memberOf(ctx);
  if (userId === null) return [];
  const rows = await ctx.db
    .select({ view: savedViews })
    .from(pinnedCharts)
    .innerJoin(
      savedViews,
      and(eq(savedViews.projectId, pinnedCharts.projectId), eq(savedViews.id, pinnedCharts.savedViewId)),
    )
    .where(and(eq(pinnedCharts.userId, userId), isVisible(ctx)))
    .orderBy(asc(pinnedCharts.place));
  return rows.map(({ view }) => savedViewJson(view));
}
