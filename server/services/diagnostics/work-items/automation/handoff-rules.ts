import { and, eq, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { handoffRules } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { DAY_MS } from "@/server/platform/durations";
import { notFound, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { requireTicketFields, trackerConnections } from "@/server/services/connections";
import { projectRules } from "../../own-rules/stored-rules";
import {
  createHandoffRuleInput,
  handoffRuleIdInput,
  handoffRuleReply,
  handoffRulesReply,
  listHandoffRulesInput,
  updateHandoffRuleInput,
} from "../schemas";

/** A rule's tickets of today (UTC), as SQL. */
export const usedToday = (rule: SQL = sql`handoff_rules`) => sql<number>`(
  select count(*)::int from work_items w
  where w.project_id = ${rule}.project_id and w.handoff_rule_id = ${rule}.id and w.created_at >= ${NOW} / ${DAY_MS} * ${DAY_MS})`;

const whichRule = (ctx: Ctx, id: string) => and(eq(handoffRules.projectId, ctx.projectId), eq(handoffRules.id, id));

async function readRule(ctx: Ctx, id: string) {
  const [row] = await ctx.db
    .select({ rule: handoffRules, usedToday: usedToday() })
    .from(handoffRules)
    .where(whichRule(ctx, id));
  if (!row) throw notFound("The handoff rule");
  return { ...row.rule, usedToday: row.usedToday };
}

export const listHandoffRules = verb(
  {
    name: "handoffRules.list",
    summary: "List the rules that hand off new Findings to a tracker automatically, newest first.",
    description:
      "Each with its conditions, its `dailyLimit`, and how many tickets it has created today (UTC). Paused rules are included, with `enabled: false`.",
    effect: "read",
    capability: "diagnostics:read",
    input: listHandoffRulesInput,
    reply: handoffRulesReply,
  },
  async (ctx, { limit, cursor }) => {
    const list = newestFirst({
      name: "handoffRules",
      filters: { project: ctx.projectId },
      time: handoffRules.createdAt,
      id: handoffRules.id,
      limit,
      cursor,
    });
    const found = await ctx.db
      .select({ rule: handoffRules, usedToday: usedToday() })
      .from(handoffRules)
      .where(and(eq(handoffRules.projectId, ctx.projectId), list.after))
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ rule }) => [rule.createdAt, rule.id]);
    return {
      handoffRules: rows.map(({ rule, usedToday: used }) => ({ ...rule, usedToday: used })),
      pagination: { limit, nextCursor },
    };
  },
);

export const getHandoffRule = verb(
  {
    name: "handoffRules.get",
    summary: "Read a handoff rule.",
    description:
      "Its conditions, where its tickets go (`destination` `null`: the connection's default), its `dailyLimit`, and how many tickets it has created today (UTC).",
    effect: "read",
    capability: "diagnostics:read",
    input: handoffRuleIdInput,
    reply: handoffRuleReply,
  },
  async (ctx, { handoffRuleId }) => ({ handoffRule: await readRule(ctx, handoffRuleId) }),
);

export const createHandoffRule = verb(
  {
    name: "handoffRules.create",
    summary: "Create a rule that hands off new Findings to a tracker automatically.",
    description:
      "A Finding is handed off once, when it meets every condition, at most `dailyLimit` of them a day (UTC). Findings older than the rule, and those that only backfills found, are not. A Jira project that requires fields without a value is a 422: store the values with `PATCH …/ticket-fields` of the connection first.",
    effect: "write",
    capability: "connections:manage",
    input: createHandoffRuleInput,
    reply: handoffRuleReply,
  },
  {
    before: async (ctx, given) => requireTicketFields(ctx, await placeOf(ctx, given)),
    run: async (ctx, given) => {
      await requireUsable(ctx, given);
      const id = newId("hr");
      await ctx.db.insert(handoffRules).values({ projectId: ctx.projectId, id, ...given, updatedAt: NOW });
      auditNote(ctx, { target: { type: "handoffRule", id }, after: given });
      return { handoffRule: await readRule(ctx, id) };
    },
  },
);

export const updateHandoffRule = verb(
  {
    name: "handoffRules.update",
    summary: "Change a handoff rule, or pause it.",
    description:
      "Omitted fields keep their value; `enabled: false` pauses it. 422 for an unknown Rule, an unusable connection, or a Jira project that requires fields without a value. Tickets that exist are not changed.",
    effect: "write",
    capability: "connections:manage",
    input: updateHandoffRuleInput,
    reply: handoffRuleReply,
  },
  {
    before: async (ctx, { handoffRuleId, connectionId, destination, enabled }) => {
      const isElsewhere = connectionId !== undefined || destination !== undefined;
      if (!isElsewhere && enabled !== true) return;
      const before = await readRule(ctx, handoffRuleId);
      const target = {
        connectionId: connectionId ?? before.connectionId,
        destination: destination === undefined ? before.destination : destination,
      };
      await requireTicketFields(ctx, await placeOf(ctx, target));
    },
    run: async (ctx, { handoffRuleId, ...given }) => {
      const { usedToday: _, ...before } = await readRule(ctx, handoffRuleId);
      await requireUsable(ctx, {
        connectionId: given.connectionId ?? before.connectionId,
        destination: given.destination === undefined ? before.destination : given.destination,
        ruleIds: given.ruleIds ?? before.ruleIds,
      });
      await ctx.db
        .update(handoffRules)
        .set({ ...given, updatedAt: NOW })
        .where(whichRule(ctx, handoffRuleId));
      auditNote(ctx, { before, after: given });
      return { handoffRule: await readRule(ctx, handoffRuleId) };
    },
  },
);

export const deleteHandoffRule = verb(
  {
    name: "handoffRules.delete",
    summary: "Delete a handoff rule. Its tickets stay.",
    description: "Findings are no longer handed off by it. Its tickets and work items keep being synchronised.",
    effect: "write",
    capability: "connections:manage",
    input: handoffRuleIdInput,
    reply: okReply,
  },
  async (ctx, { handoffRuleId }) => {
    const { usedToday: _, ...before } = await readRule(ctx, handoffRuleId);
    await ctx.db.delete(handoffRules).where(whichRule(ctx, handoffRuleId));
    auditNote(ctx, { before, after: null });
    return { ok: true as const };
  },
);

type Target = { connectionId: string; destination: string | null };
type Usable = Target & { ruleIds: readonly string[] };

/** Returns where a rule's tickets go: its destination or the connection's default. */
async function placeOf(ctx: Ctx, { connectionId, destination }: Target) {
  const connection = (await trackerConnections(ctx)).find(({ id }) => id === connectionId);
  if (!connection)
    throw unprocessable(
      "/connectionId",
      "This project has no issue tracker connection with this id, or the connection has no secret.",
    );
  const target = destination ?? connection.settings.defaultDestination;
  if (target === null)
    throw unprocessable("/destination", "Enter a destination, or give the connection a default one.");
  return { connectionId, destination: target };
}

async function requireUsable(ctx: Ctx, { ruleIds, ...target }: Usable) {
  await placeOf(ctx, target);
  const known = new Set((await projectRules(ctx)).map(({ id }) => id));
  for (const [at, id] of ruleIds.entries())
    if (!known.has(id)) throw unprocessable(`/ruleIds/${at}`, "There is no such Rule.");
}
