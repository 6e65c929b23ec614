import { eq, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";
import { type Received, startService } from "@/server/services/connections/testing";
import { createRuleRuns, executeRuleRuns, listFindings, updateFinding } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import {
  createNotificationRule,
  deleteNotificationRule,
  failDelivery,
  getDelivery,
  getNotificationRule,
  listDeliveries,
  listNotificationRules,
  listPausedWebhooks,
  queueNotices,
  replayDelivery,
  resumeWebhook,
  sendDelivery,
  updateNotificationRule,
} from ".";

/** In its own file because the environment is read only once. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const SECRET = `whsec_${Buffer.from("a signing key of thirty-two bytes").toString("base64")}`;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function receiver(status = 204) {
  const service = await startService((_request, response) => response.writeHead(status).end());
  stops.push(service.stop);
  return service;
}

async function webhookOf(ctx: Ctx, baseUrl: string, format: "signed" | "slack" = "signed") {
  const secret = format === "signed" ? SECRET : `${baseUrl}/services/T1/B1/secret-part`;
  return (await createConnection(ctx, { kind: "webhook", name: "Alerts", baseUrl, secret, settings: { format } }))
    .connection;
}

type Options = { startedAt?: number; origin?: "on_demand" | "backfill" };
/** Stores a diagnosed conversation in which `tool` fails. */
async function failure(ctx: Ctx, tool: string, { startedAt, origin = "on_demand" }: Options = {}) {
  const said = failingToolCall(tool, `Error: ${tool} has no such record`);
  const { id, lastActivityAt } = await storedConversation(ctx, said, startedAt === undefined ? {} : { startedAt });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  if (origin === "backfill")
    await db().execute(
      sql`update rule_runs set origin = 'backfill' where project_id = ${ctx.projectId} and conversation_id = ${id}`,
    );
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
}
const findingOf = async (ctx: Ctx, tool: string) =>
  (await listFindings(ctx, {})).findings.find(({ signal, title }) => signal === "tool_error" && title.includes(tool))!;

/** Sends everything that is queued, as the background function does. */
async function sendAll(ctx: Ctx) {
  const { deliveries } = await listDeliveries(ctx, { state: "queued", limit: 500 });
  for (const { id } of deliveries.reverse()) await sendDelivery(ctx, id).catch(() => {});
}
const ONLY_TOOL_ERRORS = { ruleIds: ["tool-failure"], minSeverity: "high" as const };
const typesOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).type);

test("a new Finding is announced once, signed, however many conversations follow", async () => {
  const { ctx } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url);
  await createNotificationRule(ctx, { name: "All", connectionId, ...ONLY_TOOL_ERRORS });
  for (let n = 0; n < 3; n++) {
    await failure(ctx, "get_order");
    await queueNotices(db());
    await sendAll(ctx);
  }
  expect(received).toHaveLength(1);
  const { headers, body } = received[0]!;
  const verified = new Webhook(SECRET).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({
    type: "finding.new",
    data: { projectId: ctx.projectId, finding: { title: expect.stringContaining("get_order"), severity: "high" } },
  });
  const { deliveries } = await listDeliveries(ctx, {});
  expect(deliveries).toMatchObject([{ state: "delivered", attempts: 1, noticeCount: 1, notices: [{ kind: "new" }] }]);
  const used = await db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId));
  expect(used.filter(({ action }) => action === "connections.use")).toHaveLength(1);
});

test("a regression is announced, and a dismissed Finding is not", async () => {
  const { ctx } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url);
  await createNotificationRule(ctx, { name: "Regressions", connectionId, kinds: ["regressed"], ...ONLY_TOOL_ERRORS });
  await failure(ctx, "get_order");
  await failure(ctx, "get_user");
  await updateFinding(ctx, { findingId: (await findingOf(ctx, "get_user")).id, reviewStatus: "dismissed" });
  await updateFinding(ctx, { findingId: (await findingOf(ctx, "get_order")).id, resolutionStatus: "resolved" });
  // Started before the resolution: not a regression.
  await failure(ctx, "get_order", { startedAt: Date.now() - 3_600_000 });
  await queueNotices(db());
  await sendAll(ctx);
  expect(received).toEqual([]);
  await failure(ctx, "get_order", { startedAt: Date.now() + 60_000 });
  await failure(ctx, "get_user", { startedAt: Date.now() + 60_000 });
  await queueNotices(db());
  await sendAll(ctx);
  expect(typesOf(received)).toEqual(["finding.regressed"]);
});

