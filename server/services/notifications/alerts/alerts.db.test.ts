import { and, eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { alerts, auditLog, outgoingMail } from "@/db/schema";
import { asOwner } from "@/db/testing/as-owner";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { createConnection } from "@/server/services/connections";
import { startService } from "@/server/services/connections/testing";
import { getCosts } from "@/server/services/costs";
import { deleteConversation } from "@/server/services/deletion";
import { getHome } from "@/server/services/home";
import { foldDailyCosts, listConversations } from "@/server/services/telemetry";
import {
  createAlert,
  deleteAlert,
  deleteOldMinutes,
  evaluateAlerts,
  getAlert,
  listAlertFirings,
  listAlerts,
  listDeliveries,
  previewAlert,
  replayDelivery,
  sendDelivery,
  updateAlert,
} from "..";
import { pausedWebhook, storedWebhook } from "../testing";
import { readCalls } from "./readings/read-minutes";
import { CALL, DAY, HERE, NOW, sendCalls } from "./testing/send-calls";

/** In its own file because the environment is read only once. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";
process.env.SMTP_URL = "smtp://127.0.0.1:1";
process.env.MAIL_FROM = "Whetstone <whetstone@example.test>";
process.env.PUBLIC_URL = "https://whetstone.example.test";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ERRORS = { name: "Calls fail", measure: "error_rate" as const, limit: 0.05, minCount: 10 };
const idOf = async (creation: ReturnType<typeof createAlert>) => (await creation).alert.id;
const stateOf = async (ctx: Ctx, alertId: string) => (await getAlert(ctx, { alertId })).alert;
/** Evaluates at each of some minutes from now. */
async function evaluateAt(...minutes: number[]) {
  for (const minute of minutes) await evaluateAlerts(db(), NOW + minute * MINUTE_MS);
}
const firingsOf = async (ctx: Ctx, alertId: string) => (await listAlertFirings(ctx, { alertId })).firings;

test("an alert fires after two minutes, says so once to its webhook and to members, and once when it clears", async () => {
  const { ctx } = await testProject();
  const receiver = await startService((_request, response) => response.writeHead(204).end());
  stops.push(receiver.stop);
  const given = {
    kind: "webhook" as const,
    name: "Slack",
    settings: { format: "slack" as const },
    baseUrl: receiver.url,
  };
  const { connection } = await createConnection(ctx, { ...given, secret: `${receiver.url}/services/T1/B1/secret` });
  const alertId = await idOf(createAlert(ctx, { ...ERRORS, connectionIds: [connection.id], mailMembers: true }));
  await sendCalls(ctx, { count: 18 });
  await sendCalls(ctx, { count: 2, failed: true });

  await evaluateAt(0);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "ok", value: 0.1, count: 20, limitValue: 0.05 });
  await evaluateAt(1, 2, 3);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "firing" });
  expect(await firingsOf(ctx, alertId)).toMatchObject([{ value: 0.1, limitValue: 0.05, count: 20, clearedAt: null }]);
  expect((await getHome(ctx, {})).home.alerts).toMatchObject({ count: 1, newest: [{ id: alertId, value: 0.1 }] });

  // Calls that succeed bring the rate to 2 %.
  await sendCalls(ctx, { at: NOW + 3 * MINUTE_MS, count: 80 });
  await evaluateAt(4, 5);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "firing", value: 0.02 });
  await evaluateAt(6, 7);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "ok", value: 0.02 });
  expect(await firingsOf(ctx, alertId)).toMatchObject([{ clearedValue: 0.02, clearedAt: NOW + 6 * MINUTE_MS }]);
  expect((await getHome(ctx, {})).home.alerts).toEqual({ count: 0, newest: [] });

  const { deliveries } = await listDeliveries(ctx, {});
  expect(deliveries).toMatchObject([
    { noticeCount: 0, notices: [], alert: { alertId, name: "Calls fail", event: "cleared" } },
    { noticeCount: 0, notices: [], alert: { alertId, name: "Calls fail", event: "fired" } },
  ]);
  for (const { id } of deliveries.toReversed()) expect(await sendDelivery(ctx, id)).toEqual({ sent: true });
  const texts = receiver.received.map(({ body }) => JSON.parse(body).text);
  expect(texts[0]).toMatch(/^\*Firing:\* <.*\/alerts\?peek=.*\|Calls fail> · .*: 10% of 20 calls, fires at 5%/);
  expect(texts[1]).toMatch(/^\*Cleared:\* .* is back to 2% of 100 calls, the limit is 5%/);
  const mails = await db().select().from(outgoingMail).where(eq(outgoingMail.projectId, ctx.projectId));
  expect(mails.map(({ kind }) => kind)).toEqual(["alert", "alert"]);
  await replayDelivery(ctx, { deliveryId: deliveries[1]!.id });
  expect(await sendDelivery(ctx, deliveries[1]!.id)).toEqual({ sent: true });
  expect(JSON.parse(receiver.received[2]!.body).text).toBe(texts[0]);
});

