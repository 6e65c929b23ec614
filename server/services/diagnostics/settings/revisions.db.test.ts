import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { ruleRuns, ruleSettings } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createRuleRuns, executeRuleRuns, failRuleRuns, getRuleRun, listFindings, listRules, updateRule } from "..";
import { RULES } from "../rules";
import { failingToolCall, storedConversation } from "../testing";

const RULE = "tool-failure";

/** Stores a conversation with a failing tool and returns functions that request the same Runs each time. */
async function question(ctx: Ctx) {
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: order not found"));
  const askAll = async () => (await createRuleRuns(ctx, { conversationId: id, lastActivityAt })).runs;
  const ask = async () => (await askAll()).find(({ ruleId }) => ruleId === RULE)!;
  return { id, lastActivityAt, ask, askAll };
}
const execute = (ctx: Ctx, ...runs: { id: string }[]) =>
  executeRuleRuns(
    ctx,
    runs.map(({ id }) => id),
  );
const statusOf = async (ctx: Ctx, { id }: { id: string }) => (await getRuleRun(ctx, { runId: id })).run.status;
const revision = async (ctx: Ctx) =>
  (await listRules(ctx, {})).rules.find(({ id }) => id === RULE)!.configurationRevision;

test("a changed configuration queues a new Run, and an unchanged one returns the existing Run", async () => {
  const { ctx } = await testProject();
  const { ask, askAll } = await question(ctx);
  const first = await ask();
  expect(first).toMatchObject({ configurationRevision: 1, status: "queued" });
  await execute(ctx, first);
  expect(await ask()).toMatchObject({ id: first.id, status: "completed" });

  await updateRule(ctx, { ruleId: RULE, configuration: { keywords: ["order"] } });
  const second = await ask();
  expect(second).toMatchObject({ configurationRevision: 2, status: "queued" });
  expect(second.id).not.toBe(first.id);
  // The other Rules are unchanged.
  expect((await askAll()).map((run) => run.configurationRevision)).toEqual(
    RULES.map(({ id }) => (id === RULE ? 2 : 1)),
  );
  await execute(ctx, second);
  expect(await ask()).toMatchObject({ id: second.id, status: "completed" });
  expect((await listFindings(ctx, { ruleId: RULE })).findings.map(({ signal }) => signal)).toContain("keyword");
});

test("turning a Rule off and on allows a new Run; a PATCH that changes nothing does not", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  const { ask } = await question(ctx);
  const first = await ask();
  await execute(ctx, first);

  await updateRule(ctx, { ruleId: RULE, enabled: true });
  await updateRule(ctx, { ruleId: RULE, configuration: { minSignalScore: 0.3, keywords: [] } });
  await updateRule(ctx, { ruleId: RULE, configuration: { signalOverrides: { tool_error: {} } } });
  expect(await revision(ctx)).toBe(1);
  expect((await ask()).id).toBe(first.id);

  await updateRule(ctx, { ruleId: RULE, enabled: false });
  const { rule } = await updateRule(ctx, { ruleId: RULE, enabled: true });
  expect(rule.configurationRevision).toBe(3);
  expect(await ask()).toMatchObject({ configurationRevision: 3, status: "queued" });
  expect(await revision(other.ctx)).toBe(1);
  const rows = await ctx.db.select().from(ruleSettings).where(eq(ruleSettings.projectId, ctx.projectId));
  expect(rows.map((row) => [row.revision, row.enabled]).sort()).toEqual([
    [2, false],
    [3, true],
  ]);
});

test("after a skipped or failed Run, another request queues a new one", async () => {
  const { ctx } = await testProject();
  const { ask } = await question(ctx);
  const skipped = await ask();
  await updateRule(ctx, { ruleId: RULE, enabled: false });
  await execute(ctx, skipped);
  expect(await statusOf(ctx, skipped)).toBe("skipped");
  // The configuration is as before: a new Run is queued only because the first was skipped.
  await ctx.db.delete(ruleSettings).where(eq(ruleSettings.projectId, ctx.projectId));

  const failed = await ask();
  expect(failed).toMatchObject({ status: "queued", configurationRevision: skipped.configurationRevision });
  expect(failed.id).not.toBe(skipped.id);
  await failRuleRuns(ctx, [failed.id], "The database was away.");
  const last = await ask();
  expect([skipped.id, failed.id]).not.toContain(last.id);
  expect((await ask()).id).toBe(last.id);

  // The failed job's replay finds a newer Run for the same snapshot.
  expect(await execute(ctx, failed)).toEqual({ completed: 0 });
  expect(await execute(ctx, last)).toEqual({ completed: 1 });
  expect(await execute(ctx, failed, skipped)).toEqual({ completed: 0 });
  expect(await Promise.all([skipped, failed, last].map((run) => statusOf(ctx, run)))).toEqual([
    "skipped",
    "failed",
    "completed",
  ]);
});

