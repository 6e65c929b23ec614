import { NOW } from "@/db/now";
import { notificationRules } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { audited, notificationRuleJson, requireWebhook } from "./notification-rules";
import { createNotificationRuleInput, notificationRuleReply } from "./schemas";

export const createNotificationRule = verb(
  {
    name: "notificationRules.create",
    summary: "Create a rule that announces Findings to a webhook.",
    description:
      "`kinds` are `new`, `regressed` and `escalating`. Only what happens after the rule was created is announced, each event at most once per connection, and never what a backfill found. With more than five messages an hour, further ones are collected into a digest every 15 minutes. A `connectionId` that is not a webhook of the project is a 422.",
    effect: "write",
    capability: "diagnostics:write",
    input: createNotificationRuleInput,
    reply: notificationRuleReply,
  },
  async (ctx, input) => {
    await requireWebhook(ctx, input.connectionId);
    const [row] = await ctx.db
      .insert(notificationRules)
      .values({ projectId: ctx.projectId, id: newId("nr"), ...input, updatedAt: NOW })
      .returning();
    if (!row) throw new Error("The insert of a notification rule returned no row.");
    auditNote(ctx, { target: { type: "notificationRule", id: row.id }, after: audited(row) });
    return { notificationRule: notificationRuleJson(row) };
  },
);
