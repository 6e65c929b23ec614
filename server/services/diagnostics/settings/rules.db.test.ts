import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { createConnection, updateConnection } from "@/server/services/connections";
import {
  createRuleRuns,
  diagnosticsStatus,
  executeRuleRuns,
  getDiagnosticSettings,
  listFindings,
  listRuleRuns,
  listRules,
  scheduleInactiveConversations,
  updateDiagnosticSettings,
  updateFinding,
  updateRule,
} from "..";
import { RULES } from "../rules";
import { failingToolCall, storedConversation } from "../testing";

async function diagnose(ctx: Ctx) {
  const { id, lastActivityAt } = await storedConversation(
    ctx,
    failingToolCall("get_order", "Error: order 4821 not found"),
  );
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  return runs;
}
const toolFailure = async (ctx: Ctx) => (await listRules(ctx, {})).rules.find((rule) => rule.id === "tool-failure")!;
const signals = async (ctx: Ctx) =>
  (await listFindings(ctx, { ruleId: "tool-failure" })).findings.map((finding) => finding.signal);

test("every Rule describes its Signals, with a sample size for each measured precision", async () => {
  const { ctx } = await testProject();
  const { rules } = await listRules(ctx, {});
  expect(rules.map((rule) => rule.id)).toEqual(RULES.map(({ id }) => id));
  for (const signal of rules.flatMap((rule) => rule.signals)) {
    expect(signal.looksFor.length).toBeGreaterThan(10);
    if (signal.precision !== null) expect(signal.measuredOn).toBeGreaterThan(0);
  }
});

test("a Signal that needs an adjudicator is enabled once one is connected and the Rule uses it", async () => {
  const { ctx } = await testProject();
  const claim = async () => {
    const rule = (await listRules(ctx, {})).rules.find(({ id }) => id === "ungrounded-answer")!;
    const { enabled, needs } = rule.signals.find(({ name }) => name === "unsupported_claim")!;
    return { enabled, needs };
  };
  const set = (configuration: Parameters<typeof updateRule>[1]["configuration"]) =>
    updateRule(ctx, { ruleId: "ungrounded-answer", configuration });
  expect(await claim()).toEqual({ enabled: false, needs: "adjudicator" });
  const given = { kind: "model" as const, name: "Judge", baseUrl: "https://models.example.com/v1" };
  const { connection } = await createConnection(ctx, { ...given, settings: { defaultModel: null } });
  expect(await claim()).toEqual({ enabled: false, needs: "adjudicator" });
  await updateConnection(ctx, { connectionId: connection.id, settings: { defaultModel: "judge-1" } });
  expect(await claim()).toEqual({ enabled: false, needs: "mode" });
  await set({ adjudicationMode: "auto" });
  expect(await claim()).toEqual({ enabled: true, needs: null });
  await set({ signalOverrides: { unsupported_claim: { enabled: false } } });
  expect(await claim()).toEqual({ enabled: false, needs: null });
  const others = (await listRules(ctx, {})).rules.flatMap(({ signals: all }) => all);
  expect(others.every(({ needs }) => needs === null)).toBe(true);
});

test("a Rule that is off queues no Runs, in this project only", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  await updateRule(ctx, { ruleId: "tool-failure", enabled: false });
  expect((await diagnose(ctx)).map((run) => run.ruleId)).toEqual(
    RULES.map(({ id }) => id).filter((id) => id !== "tool-failure"),
  );
  expect(await diagnose(other.ctx)).toHaveLength(RULES.length);
  expect((await toolFailure(other.ctx)).enabled).toBe(true);
});

test("a Rule turned off after its Run was queued reports no Findings", async () => {
  const { ctx } = await testProject();
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: not found"));
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await updateRule(ctx, { ruleId: "tool-failure", enabled: false });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  expect(await signals(ctx)).toEqual([]);
});

test("an override turns off a Signal or changes its severity", async () => {
  const { ctx } = await testProject();
  await updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { signalOverrides: { tool_error: { enabled: false } } },
  });
  await diagnose(ctx);
  expect(await signals(ctx)).not.toContain("tool_error");

  await updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { signalOverrides: { tool_error: { enabled: null, severity: "critical" } } },
  });
  expect((await toolFailure(ctx)).signals.find((signal) => signal.name === "tool_error")).toMatchObject({
    severity: "critical",
    enabled: true,
  });
  await diagnose(ctx);
  expect((await listFindings(ctx, { severity: "critical" })).findings.map((finding) => finding.signal)).toEqual([
    "tool_error",
  ]);
});

