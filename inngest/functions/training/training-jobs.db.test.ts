import { and, eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { files, trainingEvents, trainingJobs, trainingRemovals } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { CATALOGUE } from "@/server/services/models/base-models/catalogue";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { createJob, deleteJob, getJob } from "@/server/services/training";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { inngest } from "../../client";
import { functions } from "..";
import { killRepeatedly } from "../testing/kill-repeatedly";

let trainer: ScriptedTrainer;
let engine: Engine | undefined;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.script = [];
  trainer.jobs.clear();
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
});

async function world() {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  await write(ctx, datasetId, [creating("one", { split: "train" })]);
  const baseModel = { id: CATALOGUE[0]!.id };
  const { job } = await createJob(ctx, { datasetId, baseModel, method: "sft", adapter: "lora" });
  const read = async () => (await getJob(ctx, { jobId: job.id })).job;
  return { ctx, jobId: job.id, read };
}

const RUNNING = { type: "job.status", data: { status: "running", phase: "training" } };
const SUCCEEDED = { type: "job.finished", data: { status: "succeeded", stop_reason: "completed" } };

test("a training job is sent and followed in the background", async () => {
  const { jobId, read } = await world();
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await until(() => trainer.jobs.has(jobId));
  trainer.say(jobId, RUNNING);
  await until(async () => (await read()).status === "running");
  trainer.say(jobId, SUCCEEDED);
  await until(async () => (await read()).status === "succeeded");
}, 60_000);

const KILLS = amount(3, 4);
const CHECKPOINTS = 60;
/** Each call to the trainer returns 500: several calls per kill. */
const EVENTS = amount(4_000, 6_000);

test("a worker that is killed repeatedly sends one job and stores each of its events once", async () => {
  const { ctx, jobId, read } = await world();
  const events = Array.from({ length: EVENTS }, (_, n) => ({ type: "resource", data: { n } }));
  trainer.script = [RUNNING, ...events, SUCCEEDED];
  const isRunning = async () => (await read()).finishedAt === null;
  const stored = () => ctx.db.$count(trainingEvents, eq(trainingEvents.projectId, ctx.projectId));
  const args = ["training", ctx.projectId, jobId];
  expect(await killRepeatedly({ args, isRunning, progress: stored, withinMs: 40 }, KILLS)).toBeGreaterThan(0);
  expect(await read()).toMatchObject({ status: "succeeded", attempt: 1 });
  expect(trainer.jobs.size).toBe(1);
  const rows = await ctx.db
    .select({ seq: trainingEvents.seq })
    .from(trainingEvents)
    .where(and(eq(trainingEvents.projectId, ctx.projectId), eq(trainingEvents.jobId, jobId)))
    .orderBy(trainingEvents.seq);
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS + 3 }, (_, n) => n + 1));
}, 120_000);

test("a worker that is killed repeatedly deletes the files of a job, and nothing is left to do", async () => {
  const { ctx, jobId } = await world();
  await ctx.db
    .update(trainingJobs)
    .set({ status: "cancelled", finishedAt: 1, dueAt: null, dispatchedAt: 1 })
    .where(eq(trainingJobs.id, jobId));
  // A trainer of before is asked for one checkpoint after the other.
  trainer.answers.set(`DELETE /jobs/${jobId}`, { status: 405, body: { detail: "Method Not Allowed" } });
  for (let n = 0; n < CHECKPOINTS; n += 1)
    trainer.checkpoints.add(await storedCheckpoint(ctx, jobId, { stepNumber: n }));
  await deleteJob(ctx, { jobId });
  const ofProject = eq(trainingRemovals.projectId, ctx.projectId);
  const [removal] = await ctx.db.select().from(trainingRemovals).where(ofProject);
  const isRunning = async () => (await ctx.db.$count(trainingRemovals, ofProject)) > 0;
  const progress = async () => CHECKPOINTS - trainer.checkpoints.size;
  const args = ["removal", ctx.projectId, removal!.id];
  expect(await killRepeatedly({ args, isRunning, progress, withinMs: 20 }, KILLS)).toBeGreaterThan(0);
  expect(trainer.checkpoints.size).toBe(0);
  expect(await ctx.db.$count(files, eq(files.projectId, ctx.projectId))).toBe(0);
}, 120_000);
