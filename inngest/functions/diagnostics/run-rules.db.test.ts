import { once } from "node:events";
import { and, eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { conversationMessages, jobRuns, jobSteps, ruleRunDetections, ruleRuns } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { APP_ID } from "@/server/platform/jobs/catalogue";
import { ruleRunsQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { createConnection } from "@/server/services/connections";
import {
  createRuleRuns,
  getRuleRun,
  listFindings,
  listOccurrences,
  listRuleRuns,
  retryRuleRun,
  updateRule,
} from "@/server/services/diagnostics";
import { answering, startModel } from "@/server/services/diagnostics/adjudicator/testing";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { inngest } from "../../client";
import { functions } from "..";
import { startEngineProcess } from "../testing/start-engine-process";

/** In its own file because the environment is read once, and here services on loopback may be called. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let engine: Engine | undefined;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  for (const end of ends.splice(0)) await end();
});
const start = async (options: { slots?: number; leaseMs?: number } = {}) => {
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK, ...options });
};

const FAILING = failingToolCall("get_order", "Error: order 4821 not found");
const UNSURE = "Speed test failed: No Connection.";
const UNDECIDED = [
  { role: "user", text: "How fast is my line?" },
  { role: "assistant", text: "", toolCalls: [{ id: "call_1", name: "run_speed_test", arguments: "{}" }] },
  { role: "tool", text: UNSURE, toolCallId: "call_1" },
];

async function queue(ctx: Ctx, said: Parameters<typeof storedConversation>[1] = FAILING) {
  const { id, lastActivityAt } = await storedConversation(ctx, said);
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  return { id, runs, toolFailure: runs.find((run) => run.ruleId === "tool-failure")!.id };
}
const statusOf = async (ctx: Ctx, runId: string) => (await getRuleRun(ctx, { runId })).run.status;
/** Makes a stored conversation unreadable to the detectors, as a bug of ours might. */
const spoil = (ctx: Ctx, conversationId: string) =>
  ctx.db
    .update(conversationMessages)
    .set({ parts: sql`'[null, null]'::jsonb` })
    .where(
      and(eq(conversationMessages.projectId, ctx.projectId), eq(conversationMessages.conversationId, conversationId)),
    );

test("a conversation that cannot be read is retried, and fails only its own Runs", async () => {
  const { ctx } = await testProject();
  const good = [await queue(ctx), await queue(ctx)];
  const bad = await queue(ctx);
  await spoil(ctx, bad.id);
  // One job for all of them, as a sweep queues them.
  await ctx.db.delete(jobRuns);
  const runIds = [good[0]!, bad, good[1]!].flatMap(({ runs }) => runs.map((run) => run.id));
  await ctx.db.execute(sql`update job_events set dispatched_at = 1 where dispatched_at is null`);
  await emit(ctx.db, ruleRunsQueued.create({ projectId: ctx.projectId, runIds, origin: "automatic" }));
  await start();

  await until(async () => (await statusOf(ctx, bad.toolFailure)) === "failed");
  for (const { runs } of good) for (const run of runs) expect(await statusOf(ctx, run.id)).toBe("completed");
  const { run } = await getRuleRun(ctx, { runId: bad.toolFailure });
  expect(run).toMatchObject({ resultCount: null, attempts: 6, errorMessage: expect.stringMatching(/null/) });
  const { findings } = await listFindings(ctx, { ruleId: "tool-failure" });
  expect(findings.map((finding) => finding.occurrenceCount)).toEqual([2]);
});

test("a Run can be retried by hand if it has failed, and only in its own project", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  const one = await queue(ctx);
  await spoil(ctx, one.id);
  await start();
  await until(async () => (await statusOf(ctx, one.toolFailure)) === "failed");
  await ctx.db
    .update(conversationMessages)
    .set({ parts: [{ type: "text", text: "Error: order 4821 not found" }] })
    .where(eq(conversationMessages.conversationId, one.id));

  await expect(retryRuleRun(other.ctx, { runId: one.toolFailure })).rejects.toMatchObject({ code: "not_found" });
  expect((await retryRuleRun(ctx, { runId: one.toolFailure })).run).toMatchObject({
    status: "queued",
    errorMessage: null,
    finishedAt: null,
  });
  await expect(retryRuleRun(ctx, { runId: one.toolFailure })).rejects.toThrow(/this one is/);
  await until(async () => (await statusOf(ctx, one.toolFailure)) === "completed");
  expect((await getRuleRun(ctx, { runId: one.toolFailure })).run).toMatchObject({ attempts: 6, errorMessage: null });
  await expect(retryRuleRun(ctx, { runId: one.toolFailure })).rejects.toMatchObject({ code: "conflict" });
});

test("a Run that was replaced by a newer one cannot be retried", async () => {
  const { ctx } = await testProject();
  const one = await queue(ctx);
  await ctx.db
    .update(ruleRuns)
    .set({ status: "skipped", skipReason: "The Rule is turned off." })
    .where(eq(ruleRuns.id, one.toolFailure));
  const { lastActivityAt } = (await getRuleRun(ctx, { runId: one.toolFailure })).run;
  await createRuleRuns(ctx, { conversationId: one.id, lastActivityAt });
  await expect(retryRuleRun(ctx, { runId: one.toolFailure })).rejects.toThrow(/newer Run/);
});

test("on-demand Runs are executed first and a backfill's last", async () => {
  const { ctx } = await testProject();
  const order = ["backfill", "automatic", "on_demand"] as const;
  const ids = new Map<string, string>();
  for (const origin of order) {
    const { toolFailure } = await queue(ctx);
    ids.set(toolFailure, origin);
  }
  await ctx.db.execute(sql`update job_events set dispatched_at = 1 where dispatched_at is null`);
  for (const [id, origin] of ids)
    await emit(
      ctx.db,
      ruleRunsQueued.create({ projectId: ctx.projectId, runIds: [id], origin: origin as (typeof order)[number] }),
    );
  await start({ slots: 1 });
  await until(async () =>
    (await Promise.all([...ids.keys()].map((id) => statusOf(ctx, id)))).every((s) => s === "completed"),
  );
  const { runs } = await listRuleRuns(ctx, { ruleId: "tool-failure" });
  const finished = runs.toSorted((a, b) => a.finishedAt! - b.finishedAt!).map((run) => ids.get(run.id));
  expect(finished).toEqual(["on_demand", "automatic", "backfill"]);
});

async function withModel(ctx: Ctx, answer: Parameters<typeof startModel>[0]) {
  const model = await startModel(answer);
  ends.push(model.stop);
  await createConnection(ctx, {
    kind: "model",
    name: "Adjudicator",
    baseUrl: model.url,
    settings: { defaultModel: "judge-1" },
  });
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { adjudicationMode: "auto" } });
  return model;
}
const MATCH = answering({ verdict: "match", quotes: [UNSURE], reason: "It failed.", confidence: 0.9 });