test("an alert is evaluated once a minute, however many workers try, and not while it is off", async () => {
  const { ctx } = await testProject();
  const alertId = await idOf(createAlert(ctx, { ...ERRORS, minCount: 0 }));
  const off = await idOf(createAlert(ctx, { ...ERRORS, minCount: 0, enabled: false }));
  await sendCalls(ctx, { failed: true });
  await Promise.all([evaluateAt(0), evaluateAt(0), evaluateAt(0)]);
  await evaluateAt(0);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "ok" });
  await Promise.all([evaluateAt(1), evaluateAt(1)]);
  expect(await firingsOf(ctx, alertId)).toHaveLength(1);
  expect(await stateOf(ctx, off)).toMatchObject({ state: "no_data", evaluatedAt: null });
});

test("an evaluation that dies before its end leaves nothing behind, and the next one sends its message once", async () => {
  const { ctx } = await testProject();
  const alertId = await idOf(createAlert(ctx, { ...ERRORS, minCount: 0, connectionIds: [await storedWebhook(ctx)] }));
  await sendCalls(ctx, { failed: true });
  await evaluateAt(0);
  // The row of a message is the last but one thing that is written.
  await asOwner((owner) =>
    owner.execute(sql`alter table deliveries add constraint dies check (alert_event is null) not valid`),
  );
  await evaluateAt(1);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "ok", evaluatedAt: NOW });
  expect(await firingsOf(ctx, alertId)).toEqual([]);
  await asOwner((owner) => owner.execute(sql`alter table deliveries drop constraint dies`));
  await evaluateAt(2, 3);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "firing" });
  expect((await listDeliveries(ctx, {})).deliveries).toMatchObject([{ alert: { alertId, event: "fired" } }]);
});

test("a change of the limit starts an alert anew and ends its firing without a message; a new name does not", async () => {
  const { ctx } = await testProject();
  const alertId = await idOf(createAlert(ctx, { ...ERRORS, minCount: 0, connectionIds: [await storedWebhook(ctx)] }));
  await sendCalls(ctx, { failed: true });
  await evaluateAt(0, 1);
  await updateAlert(ctx, { alertId, name: "Errors" });
  expect(await stateOf(ctx, alertId)).toMatchObject({ name: "Errors", state: "firing" });
  await updateAlert(ctx, { alertId, limit: 0.9 });
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "no_data", evaluatedAt: null, value: null });
  expect(await firingsOf(ctx, alertId)).toMatchObject([{ clearedAt: expect.any(Number), clearedValue: null }]);
  expect((await listDeliveries(ctx, {})).deliveries).toHaveLength(1);
  await deleteAlert(ctx, { alertId });
  expect((await listDeliveries(ctx, {})).deliveries).toEqual([]);
  const [row] = await db().select().from(auditLog).where(eq(auditLog.action, "alerts.update"));
  expect(row).toMatchObject({ before: { name: "Calls fail" }, after: { name: "Errors" } });
});

test("what was measured is told apart by model and label, and another project's calls are not counted", async () => {
  const [{ ctx }, theirs] = [await testProject(), await testProject()];
  const all = await idOf(createAlert(ctx, ERRORS));
  const mini = await idOf(createAlert(ctx, { ...ERRORS, model: "gpt-4o-mini" }));
  const beta = await idOf(createAlert(ctx, { ...ERRORS, label: "beta" }));
  const other = await idOf(createAlert(theirs.ctx, ERRORS));
  await sendCalls(ctx, { count: 10, tags: ["web", "beta"] });
  await sendCalls(ctx, { count: 10, model: "gpt-4o-mini", failed: true, tags: ["web"] });
  await evaluateAt(0);
  expect(await stateOf(ctx, all)).toMatchObject({ value: 0.5, count: 20 });
  expect(await stateOf(ctx, mini)).toMatchObject({ value: 1, count: 10 });
  expect(await stateOf(ctx, beta)).toMatchObject({ value: 0, count: 10, state: "ok" });
  expect(await stateOf(theirs.ctx, other)).toMatchObject({ value: null, count: 0, state: "no_data" });
  await expect(getAlert(theirs.ctx, { alertId: all })).rejects.toThrow("alert");
  await expect(updateAlert(theirs.ctx, { alertId: all, limit: 1 })).rejects.toThrow("alert");
  expect((await listAlerts(theirs.ctx, {})).alerts.map(({ id }) => id)).toEqual([other]);
});

