import { NOW } from "@/db/now";
import { savedViews } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import {
  audited,
  checkedQuery,
  isView,
  lockSavedView,
  ownerOf,
  requireRoom,
  savedViewJson,
  withUniqueName,
} from "./saved-views";
import { savedViewReply, updateSavedViewInput } from "./schemas";

export const updateSavedView = verb(
  {
    name: "savedViews.update",
    summary: "Rename a saved view, change its filters, or share it.",
    description:
      "Omitted fields keep their value. A shared view can be changed with `diagnostics:write`; with `shared: false` it becomes the caller's own. Another member's own view is a 404.",
    effect: "write",
    capability: "diagnostics:read",
    input: updateSavedViewInput,
    reply: savedViewReply,
  },
  async (ctx, { savedViewId, name, query, shared }) => {
    const before = await lockSavedView(ctx, savedViewId);
    const userId = shared === undefined ? before.userId : ownerOf(ctx, shared);
    if (userId !== before.userId) await requireRoom(ctx, before.list, userId);
    const [row] = await withUniqueName(() =>
      ctx.db
        .update(savedViews)
        .set({
          userId,
          ...(name === undefined ? {} : { name }),
          ...(query === undefined ? {} : { query: checkedQuery(before.list, query) }),
          updatedAt: NOW,
        })
        .where(isView(ctx, savedViewId))
        .returning(),
    );
    if (!row) throw new Error("The update of a locked view returned no row.");
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { savedView: savedViewJson(row) };
  },
);