test("a Run's steps store no conversation text, and there is one step if nothing needs adjudication", async () => {
  const { ctx } = await testProject();
  await withModel(ctx, () => MATCH);
  const sure = await queue(ctx);
  const unsure = await queue(ctx, UNDECIDED);
  await start();
  await until(async () => (await statusOf(ctx, unsure.toolFailure)) === "completed");
  await until(async () => (await statusOf(ctx, sure.toolFailure)) === "completed");
  await until(async () =>
    (await db().select().from(jobRuns).where(eq(jobRuns.projectId, ctx.projectId))).every(
      (run) => run.state === "completed",
    ),
  );
  const stepsOf = async (id: string) => {
    const [job] = await db()
      .select()
      .from(jobRuns)
      .where(sql`${jobRuns.functionId} = ${`${APP_ID}-run-rules`} and ${jobRuns.event}::text like ${`%${id}%`}`);
    return db().select().from(jobSteps).where(eq(jobSteps.runId, job!.id)).orderBy(jobSteps.createdAt);
  };
  expect((await stepsOf(sure.toolFailure)).map((step) => step.name)).toEqual(["detect"]);
  const steps = await stepsOf(unsure.toolFailure);
  expect(steps.map((step) => step.name)).toEqual(["detect", "adjudicate-0", "record"]);
  expect(JSON.stringify(steps)).not.toMatch(/Speed test|No Connection|fast/);
  expect(await ctx.db.$count(ruleRunDetections)).toBe(0);
});

test.each(["while the adjudicator is asked", "between adjudicating and recording"])(
  "a process that is killed %s repeats no effect",
  async (when) => {
    const { ctx } = await testProject();
    const during = when.startsWith("while");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let killed = false;
    const model = await withModel(ctx, async ({ user }) => {
      if (!killed && (!during || user.includes("Number 1"))) await held;
      return MATCH;
    });
    const said = (n: number) => [...UNDECIDED, { role: "assistant", text: `Number ${n}` }];
    const queued = [await queue(ctx, said(0)), await queue(ctx, said(1))];
    const child = await startEngineProcess();
    ends.push(() => child.kill("SIGKILL"));
    await until(() => model.asked.length === 2);
    // Recording waits for this lock on the Rule's Findings. Before that, Rules that share its Findings have recorded theirs.
    const gate = during ? null : holdFindings(ctx);
    await gate?.held;
    if (!during) release();
    await until(async () => (await adjudicatedRuns(ctx)) === (during ? 1 : 2));
    child.kill("SIGKILL");
    await once(child, "exit");
    killed = true;
    release();
    await gate?.release();
    for (const { toolFailure } of queued) expect(await statusOf(ctx, toolFailure)).toBe("running");

    await start({ leaseMs: 400 });
    for (const { toolFailure } of queued) await until(async () => (await statusOf(ctx, toolFailure)) === "completed");
    const { findings } = await listFindings(ctx, { ruleId: "tool-failure" });
    const occurrences = await Promise.all(
      findings.map(async ({ id }) => (await listOccurrences(ctx, { findingId: id })).occurrences),
    );
    expect(
      occurrences
        .flat()
        .map(({ conversationId }) => conversationId)
        .sort(),
    ).toEqual(queued.map(({ id }) => id).sort());
    // Only the question that was not answered is asked again.
    expect(model.asked).toHaveLength(during ? 3 : 2);
    expect(await ctx.db.$count(ruleRunDetections, eq(ruleRunDetections.projectId, ctx.projectId))).toBe(0);
  },
);

const adjudicatedRuns = async (ctx: Ctx) => {
  const rows = await ctx.db
    .select({ detected: ruleRunDetections.detected })
    .from(ruleRunDetections)
    .where(eq(ruleRunDetections.projectId, ctx.projectId));
  return rows.filter(({ detected }) => (detected as { undecided: unknown[] }).undecided.length === 0).length;
};

/** Holds the lock under which a Rule's Findings are recorded, until it is released. */
function holdFindings(ctx: Ctx) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding = () => {};
  const held = new Promise<void>((resolve) => {
    holding = resolve;
  });
  const done = ctx.db.transaction(async (tx) => {
    // On a busy machine, starting the process to kill takes longer than the idle-in-transaction timeout.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    await tx.execute(
      sql`select pg_advisory_xact_lock(hashtextextended(${`findings ${ctx.projectId} tool-failure`}, 0))`,
    );
    holding();
    await released;
  });
  return {
    held,
    release: async () => {
      release();
      await done;
    },
  };
}
