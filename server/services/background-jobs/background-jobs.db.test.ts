import { and, eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog, jobEvents, jobRuns, jobSteps } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { embeddedClient, QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { emit } from "@/server/platform/outbox";
import { createRuleRuns } from "@/server/services/diagnostics";
import { storedConversation } from "@/server/services/diagnostics/testing";
import {
  cancelBackgroundJob,
  getBackgroundJob,
  listBackgroundJobs,
  replayBackgroundJob,
  replayFailedBackgroundJobs,
  summariseBackgroundJobs,
} from ".";
import { storedJob } from "./testing";

let engine: Engine | undefined;
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  await db().delete(jobRuns);
  await db().delete(jobEvents);
});

const jobs = async (ctx: Ctx, filters = {}) => (await listBackgroundJobs(ctx, filters)).backgroundJobs;
const job = async (ctx: Ctx, backgroundJobId: string) =>
  (await getBackgroundJob(ctx, { backgroundJobId })).backgroundJob;

test("a function that always throws is dead-lettered, and completes when it is fixed and replayed", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  const client = embeddedClient();
  let broken = true;
  const ran: string[] = [];
  const fn = client.createFunction({ id: "fn", retries: 2, triggers: { event: "go" } }, async ({ step }) => {
    await step.run("first", () => void ran.push("first"));
    await step.run("second", async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      if (broken) throw new Error("The disk is full.");
      ran.push("second");
    });
  });
  engine = await startEngine({ db: db(), client, functions: [fn], ...QUICK });
  await emit(db(), { name: "go", data: { projectId: ctx.projectId, batchId: "batch_1" } });
  const dead = await until(async () => (await jobs(ctx, { state: "failed" }))[0]);
  expect(dead).toMatchObject({
    eventName: "go",
    carries: [{ of: "batch", count: 1, ids: ["batch_1"] }],
    attempts: 3,
    error: { name: "Error", message: "The disk is full." },
    replayable: true,
    cancellable: false,
    nextAt: null,
  });
  expect(dead.startedAt!).toBeGreaterThanOrEqual(dead.createdAt);
  const { steps } = await job(ctx, dead.id);
  expect(steps).toMatchObject([
    { name: "first", kind: "step", state: "completed", attempts: 1, error: null },
    { name: "second", state: "failed", attempts: 3, error: { message: "The disk is full." } },
  ]);
  // Started with its first attempt, finished with its last.
  expect(steps[1]!.finishedAt! - steps[1]!.startedAt).toBeGreaterThanOrEqual(3 * 30);

  expect(await jobs(neighbour.ctx)).toEqual([]);
  for (const touch of [getBackgroundJob, replayBackgroundJob, cancelBackgroundJob])
    await expect(touch(neighbour.ctx, { backgroundJobId: dead.id })).rejects.toMatchObject({ code: "not_found" });

  broken = false;
  const asked = { backgroundJobId: dead.id, finishedAt: dead.finishedAt! };
  const presses = await Promise.allSettled([replayBackgroundJob(ctx, asked), replayBackgroundJob(ctx, asked)]);
  expect(presses.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await until(async () => (await job(ctx, dead.id)).state === "completed");
  expect(ran).toEqual(["first", "second"]);
  await expect(replayBackgroundJob(ctx, { backgroundJobId: dead.id })).rejects.toMatchObject({ code: "conflict" });
  const audited = await db()
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.projectId, ctx.projectId), eq(auditLog.action, "backgroundJobs.replay")));
  expect(audited).toMatchObject([{ targetType: "backgroundJob", targetId: dead.id, before: { state: "failed" } }]);
});

test("a retrying job shows its next attempt, and can be cancelled and then replayed", async () => {
  const { ctx } = await testProject();
  const client = embeddedClient();
  let calls = 0;
  const fn = client.createFunction({ id: "fn", retries: 5, triggers: { event: "go" } }, async ({ step }) => {
    await step.run("only", () => {
      calls += 1;
      if (calls === 1) throw new Error("not yet");
    });
  });
  engine = await startEngine({ db: db(), client, functions: [fn], ...QUICK, backoff: () => 3_600_000 });
  await emit(db(), { name: "go", data: { projectId: ctx.projectId } });
  const retrying = await until(async () => (await jobs(ctx, { state: "retrying" }))[0]);
  expect(retrying).toMatchObject({ attempts: 2, cancellable: true, replayable: false, finishedAt: null });
  expect(retrying.nextAt!).toBeGreaterThan(retrying.startedAt!);
  expect((await job(ctx, retrying.id)).steps).toMatchObject([
    { name: "only", state: "retrying", attempts: 1, nextAt: retrying.nextAt, error: { message: "not yet" } },
  ]);
  expect(await jobs(ctx, { state: "sleeping" })).toEqual([]);

  const { backgroundJob } = await cancelBackgroundJob(ctx, { backgroundJobId: retrying.id });
  expect(backgroundJob).toMatchObject({ state: "cancelled", replayable: true, cancellable: false });
  await expect(cancelBackgroundJob(ctx, { backgroundJobId: retrying.id })).rejects.toMatchObject({ code: "conflict" });
  await replayBackgroundJob(ctx, { backgroundJobId: retrying.id });
  await until(async () => (await job(ctx, retrying.id)).state === "completed");
  expect(await job(ctx, retrying.id)).toMatchObject({ attempts: 1, error: null });
});

