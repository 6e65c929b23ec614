import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import {
  auditLog,
  checkpoints,
  deployments,
  evaluations,
  files,
  modelExports,
  trainers,
  trainingEvents,
  type trainingJobs,
  trainingManifests,
  trainingRemovals,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { until } from "@/server/engine/testing/describe-engine";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { insertExport } from "@/server/services/model-exports/insert-export";
import { storedHub } from "@/server/services/model-exports/testing/stored-hub";
import { getCheckpoint, listBaseModels } from "@/server/services/models";
import { storedCertificate, storedCheckpoint, storedExport } from "@/server/services/models/testing/stored-checkpoint";
import { insertCertificate } from "@/server/services/proof/certificates/insert-certificate";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { queueDeployment } from "@/server/services/serving/deployments/insert-deployment";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { problem, ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import {
  createJob,
  deleteCheckpoint,
  deleteJob,
  getJob,
  listCheckpointDependents,
  listJobDependents,
  runRemoval,
  runTrainingJob,
  wakeRemovals,
} from "..";
import { storedJob } from "../testing/stored-job";
import { trainingChoice } from "../testing/training-world";
import { deleteCheckpointRows } from "./delete-rows";

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.jobs.clear();
  trainer.answers.clear();
  trainer.calls.length = 0;
  trainer.isReachable = true;
});

const ENDED = { status: "succeeded", finishedAt: 2 } as const;

/** Stores an ended job on the attached trainer, with a checkpoint. */
async function world(changes: Partial<typeof trainingJobs.$inferInsert> = {}) {
  const { ctx } = await testProject();
  const [attached] = await ctx.db.select({ id: trainers.id }).from(trainers);
  const trainerId = attached!.id;
  const jobId = await storedJob(ctx, { ...ENDED, trainerId, ...changes });
  return { ctx, trainerId, jobId, checkpointId: await storedCheckpoint(ctx, jobId) };
}

const removalsOf = ({ db: on, projectId }: Ctx) =>
  on.select().from(trainingRemovals).where(eq(trainingRemovals.projectId, projectId));

/** Carries out the only pending removal once. */
async function remove(ctx: Ctx) {
  const [pending] = await removalsOf(ctx);
  return runRemoval(ctx, pending!.id);
}