test("a day's cost is that of the Costs page, unknown without a price, and seen only by who may read costs", async () => {
  const { ctx, asKey } = await testProject();
  const at = Math.max(DAY, NOW - 5 * MINUTE_MS);
  const cost = await idOf(createAlert(ctx, { name: "Budget", measure: "daily_cost", limit: CALL * 2.5 }));
  const unpriced = { name: "Unpriced", measure: "daily_cost", model: "nobody-knows", limit: 1 } as const;
  const unknown = await idOf(createAlert(ctx, unpriced));
  await sendCalls(ctx, { at, count: 3 });
  await sendCalls(ctx, { at: DAY - HOUR_MS, count: 5 });
  await sendCalls(ctx, { at, model: "nobody-knows" });
  await evaluateAt(0, 1);
  const { costs } = await getCosts(ctx, { from: DAY, to: DAY + DAY_MS });
  const one = await stateOf(ctx, cost);
  expect(one).toMatchObject({ state: "firing", count: 4 });
  expect(one.value).toBeCloseTo(costs.total.cost!, 12);
  expect(await stateOf(ctx, unknown)).toMatchObject({ state: "no_data", value: null, count: 1 });

  const key = asKey("diagnostics:read", "diagnostics:write");
  expect((await listAlerts(key, {})).alerts).toEqual([]);
  expect((await getHome(key, {})).home.alerts.count).toBe(0);
  await expect(getAlert(key, { alertId: cost })).rejects.toMatchObject({ code: "not_found" });
  await expect(previewAlert(key, { measure: "daily_cost", limit: 1 })).rejects.toMatchObject({ code: "forbidden" });
  await expect(createAlert(key, unpriced)).rejects.toMatchObject({ code: "forbidden" });
});

test("telemetry that stops fires after so many minutes, and clears when it is back", async () => {
  const { ctx } = await testProject();
  const alertId = await idOf(createAlert(ctx, { name: "Silent", measure: "silence", limit: 10 }));
  await evaluateAt(0);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "no_data", value: null, count: null });
  await sendCalls(ctx, {});
  const arrived = (minutes: number) =>
    db().execute(
      sql`update ingest_receipts set created_at = ${NOW + minutes * MINUTE_MS}::bigint where project_id = ${ctx.projectId}`,
    );
  await arrived(0);
  await evaluateAt(9, 10);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "ok", value: 10 });
  await evaluateAt(11);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "firing", value: 11 });
  await arrived(11);
  await evaluateAt(12, 13, 14);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "ok", value: 3 });
});

test("a test on the past finds what the evaluation of those minutes would have", async () => {
  const { ctx } = await testProject();
  const at = NOW - 3 * DAY_MS;
  await sendCalls(ctx, { at, count: 20, failed: true, ms: 4000 });
  await sendCalls(ctx, { at: at + 2 * HOUR_MS, count: 20, ms: 100 });
  const { name: _, ...errors } = ERRORS;
  const { preview } = await previewAlert(ctx, errors);
  // In the second minute in which the window has the calls; cleared in the third with the others alone.
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  expect(preview).toMatchObject({
    fired: 1,
    highest: 1,
    now: { state: "no_data", value: null, count: 0 },
    firings: [{ firedAt: minute + 2 * MINUTE_MS, clearedAt: minute + 123 * MINUTE_MS, value: 1, limitValue: 0.05 }],
  });
  const alertId = await idOf(createAlert(ctx, ERRORS));
  for (let n = 0; n < 125; n++) await evaluateAlerts(db(), minute + n * MINUTE_MS + MINUTE_MS - 1);
  const [firing, ...others] = await firingsOf(ctx, alertId);
  expect(others).toEqual([]);
  expect(firing).toMatchObject({ firedAt: minute + 2 * MINUTE_MS - 1, clearedAt: minute + 123 * MINUTE_MS - 1 });
  const slow = await previewAlert(ctx, { measure: "latency_p95", limit: 1000, minCount: 10 });
  expect(slow.preview).toMatchObject({ fired: 1, firings: [{ limitValue: 1000 }] });
  expect(slow.preview.highest! / 4000).toBeCloseTo(1, 1);
  const change = await previewAlert(ctx, { ...errors, condition: "change", limit: 1 });
  expect(change.preview).toMatchObject({ fired: 0, decided: 0, now: { limitValue: null } });
});