test("a replay of failed Runs for the same snapshot executes only the newest", async () => {
  const { ctx } = await testProject();
  const { ask } = await question(ctx);
  const runs = [];
  for (let n = 0; n < 3; n++) {
    const run = await ask();
    await failRuleRuns(ctx, [run.id], "The database was away.");
    runs.push(run);
  }
  expect(await execute(ctx, ...runs)).toEqual({ completed: 1 });
  expect(await Promise.all(runs.map((run) => statusOf(ctx, run)))).toEqual(["failed", "failed", "completed"]);
});

test("concurrent requests for the same snapshot queue one Run per Rule", async () => {
  const { ctx } = await testProject();
  const { ask, askAll } = await question(ctx);
  const many = () => Promise.all(Array.from({ length: 8 }, askAll));
  const idsOf = (answers: Awaited<ReturnType<typeof many>>) => new Set(answers.flat().map(({ id }) => id));
  const first = idsOf(await many());
  expect(first.size).toBe(RULES.length);
  await failRuleRuns(ctx, [...first], "The database was away.");
  const second = idsOf(await many());
  expect(second.size).toBe(RULES.length);
  expect([...second].filter((id) => first.has(id))).toEqual([]);

  await Promise.all([
    many(),
    updateRule(ctx, { ruleId: RULE, configuration: { keywords: ["order"] } }),
    updateRule(ctx, { ruleId: RULE, configuration: { minSignalScore: 0.5 } }),
    many(),
  ]);
  expect(await revision(ctx)).toBe(3);
  expect((await ask()).configurationRevision).toBe(3);
});

test("a database constraint allows one pending or completed Run per Rule, settings, snapshot and state of its data", async () => {
  const { ctx } = await testProject();
  const { ask } = await question(ctx);
  const { id } = await ask();
  const copy = (status: string, of: { revision?: number; at?: number; traces?: string; evidence?: number } = {}) =>
    ctx.db.execute(sql`
      insert into rule_runs (project_id, id, rule_id, rule_version, configuration_revision, conversation_id, last_activity_at,
                             traces_key, evidence_at, origin, status, error_message)
      select project_id, ${crypto.randomUUID()}, rule_id, rule_version, ${of.revision ?? 1}::int, conversation_id,
             last_activity_at + ${of.at ?? 0}::int, ${of.traces ?? ""},
             evidence_at + ${of.evidence ?? 0}::int, origin, ${status}, 'none'
      from rule_runs where project_id = ${ctx.projectId} and id = ${id}`);
  for (const status of ["queued", "running", "completed"]) {
    await expect(copy(status)).rejects.toMatchObject({ cause: { constraint_name: "rule_runs_once" } });
  }
  await copy("failed");
  await copy("queued", { revision: 2 });
  await copy("queued", { at: 1 });
  await copy("queued", { traces: "some" });
  await copy("queued", { evidence: 1 });
});

test("a Run uses the settings of its revision and does not replace results of newer ones", async () => {
  const { ctx } = await testProject();
  const { ask } = await question(ctx);
  const signals = async () => (await listFindings(ctx, { ruleId: RULE })).findings.map(({ signal }) => signal);
  const old = await ask();
  await updateRule(ctx, {
    ruleId: RULE,
    configuration: { keywords: ["order"], signalOverrides: { tool_error: { enabled: false } } },
  });
  const fresh = await ask();
  await execute(ctx, fresh);
  expect(await signals()).toEqual(["keyword"]);
  await execute(ctx, old);
  expect((await getRuleRun(ctx, { runId: old.id })).run).toMatchObject({
    status: "completed",
    resultCount: 1,
    notes: [expect.stringContaining("newer settings")],
  });
  expect(await signals()).toEqual(["keyword"]);

  const [row] = await ctx.db.select().from(ruleRuns).where(eq(ruleRuns.id, fresh.id));
  expect(row).toMatchObject({ configurationRevision: 2, resultCount: 1 });
});
