import { notificationRules } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { audited, isRule, lockNotificationRule } from "./notification-rules";
import { notificationRuleIdInput } from "./schemas";

export const deleteNotificationRule = verb(
  {
    name: "notificationRules.delete",
    summary: "Delete a notification rule.",
    description: "The delivery log remains.",
    effect: "write",
    capability: "diagnostics:write",
    input: notificationRuleIdInput,
    reply: okReply,
  },
  async (ctx, { notificationRuleId }) => {
    const before = await lockNotificationRule(ctx, notificationRuleId);
    await ctx.db.delete(notificationRules).where(isRule(ctx, notificationRuleId));
    auditNote(ctx, { before: audited(before), after: null });
    return { ok: true as const };
  },
);