test("a PATCH merges into the configuration, and null resets a field", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  const patch = async (configuration: NonNullable<Parameters<typeof updateRule>[1]["configuration"]>) =>
    (await updateRule(ctx, { ruleId: "tool-failure", configuration })).rule.configuration;

  await patch({ keywords: ["refund"], minSignalScore: 0.7, signalOverrides: { tool_error: { severity: "low" } } });
  expect(await patch({ minDiagnosticConfidence: 0.9 })).toEqual({
    keywords: ["refund"],
    minSignalScore: 0.7,
    minDiagnosticConfidence: 0.9,
    adjudicationMode: "deterministic-only",
    adjudicationModel: null,
    sampleRate: 1,
    signalOverrides: { tool_error: { severity: "low" } },
  });
  expect(
    await patch({ signalOverrides: { tool_error: { enabled: false }, tool_timeout: { severity: "high" } } }),
  ).toMatchObject({
    keywords: ["refund"],
    signalOverrides: { tool_error: { severity: "low", enabled: false }, tool_timeout: { severity: "high" } },
  });
  const cleared = await patch({ minSignalScore: null, signalOverrides: { tool_error: { severity: null } } });
  expect(cleared).toMatchObject({ keywords: ["refund"], minSignalScore: 0.3 });
  expect(cleared.signalOverrides).toEqual({ tool_error: { enabled: false }, tool_timeout: { severity: "high" } });
  expect((await patch({ signalOverrides: { tool_error: null } })).signalOverrides).toEqual({
    tool_timeout: { severity: "high" },
  });
  expect(await patch({ keywords: null, signalOverrides: null })).toMatchObject({ keywords: [], signalOverrides: {} });

  expect((await toolFailure(other.ctx)).configuration).toMatchObject({ keywords: [], minDiagnosticConfidence: 0.5 });
});

test("concurrent PATCHes of one Rule all take effect", async () => {
  const { ctx } = await testProject();
  const words = Array.from({ length: 8 }, (_, n) => `word-${n}`);
  await Promise.all([
    updateRule(ctx, { ruleId: "tool-failure", configuration: { keywords: words } }),
    updateRule(ctx, { ruleId: "tool-failure", enabled: false }),
    updateRule(ctx, { ruleId: "tool-failure", configuration: { minSignalScore: 0.9 } }),
    updateRule(ctx, { ruleId: "tool-failure", configuration: { adjudicationMode: "auto" } }),
  ]);
  expect(await toolFailure(ctx)).toMatchObject({
    enabled: false,
    configuration: { keywords: words, minSignalScore: 0.9, adjudicationMode: "auto" },
  });
});

test("keywords are a Signal of every Rule that can be overridden like any other", async () => {
  const { ctx } = await testProject();
  const keyword = async () => (await toolFailure(ctx)).signals.find(({ name }) => name === "keyword");
  for (const rule of (await listRules(ctx, {})).rules) {
    expect(rule.signals.map(({ name }) => name).at(-1)).toBe("keyword");
  }
  expect(await keyword()).toMatchObject({ severity: "medium", enabled: true, precision: null, recall: null });
  await updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { signalOverrides: { keyword: { enabled: false, severity: "high" } } },
  });
  expect(await keyword()).toMatchObject({ severity: "high", enabled: false });
});

test("a configuration is validated as a whole, and an unknown Signal is rejected by name", async () => {
  const { ctx } = await testProject();
  const refused = updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { minSignalScore: 2, signalOverrides: { no_such_signal: { enabled: true } } },
  });
  await expect(refused).rejects.toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ path: ["configuration", "minSignalScore"] })]),
  });
  await expect(
    updateRule(ctx, {
      ruleId: "tool-failure",
      configuration: { signalOverrides: { no_such_signal: { enabled: true } } },
    }),
  ).rejects.toThrow(/no_such_signal/);
  await expect(
    updateRule(ctx, { ruleId: "tool-failure", configuration: { no: 1, such: 2 } as object }),
  ).rejects.toMatchObject({ issues: [{ path: ["configuration"], keys: ["no", "such"] }] });
  await expect(updateRule(ctx, { ruleId: "no-such-rule", enabled: true })).rejects.toMatchObject({ code: "not_found" });
  await expect(updateRule(ctx, { ruleId: "tool-failure" })).rejects.toThrow(/either/);
});

test("the status explains an empty list of Findings", async () => {
  const { ctx } = await testProject();
  expect((await diagnosticsStatus(ctx, {})).status).toEqual({
    automaticSchedulingEnabled: true,
    inactiveAfterSeconds: 15,
    conversations: 0,
    conversationsRead: 0,
    runsWaiting: 0,
    lastRunFinishedAt: null,
  });
  await diagnose(ctx);
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: not found"));
  await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  expect((await diagnosticsStatus(ctx, {})).status).toMatchObject({
    conversations: 2,
    conversationsRead: 1,
    runsWaiting: RULES.length,
    lastRunFinishedAt: expect.any(Number),
  });
});

