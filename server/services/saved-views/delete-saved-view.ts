import { savedViews } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { audited, isView, lockSavedView } from "./saved-views";
import { deleteSavedViewInput } from "./schemas";

export const deleteSavedView = verb(
  {
    name: "savedViews.delete",
    summary: "Delete a saved view.",
    description: "A shared view requires `diagnostics:write`. Another member's own view is a 404.",
    effect: "write",
    capability: "diagnostics:read",
    input: deleteSavedViewInput,
    reply: okReply,
  },
  async (ctx, { savedViewId }) => {
    const before = await lockSavedView(ctx, savedViewId);
    await ctx.db.delete(savedViews).where(isView(ctx, savedViewId));
    auditNote(ctx, { before: audited(before), after: null });
    return { ok: true as const };
  },
);