test("Findings of a backfill and from before the rule are not announced", async () => {
  const { ctx } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url);
  await failure(ctx, "before");
  await createNotificationRule(ctx, { name: "All", connectionId });
  await failure(ctx, "found_later", { origin: "backfill" });
  expect(await queueNotices(db())).toEqual({ deliveries: 0 });
  await sendAll(ctx);
  expect(received).toEqual([]);
});

test("severity, Rule and number of conversations decide whether a Finding is announced", async () => {
  const { ctx } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url);
  await createNotificationRule(ctx, { name: "Many", connectionId, ...ONLY_TOOL_ERRORS, minConversations: 2 });
  await createNotificationRule(ctx, { name: "Loops", connectionId, ruleIds: ["agent-loop"] });
  await createNotificationRule(ctx, { name: "Off", connectionId, enabled: false });
  const pass = async () => {
    await queueNotices(db());
    await sendAll(ctx);
    return received.length;
  };
  await failure(ctx, "get_order");
  expect(await pass()).toBe(0);
  await failure(ctx, "get_order");
  expect(await pass()).toBe(1);
  expect(await pass()).toBe(1);
});

test("many Findings become one digest, and the next ones wait for another", async () => {
  const { ctx } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url, "slack");
  await createNotificationRule(ctx, { name: "All", connectionId, ...ONLY_TOOL_ERRORS });
  for (let n = 0; n < 6; n++) await failure(ctx, `tool_${"abcdef"[n]}`);
  expect(await queueNotices(db())).toEqual({ deliveries: 1 });
  await sendAll(ctx);
  expect(received).toHaveLength(1);
  expect(received[0]!.path).toBe("/services/T1/B1/secret-part");
  expect(JSON.parse(received[0]!.body).text).toContain("*6 Finding updates");
  for (let n = 0; n < 6; n++) await failure(ctx, `other_${"abcdef"[n]}`);
  expect(await queueNotices(db())).toEqual({ deliveries: 0 });
  await db().execute(
    sql`update deliveries set created_at = created_at - 16 * 60000 where project_id = ${ctx.projectId}`,
  );
  expect(await queueNotices(db())).toEqual({ deliveries: 1 });
});

test("a failed delivery keeps its reason and can be replayed under the same id, and a queued one cannot", async () => {
  const { ctx } = await testProject();
  const service = await receiver(500);
  const { id: connectionId } = await webhookOf(ctx, service.url);
  await createNotificationRule(ctx, { name: "All", connectionId, ...ONLY_TOOL_ERRORS });
  await failure(ctx, "get_order");
  await queueNotices(db());
  const [queued] = (await listDeliveries(ctx, {})).deliveries;
  await expect(replayDelivery(ctx, { deliveryId: queued!.id })).rejects.toMatchObject({ code: "conflict" });
  await expect(sendDelivery(ctx, queued!.id)).rejects.toThrow();
  await failDelivery(ctx, queued!.id, "SQLSTATE");
  const [failed] = (await listDeliveries(ctx, { state: "failed" })).deliveries;
  expect(failed).toMatchObject({ attempts: 1, error: expect.stringContaining("500") });

  service.reply = (_request, response) => response.writeHead(200).end();
  expect((await replayDelivery(ctx, { deliveryId: queued!.id })).delivery).toMatchObject({
    state: "queued",
    error: null,
  });
  await sendAll(ctx);
  const ids = service.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([`msg_${queued!.id}`, `msg_${queued!.id}`]);
  expect((await listDeliveries(ctx, {})).deliveries).toMatchObject([{ state: "delivered", attempts: 2, error: null }]);
});

test("messages of a connection are numbered, and a replay keeps its number", async () => {
  const { ctx } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url);
  await createNotificationRule(ctx, { name: "All", connectionId, ...ONLY_TOOL_ERRORS });
  for (const tool of ["get_order", "find_user"]) {
    await failure(ctx, tool);
    await queueNotices(db());
    await sendAll(ctx);
  }
  const [, first] = (await listDeliveries(ctx, {})).deliveries;
  await replayDelivery(ctx, { deliveryId: first!.id });
  await sendAll(ctx);
  expect(received.map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 2, 1]);
});

