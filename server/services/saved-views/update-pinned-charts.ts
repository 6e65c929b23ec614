import { and, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { memberships, pinnedCharts, savedViews } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { pinnedBy } from "./list-pinned-charts";
import { isVisible, memberOf } from "./saved-views";
import { savedViewsReply, updatePinnedChartsInput } from "./schemas";

const NONE = { savedViewIds: [] };

export const updatePinnedCharts = verb(
  {
    name: "pinnedCharts.update",
    summary: "Pin saved charts to the caller’s Home, in this order, in place of those pinned before.",
    description:
      "Send all of them: one that is left out is no longer pinned. Each is a saved view of the list `charts` that the caller sees. Only a member has a Home.",
    effect: "write",
    capability: "diagnostics:read",
    input: updatePinnedChartsInput,
    reply: savedViewsReply,
  },
  async (ctx, { savedViewIds }) => {
    const userId = memberOf(ctx);
    if (userId === null) {
      if (savedViewIds.length > 0) throw unprocessable("/savedViewIds", "Only a member has a Home to pin charts to.");
      auditNote(ctx, { before: NONE, after: NONE });
      return { savedViews: [] };
    }
    const mine = and(eq(pinnedCharts.projectId, ctx.projectId), eq(pinnedCharts.userId, userId));
    // Two changes of one member wait for each other.
    await ctx.db
      .select({ userId: memberships.userId })
      .from(memberships)
      .where(and(eq(memberships.projectId, ctx.projectId), eq(memberships.userId, userId)))
      .for("no key update");
    const before = (await pinnedBy(ctx)).map(({ id }) => id);
    const known = await ctx.db
      .select({ id: savedViews.id })
      .from(savedViews)
      .where(and(isVisible(ctx), eq(savedViews.list, "charts"), isOneOf(savedViews.id, savedViewIds)))
      .for("key share");
    if (known.length < savedViewIds.length)
      throw unprocessable("/savedViewIds", "Each must be a saved chart of this project that you see.");
    await ctx.db.delete(pinnedCharts).where(mine);
    if (savedViewIds.length > 0)
      await ctx.db
        .insert(pinnedCharts)
        .values(savedViewIds.map((savedViewId, place) => ({ projectId: ctx.projectId, userId, savedViewId, place })));
    auditNote(ctx, { before: { savedViewIds: before }, after: { savedViewIds } });
    return { savedViews: await pinnedBy(ctx) };
  },
);
