import { and, eq } from "drizzle-orm";
import { notificationRules } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { isRule, notificationRuleJson } from "./notification-rules";
import {
  listNotificationRulesInput,
  notificationRuleIdInput,
  notificationRuleReply,
  notificationRulesReply,
} from "./schemas";

export const listNotificationRules = verb(
  {
    name: "notificationRules.list",
    summary: "List notification rules, newest first.",
    description:
      "Each with its webhook and its conditions. Rules that are turned off are included, with `enabled: false`.",
    effect: "read",
    capability: "diagnostics:read",
    input: listNotificationRulesInput,
    reply: notificationRulesReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "notification-rules", table: notificationRules, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(notificationRules)
          .where(and(eq(notificationRules.projectId, ctx.projectId), after)),
    );
    return { notificationRules: rows.map(notificationRuleJson), pagination: { limit, nextCursor } };
  },
);

export const getNotificationRule = verb(
  {
    name: "notificationRules.get",
    summary: "Read one notification rule.",
    description:
      "Its webhook, and which Findings it announces: their kinds, least severity, Rules (empty: all) and number of conversations.",
    effect: "read",
    capability: "diagnostics:read",
    input: notificationRuleIdInput,
    reply: notificationRuleReply,
  },
  async (ctx, { notificationRuleId }) => {
    const [row] = await ctx.db.select().from(notificationRules).where(isRule(ctx, notificationRuleId));
    if (!row) throw notFound("The notification rule");
    return { notificationRule: notificationRuleJson(row) };
  },
);