/** Waits until another transaction waits for a lock. */
const untilBlocked = ({ db: on }: Ctx) =>
  until(async () => {
    const [found] = await on.execute(sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`);
    return found !== undefined;
  });

const deletions = () => trainer.calls.filter((call) => call.startsWith("DELETE"));

test("a job goes with its checkpoints, log and frozen Examples, and then its files on the trainer", async () => {
  const { ctx } = await testProject();
  const choice = await trainingChoice(ctx, "a");
  const { job } = await createJob(ctx, choice);
  await runTrainingJob(ctx, job.id);
  trainer.say(job.id, { type: "job.finished", data: { status: "succeeded", stop_reason: "completed" } });
  await runTrainingJob(ctx, job.id);
  const checkpointId = await storedCheckpoint(ctx, job.id);
  const ofProject = eq(trainingManifests.projectId, ctx.projectId);
  const manifests = () => ctx.db.$count(trainingManifests, ofProject);
  expect(await manifests()).toBe(1);
  expect(await deleteJob(ctx, { jobId: job.id })).toEqual({ ok: true });
  await expect(getJob(ctx, { jobId: job.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(getCheckpoint(ctx, { checkpointId })).rejects.toMatchObject({ code: "not_found" });
  expect(await ctx.db.$count(trainingEvents, eq(trainingEvents.projectId, ctx.projectId))).toBe(0);
  expect([await manifests(), deletions()]).toEqual([0, []]);
  expect(await remove(ctx)).toEqual({ done: true });
  expect([deletions(), trainer.jobs.size]).toEqual([[`DELETE /jobs/${job.id}`], 0]);
  expect(await ctx.db.$count(files, eq(files.projectId, ctx.projectId))).toBe(0);
  expect(await removalsOf(ctx)).toEqual([]);
});

test("frozen Examples that another job trains on stay", async () => {
  const { ctx } = await testProject();
  const choice = await trainingChoice(ctx, "a");
  const [first, second] = [await createJob(ctx, choice), await createJob(ctx, choice)];
  const end = sql`finished_at = 1, status = 'cancelled'`;
  await ctx.db.execute(sql`update training_jobs set ${end} where project_id = ${ctx.projectId}`);
  const manifests = () => ctx.db.$count(trainingManifests, eq(trainingManifests.projectId, ctx.projectId));
  await deleteJob(ctx, { jobId: first.job.id });
  expect(await manifests()).toBe(1);
  await deleteJob(ctx, { jobId: second.job.id });
  expect(await manifests()).toBe(0);
});

test("one checkpoint goes alone, with what has ended of it", async () => {
  const { ctx, jobId, checkpointId } = await world();
  const other = await storedCheckpoint(ctx, jobId, { stepNumber: 24 });
  await storedDeployment(ctx, checkpointId, { status: "stopped", endedAt: 1 });
  await storedExport(ctx, { checkpointId, status: "cancelled", finishedAt: 1 });
  await storedEvaluation(ctx, checkpointId, { status: "cancelled", finishedAt: 1 });
  await storedCertificate(ctx, checkpointId);
  const { dependents } = await listCheckpointDependents(ctx, { checkpointId });
  expect(dependents).toMatchObject({ blockedReason: null, count: 4, checkpoints: 1, bytes: 10 });
  expect(dependents.items.map(({ kind, effect }) => [kind, effect])).toEqual([
    ["certificate", "deleted"],
    ["deployment", "deleted"],
    ["evaluation", "deleted"],
    ["export", "deleted"],
  ]);
  await deleteCheckpoint(ctx, { checkpointId });
  for (const table of [deployments, modelExports, evaluations]) {
    expect(await ctx.db.$count(table, eq(table.projectId, ctx.projectId))).toBe(0);
  }
  await remove(ctx);
  expect(deletions()).toEqual([`DELETE /checkpoints/${checkpointId}`]);
  const left = await ctx.db.select().from(checkpoints).where(eq(checkpoints.projectId, ctx.projectId));
  expect(left.map(({ id }) => id)).toEqual([other]);
});

type World = Awaited<ReturnType<typeof world>>;
const BLOCKING: [string, (of: World) => Promise<unknown>, string][] = [
  [
    "a deployment",
    ({ ctx, checkpointId }) => storedDeployment(ctx, checkpointId, { name: "shop" }),
    "deployment “shop”",
  ],
  ["an export", ({ ctx, checkpointId }) => storedExport(ctx, { checkpointId }), "export to “acme/support”"],
  [
    "an evaluation",
    ({ ctx, checkpointId }) =>
      storedEvaluation(ctx, checkpointId, { status: "running", finishedAt: null, summary: null }),
    "evaluation of",
  ],
  [
    "a certificate",
    ({ ctx, checkpointId }) =>
      storedCertificate(ctx, checkpointId, { status: "running", verdict: null, finishedAt: null, subjects: null }),
    "certificate of “step 12”",
  ],
  [
    "a tuning configuration",
    async ({ ctx, checkpointId }) => {
      const { datasetId } = await trainingChoice(ctx, "b");
      await ctx.db.execute(sql`
        insert into tuning_configs (project_id, id, name, dataset_id, base_model, engine, method, adapter, settings,
          trigger_enabled, min_new_examples, cooldown_minutes, daily_cap, deployment, actor_kind, updated_at)
        values (${ctx.projectId}, 'tc_1', 'Nightly', ${datasetId}, ${JSON.stringify({ checkpointId })}::jsonb, 'transformers',
          'sft', 'lora', '{}'::jsonb, false, 1, 0, 1, '{}'::jsonb, 'operator', 1)`);
    },
    "tuning configuration “Nightly”",
  ],
  [
    "another job",
    ({ ctx, checkpointId }) => storedJob(ctx, { ...ENDED, name: "Second round", parentCheckpointId: checkpointId }),
    "training job “Second round”",
  ],
];

test.each(BLOCKING)(
  "nothing is deleted while %s needs a checkpoint, which the refusal names",
  async (_, depend, named) => {
    const of = await world();
    await depend(of);
    const { ctx, jobId, checkpointId } = of;
    const refusal = { code: "conflict", message: expect.stringContaining(named) };
    await expect(deleteCheckpoint(ctx, { checkpointId })).rejects.toMatchObject(refusal);
    await expect(deleteJob(ctx, { jobId })).rejects.toMatchObject(refusal);
    const { dependents } = await listJobDependents(ctx, { jobId });
    expect(dependents.blockedReason).toContain(named);
    expect(dependents.items[0]).toMatchObject({ effect: "blocks" });
    expect([await removalsOf(ctx), deletions()]).toEqual([[], []]);
    expect((await getJob(ctx, { jobId })).job.id).toBe(jobId);
  },
);

test("a job that has not ended is not deleted, nor a checkpoint of it", async () => {
  const { ctx, jobId, checkpointId } = await world({ status: "paused", finishedAt: null });
  const refusal = { code: "conflict", message: expect.stringContaining("paused") };
  await expect(deleteJob(ctx, { jobId })).rejects.toMatchObject(refusal);
  await expect(deleteCheckpoint(ctx, { checkpointId })).rejects.toMatchObject(refusal);
});

test("a trainer of before, which can delete checkpoints only, is asked for those", async () => {
  const { ctx, jobId, checkpointId } = await world();
  const second = await storedCheckpoint(ctx, jobId, { stepNumber: 24 });
  trainer.answers.set(`DELETE /jobs/${jobId}`, { status: 405, body: { detail: "Method Not Allowed" } });
  await deleteJob(ctx, { jobId });
  expect(await remove(ctx)).toEqual({ done: true });
  expect(deletions().toSorted()).toEqual(
    [`DELETE /jobs/${jobId}`, ...[checkpointId, second].map((id) => `DELETE /checkpoints/${id}`)].toSorted(),
  );
});

test("a removal waits for a trainer that is unreachable or still uses the files, and is woken again", async () => {
  const { ctx, jobId } = await world();
  await deleteJob(ctx, { jobId });
  trainer.isReachable = false;
  expect(await remove(ctx)).toMatchObject({ done: false, waits: true });
  trainer.isReachable = true;
  trainer.answers.set(`DELETE /jobs/${jobId}`, problem(409, "in_use", "A deployment is being stopped."));
  expect(await remove(ctx)).toMatchObject({ done: false, waits: true });
  const [pending] = await removalsOf(ctx);
  expect(pending).toMatchObject({ attempts: 2, error: "A deployment is being stopped." });
  trainer.answers.clear();
  await ctx.db.update(trainingRemovals).set({ dueAt: 1 }).where(eq(trainingRemovals.projectId, ctx.projectId));
  expect(await wakeRemovals(db())).toBeGreaterThan(0);
  expect(await remove(ctx)).toEqual({ done: true });
});

test("what an agent that was removed has is given up, and a recorded training has nothing to remove", async () => {
  const { ctx, jobId } = await world({ trainerId: "trn_removed" });
  await deleteJob(ctx, { jobId });
  expect(await remove(ctx)).toEqual({ done: true });
  expect(deletions()).toEqual([]);
});

test("a deletion is in the audit log with what was deleted", async () => {
  const { ctx, jobId } = await world({ name: "Support" });
  await deleteJob(ctx, { jobId });
  const [entry] = await ctx.db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.projectId, ctx.projectId), eq(auditLog.action, "trainingJobs.delete")));
  expect(entry).toMatchObject({
    targetId: jobId,
    before: { name: "Support", status: "succeeded", checkpoints: 1 },
    after: null,
  });
});

test("another project's jobs and checkpoints are not found", async () => {
  const { jobId, checkpointId } = await world();
  const { ctx } = await testProject();
  for (const call of [deleteJob, listJobDependents]) {
    await expect(call(ctx, { jobId })).rejects.toMatchObject({ code: "not_found" });
  }
  for (const call of [deleteCheckpoint, listCheckpointDependents]) {
    await expect(call(ctx, { checkpointId })).rejects.toMatchObject({ code: "not_found" });
  }
});

test("a job cannot continue from a checkpoint that is deleted before it is queued", async () => {
  const { ctx, checkpointId } = await world();
  const choice = await trainingChoice(ctx, "a");
  trainer.answers.clear();
  await deleteCheckpoint(ctx, { checkpointId });
  await expect(createJob(ctx, { ...choice, baseModel: { checkpointId } })).rejects.toMatchObject({
    code: "unprocessable",
  });
});

type Needed = { checkpointId: string; trainerId: string; connectionId: string };
const NEEDING: readonly [string, (ctx: Ctx, needed: Needed) => Promise<unknown>][] = [
  [
    "a deployment",
    (ctx, { checkpointId, trainerId }) =>
      queueDeployment(ctx, {
        checkpointId,
        trainerId,
        name: "shop",
        backend: "auto",
        quantization: null,
        timeoutSeconds: 60,
        force: false,
        tuningConfigId: null,
      }),
  ],
  [
    "an export",
    (ctx, needed) =>
      insertExport(ctx, {
        ...needed,
        hubModel: null,
        format: "lora-adapter",
        quantization: null,
        endpoint: "https://huggingface.co",
        repoId: "acme/shop",
        isPrivate: true,
        isForced: false,
        jobId: null,
        actorKind: "operator",
        actorId: null,
      }),
  ],
  [
    "a certificate",
    (ctx, { checkpointId, trainerId }) =>
      insertCertificate(ctx, { checkpointId, trainerId, forms: [{ kind: "merged-16bit", quantization: null }] }),
  ],
];

test.each(NEEDING)("%s of a checkpoint that is deleted in the same moment is a conflict", async (_, create) => {
  const { ctx, checkpointId, trainerId } = await world();
  const needed = { checkpointId, trainerId, connectionId: await storedHub(ctx) };
  const deleted = Promise.withResolvers<void>();
  // The creation finds the checkpoint, waits for the deletion that has locked it, and then finds it gone.
  const [created] = await Promise.all([
    deleted.promise.then(() => inTransaction(ctx, (tx) => create(tx, needed)).catch(String)),
    inTransaction(ctx, async (tx) => {
      await deleteCheckpointRows(tx, [checkpointId]);
      deleted.resolve();
      await untilBlocked(ctx);
    }),
  ]);
  expect(created).toMatch(/has just been deleted/);
});

test("the disk use of jobs and base models is what their trainer reports, and unknown without a report", async () => {
  const { ctx, trainerId, jobId } = await world();
  const id = (await listBaseModels(ctx, {})).baseModels[0]!.id;
  const sizes = async () => {
    const { baseModels: listed } = await listBaseModels(ctx, {});
    return [(await getJob(ctx, { jobId })).job.diskBytes, ...listed.slice(0, 2).map(({ diskBytes }) => diskBytes)];
  };
  expect(await sizes()).toEqual([null, null, null]);
  const disk = { total: 9_000, jobs: { [jobId]: 5_000 }, base_models: [{ id, bytes: 4_000 }] };
  await ctx.db
    .update(trainers)
    .set({ capabilities: sql`${trainers.capabilities} || ${JSON.stringify({ disk })}::jsonb` })
    .where(eq(trainers.id, trainerId));
  expect(await sizes()).toEqual([5_000, 4_000, 0]);
  const odd = { total: "much", jobs: { [jobId]: "5" }, base_models: "none" };
  await ctx.db
    .update(trainers)
    .set({ capabilities: sql`${trainers.capabilities} || ${JSON.stringify({ disk: odd })}::jsonb` })
    .where(eq(trainers.id, trainerId));
  expect(await sizes()).toEqual([null, 0, 0]);
});