test("a webhook that accepts nothing for a day is paused, and gets what it missed when it is resumed", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const service = await receiver(503);
  const { id: connectionId } = await webhookOf(ctx, service.url);
  await createNotificationRule(ctx, { name: "All", connectionId, ...ONLY_TOOL_ERRORS });
  /** Announces a Finding of this tool, which the receiver does not accept. */
  const missed = async (tool: string) => {
    await failure(ctx, tool);
    await queueNotices(db());
    const { deliveries } = await listDeliveries(ctx, { state: "queued" });
    await sendAll(ctx);
    for (const { id } of deliveries) await failDelivery(ctx, id, "No retries are left.");
  };
  await missed("get_order");
  await expect(resumeWebhook(ctx, { connectionId })).rejects.toMatchObject({ code: "conflict" });
  await db().execute(sql`update deliveries set created_at = created_at - 86400000 where project_id = ${ctx.projectId}`);
  expect((await listPausedWebhooks(ctx, {})).pausedWebhooks).toEqual([]);
  await missed("find_user");
  await failure(ctx, "book_room");
  expect(await queueNotices(db())).toEqual({ deliveries: 0 });
  expect((await listPausedWebhooks(ctx, {})).pausedWebhooks).toMatchObject([
    { connectionId, connectionName: "Alerts", failed: 2, waiting: 1 },
  ]);

  expect((await listPausedWebhooks(other, {})).pausedWebhooks).toEqual([]);
  await expect(resumeWebhook(other, { connectionId })).rejects.toMatchObject({ code: "not_found" });

  service.reply = (_request, response) => response.writeHead(200).end();
  service.received.length = 0;
  expect((await resumeWebhook(ctx, { connectionId })).resumed).toEqual({ connectionId, queued: 2 });
  expect(await queueNotices(db())).toEqual({ deliveries: 1 });
  await sendAll(ctx);
  expect(service.received.map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 2, 3]);
  expect((await listPausedWebhooks(ctx, {})).pausedWebhooks).toEqual([]);
});

test("a rule needs a signing webhook of its own project, and another project finds neither rule nor delivery", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const { url, received } = await receiver();
  const webhook = await webhookOf(ctx, url);
  const gitHub = (await createConnection(ctx, { kind: "github", name: "GitHub", secret: "x" })).connection;
  const unsigned = (await createConnection(ctx, { kind: "webhook", name: "Open", baseUrl: url })).connection;
  const create = (on: Ctx, connectionId: string) => createNotificationRule(on, { name: "All", connectionId });
  for (const [on, id] of [
    [ctx, gitHub.id],
    [ctx, unsigned.id],
    [other, webhook.id],
  ] as const)
    await expect(create(on, id)).rejects.toMatchObject({ code: "unprocessable", errors: [{ path: "/connectionId" }] });

  const { notificationRule } = await create(ctx, webhook.id);
  const notificationRuleId = notificationRule.id;
  await expect(getNotificationRule(other, { notificationRuleId })).rejects.toMatchObject({ code: "not_found" });
  await expect(updateNotificationRule(other, { notificationRuleId, enabled: false })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await listNotificationRules(other, {})).notificationRules).toEqual([]);
  await failure(other, "get_order");
  await queueNotices(db());
  expect((await listDeliveries(other, {})).deliveries).toEqual([]);
  expect(received).toEqual([]);
});

test("a deleted rule announces nothing more, and its past deliveries stay in its project's log", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const { url, received } = await receiver();
  const { id: connectionId } = await webhookOf(ctx, url);
  const { notificationRule } = await createNotificationRule(ctx, { name: "All", connectionId, ...ONLY_TOOL_ERRORS });
  await failure(ctx, "get_order");
  await queueNotices(db());
  await sendAll(ctx);
  await deleteNotificationRule(ctx, { notificationRuleId: notificationRule.id });
  await failure(ctx, "get_user");
  await queueNotices(db());
  expect(received).toHaveLength(1);
  const [{ id: deliveryId } = { id: "" }] = (await listDeliveries(ctx, {})).deliveries;
  expect((await getDelivery(ctx, { deliveryId })).delivery).toMatchObject({
    state: "delivered",
    connectionName: "Alerts",
  });
  await expect(getDelivery(other, { deliveryId })).rejects.toMatchObject({ code: "not_found" });
});