test("a job that is running or must not be left half done cannot be cancelled", async () => {
  const { ctx } = await testProject();
  const running = await storedJob(ctx, { state: "running", leaseToken: "t", leaseUntil: Date.now() + 60_000 });
  const deletion = await storedJob(ctx, { functionId: "whetstone-delete-data" });
  for (const [id, why] of [
    [running, /job is running/],
    [deletion, /half done/],
  ] as const) {
    expect(await job(ctx, id)).toMatchObject({ cancellable: false });
    await expect(cancelBackgroundJob(ctx, { backgroundJobId: id })).rejects.toThrow(why);
  }
});

test("the list is filtered and paged, and leaves out the installation's jobs", async () => {
  const { ctx } = await testProject();
  await storedJob({ db: db(), projectId: null }, { state: "failed" });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift(await storedJob(ctx, { createdAt: 1000 * n, state: "completed" }));
  const failed = await storedJob(ctx, { createdAt: 5000, state: "failed", functionId: "whetstone-run-rules-failure" });
  const waiting = await storedJob(ctx, { createdAt: 6000, state: "waiting" });

  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listBackgroundJobs(ctx, { limit: 3, ...(cursor ? { cursor } : {}) });
    listed.push(...page.backgroundJobs.map(({ id }) => id));
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor);
  expect(listed).toEqual([waiting, failed, ...ids]);

  const idsOf = async (filters: object) => (await jobs(ctx, filters)).map(({ id }) => id);
  expect(await idsOf({ finished: false })).toEqual([waiting]);
  expect(await idsOf({ finished: true, createdAfter: 3000, createdBefore: 5000 })).toEqual(ids.slice(0, 2));
  expect(await idsOf({ state: "waiting" })).toEqual([waiting]);
  expect(await idsOf({ state: "cancelled" })).toEqual([]);
  expect(await jobs(ctx, { functionId: "whetstone-run-rules-failure" })).toMatchObject([
    { id: failed, functionName: "Execute Rule Runs", afterFailure: true },
  ]);

  const { summary } = await summariseBackgroundJobs(ctx, {});
  expect(summary).toMatchObject({
    engine: "embedded",
    dashboardUrl: null,
    counts: { completed: 5, failed: 1, waiting: 1, queued: 0, running: 0 },
    oldestDueAt: null,
    functions: [{ id: "whetstone-measure-storage" }, { id: "whetstone-run-rules-failure" }],
  });
  await storedJob(ctx, { dueAt: 7000 });
  await storedJob(ctx, { dueAt: Date.now() + 3_600_000 });
  expect((await summariseBackgroundJobs(ctx, {})).summary).toMatchObject({ oldestDueAt: 7000, counts: { queued: 2 } });
});

test("a job lists the conversations of its Rule Runs, only those of its own project", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  const runsOf = async (of: Ctx) => {
    const { id, lastActivityAt } = await storedConversation(of, [{ role: "user", text: "Hello" }]);
    return { id, runIds: (await createRuleRuns(of, { conversationId: id, lastActivityAt })).runs.map((run) => run.id) };
  };
  const ours = await runsOf(ctx);
  const theirs = await runsOf(neighbour.ctx);
  const id = await storedJob(ctx, { data: { runIds: [...ours.runIds, ...theirs.runIds] } });
  expect(await job(ctx, id)).toMatchObject({
    carries: [{ of: "run", count: ours.runIds.length + theirs.runIds.length }],
    conversationIds: [ours.id],
    conversationCount: 1,
  });
  await db().execute(sql`update conversations set preview = 'Hello' where id in (${ours.id}, ${theirs.id})`);
  expect((await job(ctx, id)).names).toEqual({ [ours.id]: "Hello" });
  const asKey: Ctx = { ...ctx, actor: { kind: "apiKey", keyId: "key_1", capabilities: ["workspace:read"] } };
  expect((await job(asKey, id)).names).toEqual({});
  const [listed] = await jobs(ctx);
  expect(listed?.carries[0]?.ids).toHaveLength(5);
});

