import { NOW } from "@/db/now";
import { notificationRules } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { audited, isRule, lockNotificationRule, notificationRuleJson, requireWebhook } from "./notification-rules";
import { notificationRuleReply, updateNotificationRuleInput } from "./schemas";

export const updateNotificationRule = verb(
  {
    name: "notificationRules.update",
    summary: "Change a notification rule.",
    description: "Omitted fields keep their value. A message that is already queued is still sent.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateNotificationRuleInput,
    reply: notificationRuleReply,
  },
  async (ctx, { notificationRuleId, ...changes }) => {
    const before = await lockNotificationRule(ctx, notificationRuleId);
    if (changes.connectionId !== undefined) await requireWebhook(ctx, changes.connectionId);
    const [row] = await ctx.db
      .update(notificationRules)
      .set({ ...changes, updatedAt: NOW })
      .where(isRule(ctx, notificationRuleId))
      .returning();
    if (!row) throw new Error("The update of a locked notification rule returned no row.");
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { notificationRule: notificationRuleJson(row) };
  },
);
