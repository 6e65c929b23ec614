import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { trainingJobs, tuningConfigs } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteDataset } from "@/server/services/datasets";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { CATALOGUE } from "@/server/services/models/base-models/catalogue";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import {
  createTuningConfig,
  deleteJob,
  deleteTuningConfig,
  dueTuningConfigs,
  evaluateTrigger,
  getTuningConfig,
  listTriggerDecisions,
  listTuningConfigs,
  updateTuningConfig,
} from "..";

const model = CATALOGUE[0]!.id;
let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
  await attachScripted(trainer);
});
afterAll(() => trainer.stop());

const TRIGGER = { enabled: true, minNewExamples: 2, cooldownMinutes: 0, dailyCap: 2 };

async function world(changes: object = {}) {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const input = { name: "Weekly", datasetId, baseModel: { id: model }, method: "sft", adapter: "lora" } as const;
  const { tuningConfig } = await createTuningConfig(ctx, { ...input, trigger: TRIGGER, ...changes });
  const configId = tuningConfig.id;
  let questions = 0;
  const add = (count: number) =>
    write(
      ctx,
      datasetId,
      Array.from({ length: count }, () => creating(`Question ${++questions}`, { split: "train" })),
    );
  /** Makes the trigger due again, as the clock would, and evaluates it. */
  const evaluate = async () => {
    await ctx.db.update(tuningConfigs).set({ dueAt: 1 }).where(eq(tuningConfigs.id, configId));
    return evaluateTrigger(ctx, configId);
  };
  const jobs = () => ctx.db.select().from(trainingJobs).where(eq(trainingJobs.tuningConfigId, configId));
  /** Ends its jobs, the last of which began this long ago. */
  const end = (agoMs = 1) =>
    ctx.db
      .update(trainingJobs)
      .set({ status: "succeeded", finishedAt: 2, dueAt: null, createdAt: sql`${trainingJobs.createdAt} - ${agoMs}` })
      .where(and(eq(trainingJobs.projectId, ctx.projectId), eq(trainingJobs.tuningConfigId, configId)));
  return { ctx, datasetId, configId, input, tuningConfig, add, evaluate, jobs, end };
}
const reasons = async (ctx: Ctx, configId: string) =>
  (await listTriggerDecisions(ctx, { configId })).decisions.map(({ outcome, reason, times }) => [
    outcome,
    reason,
    times,
  ]);

test("a configuration is read as it was stored, and a change keeps the fields that it does not name", async () => {
  const { ctx, configId, tuningConfig } = await world({ training: { learningRate: 0.001 }, lora: { r: 8 } });
  expect(tuningConfig).toMatchObject({
    training: { learningRate: 0.001 },
    trigger: { ...TRIGGER, cron: null },
    deployment: { enabled: false },
    newExamples: 0,
    lastDecision: null,
  });
  const changed = await updateTuningConfig(ctx, { configId, name: "Daily", lora: { r: 16 }, trigger: { dailyCap: 5 } });
  const { updatedAt: _, nextCheckAt: __, ...same } = tuningConfig;
  expect(changed.tuningConfig).toMatchObject({
    ...same,
    name: "Daily",
    lora: { r: 16 },
    trigger: { ...TRIGGER, cron: null, dailyCap: 5 },
  });
  expect(
    (await updateTuningConfig(ctx, { configId, trigger: { enabled: false } })).tuningConfig.nextCheckAt,
  ).toBeNull();
  expect((await listTuningConfigs(ctx, {})).tuningConfigs.map(({ name }) => name)).toEqual(["Daily"]);
});

test("an unknown model and an impossible schedule are refused", async () => {
  const { ctx, input, configId } = await world();
  const refused = (path: string) => ({ code: "unprocessable", errors: [expect.objectContaining({ path })] });
  await expect(createTuningConfig(ctx, { ...input, baseModel: { id: "acme/none" } })).rejects.toMatchObject(
    refused("/baseModel"),
  );
  for (const cron of ["not a time", "* * * * * *", "0 0 31 2 *"]) {
    await expect(updateTuningConfig(ctx, { configId, trigger: { cron } })).rejects.toMatchObject(
      refused("/trigger/cron"),
    );
  }
});

test("enough new Examples start a job, and repeated skips for one reason are one decision", async () => {
  const { ctx, configId, add, evaluate, jobs, end } = await world();
  await add(1);
  expect(await evaluate()).toMatchObject({ outcome: "skipped", message: "1 of 2 new Examples to train on." });
  await evaluate();
  await add(1);
  expect(await evaluate()).toMatchObject({ outcome: "started" });
  expect(await jobs()).toMatchObject([{ status: "queued", actorKind: "user", tuningConfigId: configId }]);
  expect(await evaluate()).toMatchObject({ reason: "running" });
  await end();
  expect(await evaluate()).toMatchObject({
    reason: "not_enough_examples",
    message: "0 of 2 new Examples to train on.",
  });
  expect(await reasons(ctx, configId)).toEqual([
    ["skipped", "not_enough_examples", 1],
    ["skipped", "running", 1],
    ["started", "enough_examples", 1],
    ["skipped", "not_enough_examples", 2],
  ]);
  expect((await getTuningConfig(ctx, { configId })).tuningConfig).toMatchObject({
    newExamples: 0,
    lastJobId: (await jobs())[0]!.id,
    lastDecision: { reason: "not_enough_examples" },
  });
});

