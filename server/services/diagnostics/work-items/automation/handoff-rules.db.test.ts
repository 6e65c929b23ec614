import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";
import {
  abandonWorkItem,
  createHandoffRule,
  deleteHandoffRule,
  getFinding,
  getHandoffRule,
  handOffByRules,
  listHandoffRules,
  listWorkItems,
  updateFinding,
  updateHandoffRule,
} from "../..";
import { connectTracker, failedTool } from "../testing";

/** Never called, because jobs create the tickets. */
const NOWHERE = { baseUrl: "https://api.github.example", secret: "a token", destination: "acme/shop" };
const EVERYTHING = { minSeverity: "info", minConversations: 1, ruleIds: ["tool-failure"] } as const;

type Rule = Parameters<typeof createHandoffRule>[1];

async function withRule(given: Partial<Rule> = {}) {
  const { ctx } = await testProject();
  const { id: connectionId } = await connectTracker(ctx, "github", NOWHERE);
  const asked = { name: "Severe", connectionId, ...EVERYTHING, ...given } as Rule;
  const { handoffRule } = await createHandoffRule(ctx, asked);
  return { ctx, handoffRule };
}
const handedOff = async (ctx: Ctx) => {
  await handOffByRules(db());
  return (await listWorkItems(ctx, {})).workItems.map(({ findingId }) => findingId);
};

test("a rule is created, listed, read, changed and deleted, and another project's does not exist", async () => {
  const { ctx, handoffRule } = await withRule();
  expect(handoffRule).toMatchObject({ enabled: true, destination: null, dailyLimit: 5, usedToday: 0 });
  const { handoffRule: paused } = await updateHandoffRule(ctx, { handoffRuleId: handoffRule.id, enabled: false });
  expect((await listHandoffRules(ctx, {})).handoffRules).toEqual([paused]);
  const other = await testProject();
  for (const ask of [getHandoffRule, deleteHandoffRule])
    await expect(ask(other.ctx, { handoffRuleId: handoffRule.id })).rejects.toMatchObject({ code: "not_found" });
  expect(await getHandoffRule(ctx, { handoffRuleId: handoffRule.id })).toEqual({ handoffRule: paused });
  await deleteHandoffRule(ctx, { handoffRuleId: handoffRule.id });
  expect((await listHandoffRules(ctx, {})).handoffRules).toEqual([]);
});

test("a rule needs a tracker, a destination and Rules that exist", async () => {
  const { ctx } = await testProject();
  const webhook = { kind: "webhook" as const, name: "Alerts", baseUrl: "https://hooks.example", secret: "a secret" };
  const { connection: hook } = await createConnection(ctx, webhook);
  const { connection: bare } = await createConnection(ctx, { kind: "github", name: "GitHub", secret: "a token" });
  for (const [given, path] of [
    [{ connectionId: hook.id }, "/connectionId"],
    [{ connectionId: bare.id }, "/destination"],
    [{ connectionId: bare.id, destination: "acme/shop", ruleIds: ["none"] }, "/ruleIds/0"],
  ] satisfies [Partial<Rule> & { connectionId: string }, string][])
    await expect(createHandoffRule(ctx, { name: "Severe", ...given })).rejects.toMatchObject({
      code: "unprocessable",
      errors: [{ path, message: expect.any(String) }],
    });
});

test("a Finding is handed off only once it meets every condition", async () => {
  const { ctx } = await withRule({ minConversations: 2, confirmedOnly: true });
  const { findingId } = await failedTool(ctx);
  expect(await handedOff(ctx)).toEqual([]);
  await failedTool(ctx);
  expect(await handedOff(ctx)).toEqual([]);
  await updateFinding(ctx, { findingId, reviewStatus: "confirmed" });
  expect(await handedOff(ctx)).toEqual([findingId]);
});

test("a Finding of another Rule or of lower severity is not handed off", async () => {
  const { ctx, handoffRule } = await withRule({ ruleIds: ["agent-loop"] });
  const { findingId } = await failedTool(ctx);
  const { severity } = (await getFinding(ctx, { findingId })).finding;
  expect(severity).not.toBe("critical");
  expect(await handedOff(ctx)).toEqual([]);
  const { id: handoffRuleId } = handoffRule;
  await updateHandoffRule(ctx, { handoffRuleId, ruleIds: [], minSeverity: "critical" });
  expect(await handedOff(ctx)).toEqual([]);
  await updateHandoffRule(ctx, { handoffRuleId, ruleIds: ["tool-failure"], minSeverity: severity });
  expect(await handedOff(ctx)).toEqual([findingId]);
});

test("a rule's tickets of the day before do not count towards its daily limit", async () => {
  const { ctx, handoffRule } = await withRule({ dailyLimit: 1 });
  const { findingId: first } = await failedTool(ctx, { tool: "get_order" });
  const { findingId: second } = await failedTool(ctx, { tool: "get_user" });
  expect(await handedOff(ctx)).toEqual([first]);
  expect(await handedOff(ctx)).toEqual([first]);
  const day = 24 * 60 * 60_000;
  await db()
    .update(workItems)
    .set({ createdAt: sql`${workItems.createdAt} - ${day}::bigint` })
    .where(eq(workItems.projectId, ctx.projectId));
  expect(await handedOff(ctx)).toEqual([second, first]);
  expect((await getHandoffRule(ctx, { handoffRuleId: handoffRule.id })).handoffRule.usedToday).toBe(1);
});

test("a paused rule hands off nothing, and dismissed or resolved Findings are not handed off", async () => {
  const { ctx, handoffRule } = await withRule({ enabled: false });
  const { findingId } = await failedTool(ctx);
  expect(await handedOff(ctx)).toEqual([]);
  await updateHandoffRule(ctx, { handoffRuleId: handoffRule.id, enabled: true });
  for (const change of [{ reviewStatus: "dismissed" }, { resolutionStatus: "resolved" }] as const) {
    await updateFinding(ctx, { findingId, reviewStatus: "unreviewed" });
    await updateFinding(ctx, { findingId, ...change });
    expect(await handedOff(ctx)).toEqual([]);
  }
});

test("a Finding found only by a backfill is not handed off, and an abandoned one is not handed off again", async () => {
  const { ctx } = await withRule();
  const { findingId } = await failedTool(ctx, { origin: "backfill" });
  expect(await handedOff(ctx)).toEqual([]);
  await failedTool(ctx);
  expect(await handedOff(ctx)).toEqual([findingId]);
  const [item] = (await listWorkItems(ctx, {})).workItems;
  await abandonWorkItem(ctx, { findingId, workItemId: item!.id });
  await handOffByRules(db());
  expect((await listWorkItems(ctx, { state: ["pending", "open"] })).workItems).toEqual([]);
});
