import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { createTrackerWebhook } from "@/server/services/connections";
import {
  createHandoffRule,
  getFinding,
  handOff,
  handOffByRules,
  handOffMany,
  listWorkItems,
  receiveTrackerDelivery,
  schedulePolls,
  updateHandoffRule,
} from "@/server/services/diagnostics";
import { connectTracker, failedTool } from "@/server/services/diagnostics/work-items/testing";
import { startGithub } from "@/testbed/trackers/github-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { inngest } from "../../client";
import { functions } from "..";

/** In its own file because the environment is read once, and here services on loopback may be called. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let engine: Engine;
let github: SimulatedTracker;
beforeEach(async () => {
  github = await startGithub();
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
});
afterEach(async () => {
  await engine.stop();
  await github.stop();
});

const isResolved = async (ctx: Ctx, findingId: string) =>
  (await getFinding(ctx, { findingId })).finding.resolutionStatus === "resolved";
const openItems = async (ctx: Ctx) => (await listWorkItems(ctx, { state: ["open"] })).workItems;

test("tickets for several Findings are created by jobs, and closing them resolves the Findings by webhook and by poll", async () => {
  const { ctx } = await testProject();
  const { id: connectionId } = await connectTracker(ctx, "github", github);
  github.webhookSecret = (await createTrackerWebhook(ctx, { connectionId })).webhook.secret;
  const findingIds = [];
  for (const tool of ["get_order", "get_user"]) findingIds.push((await failedTool(ctx, { tool })).findingId);
  await handOffMany(ctx, { findingIds, provider: "github" });
  await until(async () => (await openItems(ctx)).length === 2);
  const [byPoll, byWebhook] = await openItems(ctx);
  for (const { externalId } of [byPoll!, byWebhook!]) github.setDone(externalId!, true);

  const { headers, body } = github.delivery(byWebhook!.externalId!);
  await receiveTrackerDelivery(db(), {
    projectId: ctx.projectId,
    connectionId,
    headers,
    body: async () => Buffer.from(body),
  });
  await until(() => isResolved(ctx, byWebhook!.findingId));
  expect(await isResolved(ctx, byPoll!.findingId)).toBe(false);
  await schedulePolls(db());
  await until(() => isResolved(ctx, byPoll!.findingId));

  // A regression reopens the ticket without any request.
  const tool = byPoll!.findingTitle.includes("get_user") ? "get_user" : "get_order";
  await failedTool(ctx, { tool, startedAt: Date.now() + 1000 });
  await until(async () => (await openItems(ctx)).some(({ id }) => id === byPoll!.id));
  expect(github.tickets().find(({ externalId }) => externalId === byPoll!.externalId)).toMatchObject({ isDone: false });
});

test("a ticket that a rate limit delayed while a person waited is created once the limit ends", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  github.fault = () => "limit";
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  expect(workItem.state).toBe("pending");
  github.fault = () => undefined;
  await until(async () => (await openItems(ctx)).some(({ id }) => id === workItem.id));
  expect(github.tickets()).toHaveLength(1);
});

test("a handoff rule hands off new Findings of its own project, up to its daily limit", async () => {
  const [{ ctx }, other] = [await testProject(), await testProject()];
  const { id: connectionId } = await connectTracker(ctx, "github", github);
  await failedTool(ctx, { tool: "before_the_rule" });
  await failedTool(other.ctx);
  const { handoffRule } = await createHandoffRule(ctx, {
    name: "Severe",
    connectionId,
    minSeverity: "info",
    minConversations: 1,
    dailyLimit: 1,
    ruleIds: ["tool-failure"],
  });
  for (const tool of ["get_order", "get_user"]) await failedTool(ctx, { tool });
  expect(await handOffByRules(db())).toEqual({ handedOff: 1 });
  expect(await handOffByRules(db())).toEqual({ handedOff: 0 });
  await until(async () => (await openItems(ctx)).length === 1);
  const [item] = await openItems(ctx);
  expect(item).toMatchObject({ handoffRuleId: handoffRule.id, findingTitle: expect.stringContaining("get_order") });
  // Nobody has looked at it yet.
  expect((await getFinding(ctx, { findingId: item!.findingId })).finding.reviewStatus).toBe("unreviewed");

  const { handoffRule: raised } = await updateHandoffRule(ctx, { handoffRuleId: handoffRule.id, dailyLimit: 5 });
  expect(raised.usedToday).toBe(1);
  expect(await handOffByRules(db())).toEqual({ handedOff: 1 });
  await until(async () => (await openItems(ctx)).length === 2);
  expect(github.tickets()).toHaveLength(2);
  expect((await listWorkItems(other.ctx, {})).workItems).toEqual([]);
});