test("cooldown and daily cap are respected, and the same Examples are never trained on twice", async () => {
  const { ctx, configId, add, evaluate, jobs, end } = await world();
  await add(2);
  await evaluate();
  await end(60_000);
  await updateTuningConfig(ctx, { configId, trigger: { cooldownMinutes: 60 } });
  await add(2);
  expect(await evaluate()).toMatchObject({ reason: "cooldown" });
  await updateTuningConfig(ctx, { configId, trigger: { cooldownMinutes: 0, dailyCap: 1 } });
  expect(await evaluate()).toMatchObject({ reason: "daily_cap" });
  await updateTuningConfig(ctx, { configId, trigger: { dailyCap: 9 } });
  expect(await evaluate()).toMatchObject({ outcome: "started" });
  // As if its Examples were new again: the manifest still equals the one that was trained on.
  await end(86_400_000);
  await ctx.db.update(trainingJobs).set({ createdAt: 1 }).where(eq(trainingJobs.tuningConfigId, configId));
  expect(await evaluate()).toMatchObject({ reason: "already_trained" });
  expect(await jobs()).toHaveLength(2);
});

test("a job that was deleted still counts for the cooldown, the daily cap and what is new", async () => {
  const { ctx, configId, add, evaluate, jobs, end } = await world();
  await add(2);
  await evaluate();
  await end();
  await deleteJob(ctx, { jobId: (await jobs())[0]!.id });
  expect(await evaluate()).toMatchObject({
    reason: "not_enough_examples",
    message: "0 of 2 new Examples to train on.",
  });
  await updateTuningConfig(ctx, { configId, trigger: { dailyCap: 1 } });
  expect(await evaluate()).toMatchObject({ reason: "daily_cap" });
  await updateTuningConfig(ctx, { configId, trigger: { cooldownMinutes: 60 } });
  expect(await evaluate()).toMatchObject({ reason: "cooldown" });
});

test("concurrent workers start one job", async () => {
  const { ctx, configId, add, jobs } = await world();
  await add(2);
  const decided = await Promise.all([1, 2, 3, 4].map(() => evaluateTrigger(ctx, configId)));
  expect(decided.filter((one) => one?.outcome === "started")).toHaveLength(1);
  expect(await jobs()).toHaveLength(1);
});

test("a trigger is due at its own times or every minute", async () => {
  const { ctx, configId, evaluate } = await world();
  const isDue = async () => (await dueTuningConfigs(db())).some((one) => one.configId === configId);
  expect(await isDue()).toBe(true);
  await evaluate();
  expect(await isDue()).toBe(false);
  expect(await evaluateTrigger(ctx, configId)).toBeNull();
  const { tuningConfig } = await updateTuningConfig(ctx, { configId, trigger: { cron: "0 3 * * 1" } });
  const next = new Date(tuningConfig.nextCheckAt!);
  expect([next.getUTCDay(), next.getUTCHours(), next.getUTCMinutes()]).toEqual([1, 3, 0]);
  await evaluate();
  expect((await getTuningConfig(ctx, { configId })).tuningConfig.nextCheckAt).toBe(tuningConfig.nextCheckAt);
});

test("Examples that cannot be trained on fail the decision with the reason", async () => {
  const { add, evaluate, jobs } = await world({ method: "dpo" });
  await add(2);
  expect(await evaluate()).toMatchObject({
    outcome: "failed",
    message: expect.stringContaining("2 of 2 training Examples have no rejectedOutput"),
  });
  expect(await jobs()).toEqual([]);
});

test("a Dataset cannot be deleted while a configuration trains on it, and the configuration's jobs outlive it", async () => {
  const { ctx, datasetId, configId, add, evaluate, jobs, end } = await world();
  await add(2);
  await evaluate();
  await end();
  await expect(deleteDataset(ctx, { datasetId })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("“Weekly”"),
  });
  await deleteTuningConfig(ctx, { configId });
  expect(await jobs()).toHaveLength(1);
  await deleteDataset(ctx, { datasetId });
});

test("another project's configuration is not found, changed, listed or evaluated", async () => {
  const [mine, theirs] = [await world(), await world()];
  const { ctx } = mine;
  const { configId, datasetId } = theirs;
  const missing = { code: "not_found" };
  await expect(getTuningConfig(ctx, { configId })).rejects.toMatchObject(missing);
  await expect(updateTuningConfig(ctx, { configId, name: "Mine" })).rejects.toMatchObject(missing);
  await expect(deleteTuningConfig(ctx, { configId })).rejects.toMatchObject(missing);
  await expect(listTriggerDecisions(ctx, { configId })).rejects.toMatchObject(missing);
  await expect(updateTuningConfig(ctx, { configId: mine.configId, datasetId })).rejects.toMatchObject(missing);
  expect(await evaluateTrigger(ctx, configId)).toBeNull();
  expect((await listTuningConfigs(ctx, {})).tuningConfigs.map(({ id }) => id)).toEqual([mine.configId]);
});