test("a list counts the conversations of all of a job's Rule Runs, but lists only the first few", async () => {
  const { ctx } = await testProject();
  const runIds: string[] = [];
  for (let n = 0; n < 7; n++) {
    const { id, lastActivityAt } = await storedConversation(ctx, [{ role: "user", text: `Hello ${n}` }]);
    runIds.push(...(await createRuleRuns(ctx, { conversationId: id, lastActivityAt })).runs.map((run) => run.id));
  }
  const id = await storedJob(ctx, { data: { runIds } });
  const listed = (await jobs(ctx)).find((one) => one.id === id);
  expect(listed).toMatchObject({ conversationCount: 7, carries: [{ of: "run", count: runIds.length }] });
  expect(listed?.conversationIds.length).toBeLessThan(7);
  const whole = await job(ctx, id);
  expect(whole).toMatchObject({ conversationCount: 7 });
  expect(whole.conversationIds).toHaveLength(7);
});

test("an error is shown without its stack, values, secrets and ids that the job does not carry", async () => {
  const { ctx } = await testProject();
  const foreign = newId("conv");
  const own = newId("run");
  const key = `whet_${"0".repeat(32)}_${"a".repeat(46)}`;
  const error = {
    name: "Error",
    message: `${own} and ${foreign} of postgres://me:hunter2@db/x with ${key}: Failed query: select $1\nparams: private words`,
    stack: "Error: at /srv/secret-path.ts:1",
    cause: { message: "inner words" },
  };
  const id = await storedJob(ctx, { state: "failed", error, data: { runId: own } });
  await db()
    .insert(jobSteps)
    .values({ runId: id, id: "s", name: "step", op: "StepRun", state: "failed", position: 1, error });
  const told = await job(ctx, id);
  expect(told.error?.message).toContain(own);
  expect(told.steps[0]?.error).toEqual(told.error);
  for (const hidden of [foreign, "hunter2", key, "private words", "secret-path", "inner words"])
    expect(JSON.stringify(told)).not.toContain(hidden);
});

test("all matching failed jobs are replayed in one call, and no others", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  const now = Date.now();
  const old = await storedJob(ctx, { state: "failed", createdAt: now - 5000, finishedAt: now - 4000, retries: 2 });
  const other = await storedJob(ctx, { state: "failed", functionId: "whetstone-keep-house", finishedAt: now - 4000 });
  const cancelled = await storedJob(ctx, { state: "cancelled", finishedAt: now - 4000 });
  const theirs = await storedJob(neighbour.ctx, { state: "failed", finishedAt: now - 4000 });

  const asked = { functionId: "whetstone-measure-storage", createdBefore: now };
  expect(await replayFailedBackgroundJobs(ctx, asked)).toEqual({ replayed: 1, more: false });
  expect(await replayFailedBackgroundJobs(ctx, asked)).toEqual({ replayed: 0, more: false });
  const states = await db().select({ id: jobRuns.id, state: jobRuns.state }).from(jobRuns);
  expect(Object.fromEntries(states.map(({ id, state }) => [id, state]))).toEqual({
    [old]: "queued",
    [other]: "failed",
    [cancelled]: "cancelled",
    [theirs]: "failed",
  });
  expect(await job(ctx, old)).toMatchObject({ attempts: 0, startedAt: null, finishedAt: null });
});

test("queries for a project's jobs use an index", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`
    insert into job_runs (id, project_id, function_id, event_id, event, state, max_attempts, lane, created_at, finished_at)
    select 'jr_' || n, ${ctx.projectId}, 'whetstone-run-rules', 'evt_' || n, '{"data":{}}', 'completed', 5, '', n, n
    from generate_series(1, 20000) n`);
  const failed = await storedJob(ctx, { state: "failed", createdAt: 5 });
  await db().execute(sql`analyze job_runs`);
  expect((await jobs(ctx, { state: "failed" })).map(({ id }) => id)).toEqual([failed]);
  const planOf = async (state: string) => {
    const rows = await db().execute<{ "QUERY PLAN": string }>(sql`
      explain select * from job_runs where project_id = ${ctx.projectId} and ${sql.raw(state)}
      order by created_at desc, id desc limit 51`);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };
  for (const condition of ["state = 'failed' and state in ('failed', 'cancelled')", "finished_at is null", "true"])
    expect(await planOf(condition), condition).not.toContain("Seq Scan");
});