test("the status reads each Run a few times at most, even before they have been analysed", async () => {
  const { ctx } = await testProject();
  const { id } = await storedConversation(ctx, failingToolCall("get_order", "Error: not found"));
  const nth = sql`${id} || n`;
  await ctx.db.execute(sql`
    insert into conversations select (jsonb_populate_record(c, jsonb_build_object('id', ${nth}, 'key', ${nth}))).*
    from conversations c, generate_series(1, 1500) n where c.id = ${id}`);
  await ctx.db.execute(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, status, created_at)
    select ${ctx.projectId}, 'run_' || rule || '_' || n, 'rule-' || rule, 1, ${nth}, 1, 'automatic', 'queued', 1
    from generate_series(1, 1500) n, generate_series(1, 10) rule`);
  await ctx.db.execute(sql`update rule_runs set status = 'completed' where project_id = ${ctx.projectId}`);
  const read = await inTransaction(ctx, async (tx) => {
    expect((await diagnosticsStatus(tx, {})).status).toMatchObject({ conversationsRead: 1000 });
    const [row] = await tx.db.execute<{ rows: number }>(sql`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'rule_runs'`);
    return row!.rows;
  });
  expect(read).toBeLessThan(3 * 15_000);
});

test("automatic scheduling is on by default", async () => {
  const { ctx } = await testProject();
  const settings = async () => (await getDiagnosticSettings(ctx, {})).settings;
  expect(await settings()).toEqual({
    automaticSchedulingEnabled: true,
    adjudicatorConnectionId: null,
    adjudicationCacheDays: 30,
    collectionMasking: "mask",
  });
  await updateDiagnosticSettings(ctx, { automaticSchedulingEnabled: false });
  expect(await settings()).toEqual({
    automaticSchedulingEnabled: false,
    adjudicatorConnectionId: null,
    adjudicationCacheDays: 30,
    collectionMasking: "mask",
  });
});

const queuedRuns = async (ctx: Ctx) => {
  const of = async (ruleId: string) => (await listRuleRuns(ctx, { limit: 200, origin: "automatic", ruleId })).runs;
  return [...(await of("agent-loop")), ...(await of("tool-failure"))];
};

test("automatic Runs cover a Rule's sample, which a larger sample includes, and on-demand Runs cover any conversation", async () => {
  const { ctx } = await testProject();
  const sampled = async (sampleRate: number) => {
    await updateRule(ctx, { ruleId: "agent-loop", configuration: { sampleRate } });
    await ctx.db.update(conversations).set({ diagnosedReceivedAt: null });
    await scheduleInactiveConversations(ctx.db, Date.now() + 3_600_000);
    const runs = await queuedRuns(ctx);
    const revision = Math.max(...runs.map((run) => (run.ruleId === "agent-loop" ? run.configurationRevision : 0)));
    const mine = runs.filter((run) => run.ruleId === "agent-loop" && run.configurationRevision === revision);
    return { loop: new Set(mine.map((run) => run.conversationId)), runs };
  };
  const ids = [];
  for (let n = 0; n < 40; n++) ids.push((await storedConversation(ctx, [{ role: "user", text: "Hello" }])).id);

  const { loop: half, runs } = await sampled(0.5);
  expect(half.size).toBeGreaterThan(8);
  expect(half.size).toBeLessThan(32);
  expect(runs.filter((run) => run.ruleId === "tool-failure")).toHaveLength(40);
  const { loop: more } = await sampled(0.8);
  for (const id of half) expect(more).toContain(id);

  await updateRule(ctx, { ruleId: "agent-loop", configuration: { sampleRate: 0 } });
  const { runs: askedAt } = await createRuleRuns(ctx, { conversationId: ids[0]!, lastActivityAt: Date.now() });
  expect(askedAt.map((run) => run.ruleId)).toContain("agent-loop");
});

test("a Rule counts the Findings of its Signals that people found wrong, in this project only", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  await diagnose(ctx);
  await diagnose(other.ctx);
  const { findings } = await listFindings(ctx, { ruleId: "tool-failure" });
  await updateFinding(ctx, { findingId: findings[0]!.id, reviewStatus: "dismissed", dismissalReason: "wrong" });
  const counts = async (of: Ctx) => (await toolFailure(of)).signals.find(({ name }) => name === findings[0]!.signal);
  expect(await counts(ctx)).toMatchObject({ confirmedFindings: 0, wrongFindings: 1 });
  expect(await counts(other.ctx)).toMatchObject({ confirmedFindings: 0, wrongFindings: 0 });
});
