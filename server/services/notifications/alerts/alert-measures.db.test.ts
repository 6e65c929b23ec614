import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { getCosts, monthOf } from "@/server/services/costs";
import { mergeFindingsByHand } from "@/server/services/diagnostics";
import { failedTool } from "@/server/services/diagnostics/work-items/testing";
import { createAlert, evaluateAlerts, getAlert, previewAlert } from "..";
import { CALL, DAY, HERE, NOW, sendCalls } from "./testing/send-calls";

const TODAY = Math.max(DAY, NOW - 5 * MINUTE_MS);
const calls = (ctx: Ctx, sent: Parameters<typeof sendCalls>[1]) => sendCalls(ctx, { at: TODAY, ...sent });

type Given = Omit<Parameters<typeof createAlert>[1], "name">;
const alertOn = async (ctx: Ctx, given: Given) => (await createAlert(ctx, { name: "Alert", ...given })).alert.id;
const found = async (ctx: Ctx, alertId: string) => (await getAlert(ctx, { alertId })).alert;
const evaluate = (...minutes: number[]) => evaluateFrom(NOW, ...minutes);
const evaluateFrom = async (from: number, ...minutes: number[]) => {
  for (const minute of minutes) await evaluateAlerts(db(), from + minute * MINUTE_MS);
};
const read = (ctx: Ctx, ids: readonly string[]) =>
  db().execute(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, status, result_count)
    select project_id, 'rr' || id, 'tool-failure', 1, id, last_activity_at, 'automatic', 'completed', 0
    from conversations where project_id = ${ctx.projectId} and id = any(${sql.param([...ids])}::text[])`);
async function unaffected(ctx: Ctx, count: number, at = HERE - MINUTE_MS) {
  const rows = await db().execute<{ id: string }>(sql`
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at)
    select ${ctx.projectId}, 'fine' || ${at}::bigint || n, 'fine' || ${at}::bigint || n, ${at}::bigint, ${at}::bigint, ${at}::bigint
    from generate_series(1, ${count}::int) n returning id`);
  await read(
    ctx,
    [...rows].map(({ id }) => id),
  );
}

test("a month's cost is that of the Costs page since its first day, by model or by label", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const month = monthOf(NOW);
  await calls(ctx, { count: 2, tags: ["web"] });
  await calls(ctx, { at: month.from, count: 3 });
  await calls(ctx, { at: month.from - 1, count: 7, tags: ["web"] });
  await calls(theirs.ctx, { count: 9, tags: ["web"] });
  const all = await alertOn(ctx, { measure: "monthly_cost", limit: CALL * 4.5 });
  const byLabel = await alertOn(ctx, { measure: "monthly_cost", limit: 1, label: "web" });
  const byModel = await alertOn(ctx, { measure: "monthly_cost", limit: 1, model: "gpt-4o" });
  await evaluate(0, 1);
  const { costs } = await getCosts(ctx, { from: month.from, to: month.to });
  const one = await found(ctx, all);
  expect(one).toMatchObject({ state: "firing", count: 5 });
  expect(one.value).toBeCloseTo(costs.total.cost!, 12);
  expect((await found(ctx, byLabel)).value).toBeCloseTo(CALL * 2, 12);
  expect(await found(ctx, byModel)).toMatchObject({ count: 5 });
  await evaluateAlerts(db(), month.to + MINUTE_MS);
  expect(await found(ctx, all)).toMatchObject({ value: 0, count: 0 });
  await expect(
    alertOn(ctx, { measure: "monthly_cost", limit: 1, label: "web", model: "gpt-4o" }),
  ).rejects.toMatchObject({ code: "unprocessable" });
});

test("a user's cost is the highest of the day, known to the minute in a test on the past, and nobody's if nobody is named", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await calls(theirs.ctx, { user: "eve", count: 9 });
  await calls(ctx, { count: 8 });
  const alertId = await alertOn(ctx, { measure: "daily_user_cost", limit: CALL * 2.5 });
  await evaluate(0);
  expect(await found(ctx, alertId)).toMatchObject({ state: "ok", value: 0, count: 0 });
  await calls(ctx, { user: "ada", count: 2 });
  await calls(ctx, { user: "bob", count: 1 });
  await calls(ctx, { user: "eve", count: 5, model: "nobody-knows" });
  await evaluate(1);
  const two = await found(ctx, alertId);
  expect(two).toMatchObject({ state: "ok", count: 2 });
  expect(two.value).toBeCloseTo(CALL * 2, 12);
  await calls(ctx, { user: "bob", count: 3 });
  await evaluate(2, 3);
  const four = await found(ctx, alertId);
  expect(four).toMatchObject({ state: "firing", count: 4 });
  expect(four.value).toBeCloseTo(CALL * 4, 12);

  const before = DAY - 3 * DAY_MS + 5 * HOUR_MS;
  await calls(ctx, { user: "ada", at: before - 2 * HOUR_MS, count: 2 });
  await calls(ctx, { user: "ada", at: before, count: 1 });
  await calls(ctx, { user: "bob", at: before, count: 1 });
  const { preview } = await previewAlert(ctx, { measure: "daily_user_cost", limit: CALL * 2.5 });
  expect(preview).toMatchObject({
    fired: 2,
    firings: [{}, { firedAt: before + 2 * MINUTE_MS, clearedAt: DAY - 2 * DAY_MS + 3 * MINUTE_MS }],
  });
  const other = await previewAlert(ctx, { measure: "daily_user_cost", limit: 1, model: "nobody-knows" });
  expect(other.preview.now).toMatchObject({ state: "no_data", value: null, count: 5 });
});

test("a Finding's share is of the conversations that its Rule has read, also after the Finding was merged into another", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const failed = await failedTool(ctx, { startedAt: HERE - 10 * MINUTE_MS });
  const { findingId } = failed;
  await unaffected(ctx, 19);
  // Left out: before the window, and not read.
  await unaffected(ctx, 5, HERE - 2 * DAY_MS);
  await db().execute(sql`
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at)
    values (${ctx.projectId}, 'unread', 'unread', ${HERE}::bigint, ${HERE}::bigint, ${HERE}::bigint)`);
  const share = { measure: "finding_share", findingId, limit: 0.05, windowMinutes: 60 } as const;
  const alertId = await alertOn(ctx, share);
  await evaluateFrom(HERE, 0, 1);
  expect(await found(ctx, alertId)).toMatchObject({ state: "firing", value: 0.05, count: 20 });
  expect((await previewAlert(ctx, share)).preview).toMatchObject({ fired: 1, now: { value: 0.05, count: 20 } });

  const into = await failedTool(ctx, { startedAt: HERE - 10 * MINUTE_MS, tool: "cancel_order" });
  expect(into.findingId).not.toBe(findingId);
  await mergeFindingsByHand(ctx, { findingId: into.findingId, findingIds: [findingId] });
  await evaluateFrom(HERE, 2);
  expect(await found(ctx, alertId)).toMatchObject({ count: 21, findingId });
  expect((await found(ctx, alertId)).value).toBeCloseTo(2 / 21, 12);

  await expect(alertOn(theirs.ctx, share)).rejects.toMatchObject({ code: "unprocessable" });
  await expect(alertOn(ctx, { ...share, condition: "change" })).rejects.toMatchObject({ code: "unprocessable" });
  await expect(alertOn(ctx, { measure: "error_rate", findingId, limit: 1 })).rejects.toMatchObject({
    code: "unprocessable",
  });
});

test("a test on the past of what is read call by call begins later in a project with very many calls", async () => {
  const { ctx } = await testProject();
  await calls(ctx, { user: "ada" });
  const input = { measure: "daily_user_cost", limit: 1 } as const;
  const { preview } = await previewAlert(ctx, input);
  expect(preview.to - preview.from).toBe(14 * DAY_MS);
  const here = Math.floor(preview.to / DAY_MS) * DAY_MS;
  await db().execute(sql`
    insert into daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage)
    select ${ctx.projectId}, day, 'gpt-4o', '', '', '', 100000, 100000, 0, '{}'
    from generate_series(${here - 9 * DAY_MS}::bigint, ${here - DAY_MS}::bigint, ${DAY_MS}::bigint) day`);
  expect((await previewAlert(ctx, input)).preview.from).toBe(here - 2 * DAY_MS);
});