test("a change is calibrated once a day, and its evaluation finds what its test on the past does", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`
    insert into minute_calls (project_id, minute, model, labels, calls, errors, unpriced_calls, cost, durations)
    select ${ctx.projectId}, minute, 'gpt-4o', '{}', 1000, case when minute >= ${NOW - HOUR_MS}::bigint then 300 else 20 end, 0, 1, '{}'
    from generate_series(${DAY - 40 * DAY_MS}::bigint, ${HERE}::bigint, ${10 * MINUTE_MS}::bigint) minute`);
  const change = { measure: "error_rate", condition: "change", limit: 1 } as const;
  const alertId = await idOf(createAlert(ctx, { ...change, name: "More errors" }));
  await evaluateAt(0);
  const found = await stateOf(ctx, alertId);
  expect(found).toMatchObject({ state: "ok", value: 0.3, count: 6000, factor: 1 });
  expect(found.limitValue).toBeCloseTo(0.04, 9);
  const stored = async () => (await db().select().from(alerts).where(eq(alerts.id, alertId)))[0]!;
  expect(await stored()).toMatchObject({ calibratedDay: DAY, factor: 1 });
  await db().update(alerts).set({ factor: 2 }).where(eq(alerts.id, alertId));
  await evaluateAt(1);
  expect(await stateOf(ctx, alertId)).toMatchObject({ state: "firing", factor: 2 });
  await evaluateAlerts(db(), NOW + DAY_MS);
  expect(await stored()).toMatchObject({ calibratedDay: DAY + DAY_MS, factor: 1 });
  expect((await previewAlert(ctx, change)).preview).toMatchObject({ factor: 1, now: { value: 0.3 } });
  await updateAlert(ctx, { alertId, limit: 2 });
  expect(await stored()).toMatchObject({ calibratedDay: null, factor: null });
});

test("calls by minute add up to the calls, folded or not, also after a deletion, and are dropped after weeks", async () => {
  const { ctx } = await testProject();
  await sendCalls(ctx, { count: 3, failed: true, ms: 500, tags: ["secret-label"] });
  await sendCalls(ctx, { count: 2 });
  await sendCalls(ctx, { at: NOW - 61 * DAY_MS });
  const read = () =>
    readCalls(ctx, { measure: "latency_p95", model: null, label: null }, [{ from: 0, to: NOW + HOUR_MS }]);
  const minute = Math.floor((NOW - 5 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
  const expected = { minute, calls: 5, errors: 3, unpriced: 0, durations: { 25: 2, 66: 3 } };
  expect(await read()).toMatchObject([expected]);
  while ((await foldDailyCosts(db())) > 0);
  expect(await read()).toMatchObject([expected]);
  const { conversations } = await listConversations(ctx, { label: ["secret-label"] });
  for (const { id } of conversations) await deleteConversation(ctx, { conversationId: id });
  while ((await foldDailyCosts(db())) > 0);
  expect(await read()).toMatchObject([{ ...expected, calls: 2, errors: 0, durations: { 25: 2 } }]);
  expect(await deleteOldMinutes(ctx, NOW + 59 * DAY_MS)).toBe(0);
  expect(await deleteOldMinutes(ctx, NOW + 61 * DAY_MS)).toBe(1);
});

test("what makes no sense is refused, and a paused webhook gets its message when it is resumed", async () => {
  const { ctx } = await testProject();
  const silence = { name: "Silent", measure: "silence", limit: 10 } as const;
  for (const changes of [{ condition: "change" }, { model: "gpt-4o" }, { label: "web" }] as const)
    await expect(createAlert(ctx, { ...silence, ...changes })).rejects.toMatchObject({ code: "unprocessable" });
  await expect(createAlert(ctx, { ...silence, connectionIds: ["conn_1"] })).rejects.toMatchObject({
    code: "unprocessable",
  });
  const alertId = await idOf(createAlert(ctx, { ...ERRORS, minCount: 0, connectionIds: [await pausedWebhook(ctx)] }));
  await expect(updateAlert(ctx, { alertId, measure: "silence", label: "web" })).rejects.toMatchObject({
    code: "unprocessable",
  });
  await sendCalls(ctx, { failed: true });
  await evaluateAt(0, 1);
  expect((await listDeliveries(ctx, {})).deliveries).toMatchObject([
    { state: "failed", error: "The webhook is paused." },
  ]);
  const [row] = await db()
    .select({ streak: alerts.streak })
    .from(alerts)
    .where(and(eq(alerts.projectId, ctx.projectId), eq(alerts.id, alertId)));
  expect(row).toEqual({ streak: 0 });
});
