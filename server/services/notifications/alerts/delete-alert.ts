import { alerts } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { audited, channelsOf, isAlert, lockAlert } from "./alerts";
import { alertIdInput } from "./schemas";

export const deleteAlert = verb(
  {
    name: "alerts.delete",
    summary: "Delete an alert.",
    description: "Its firings and the messages about them are deleted with it; one that is still queued is not sent.",
    effect: "write",
    capability: "diagnostics:write",
    input: alertIdInput,
    reply: okReply,
  },
  async (ctx, { alertId }) => {
    const before = await lockAlert(ctx, alertId);
    const channels = (await channelsOf(ctx, [alertId])).get(alertId) ?? [];
    await ctx.db.delete(alerts).where(isAlert(ctx, alertId));
    auditNote(ctx, { before: audited(before, channels), after: null });
    return { ok: true as const };
  },
);
