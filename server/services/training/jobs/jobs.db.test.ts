import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { checkpoints, trainingEvents, trainingJobs, trainingManifests, trainingPoints } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { deleteDataset } from "@/server/services/datasets";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { listCheckpoints } from "@/server/services/models";
import { CATALOGUE } from "@/server/services/models/base-models/catalogue";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import {
  cancelJob,
  createJob,
  createTuningConfig,
  getJob,
  listJobs,
  pauseJob,
  resumeJob,
  runTrainingJob,
  updateTuningConfig,
  validateJob,
  wakeTrainingJobs,
} from "..";

const model = CATALOGUE[0]!.id;
let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  Object.assign(trainer, { isReachable: true, script: [], report: { ok: true } });
  for (const state of [trainer.answers, trainer.lost, trainer.jobs, trainer.manifests]) state.clear();
  trainer.calls.length = 0;
});

const RUNNING = { type: "job.status", data: { status: "running", phase: "training" } };
const SUCCEEDED = { type: "job.finished", data: { status: "succeeded", stop_reason: "completed" } };

async function world() {
  const { ctx, asKey } = await testProject();
  const datasetId = await storedDataset(ctx);
  await write(ctx, datasetId, [
    creating("one", { split: "train" }),
    creating("two", { split: "train" }),
    creating("held out", { split: "validation" }),
  ]);
  const input = { datasetId, baseModel: { id: model }, method: "sft", adapter: "lora" } as const;
  const create = async (more: object = {}) => (await createJob(ctx, { ...input, ...more })).job;
  const read = async (jobId: string) => (await getJob(ctx, { jobId })).job;
  return { ctx, asKey, datasetId, input, create, read };
}
const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

test("a job is frozen, queued, sent to its trainer once, and followed to its end", async () => {
  const { ctx, create, read } = await world();
  trainer.script = [RUNNING, SUCCEEDED];
  const job = await create({ training: { learningRate: 0.001, perDeviceTrainBatchSize: 2 }, name: "Answers 1" });
  expect(job).toMatchObject({
    name: "Answers 1",
    status: "queued",
    manifest: { rows: 2, rowsErased: 0 },
    validationManifest: { rows: 1 },
    spec: { method: "sft", training: { learningRate: 0.001 }, baseModel: { id: model, source: "hub" } },
    canResume: false,
  });
  expect(await runTrainingJob(ctx, job.id)).toEqual({ done: true });
  expect(await read(job.id)).toMatchObject({
    status: "succeeded",
    stopReason: "completed",
    finishedAt: expect.any(Number),
  });
  expect(trainer.jobs.get(job.id)?.spec).toMatchObject({
    spec_version: 2,
    engine: "transformers",
    base_model: { id: model, source: "hub", checkpoint_id: null, trust_remote_code: false },
    manifest: {
      sha256: job.manifest.sha256,
      rows: 2,
      schema: "chat.v1",
      validation: { sha256: job.validationManifest?.sha256 },
    },
    training: { learning_rate: 0.001, per_device_train_batch_size: 2 },
    output: { formats: ["safetensors"], gguf_quantizations: [], compressed_quantizations: [] },
  });
  expect([...trainer.manifests.keys()].sort()).toEqual([job.manifest.sha256, job.validationManifest!.sha256].sort());
  trainer.calls.length = 0;
  expect(await runTrainingJob(ctx, job.id)).toEqual({ done: true });
  expect(trainer.calls).toEqual([]);
});

test("other tools' parameter names are accepted, and ours take precedence", async () => {
  const { create } = await world();
  const { spec } = await create({
    training: { n_epochs: 2, batch_size: 4, max_seq_length: 512, maxLength: 256, learning_rate: 0.01 },
    lora: { lora_r: 8, lora_alpha: 16 },
  });
  expect(spec).toMatchObject({
    training: { numTrainEpochs: 2, perDeviceTrainBatchSize: 4, maxLength: 256, learningRate: 0.01 },
    lora: { r: 8, loraAlpha: 16 },
  });
  await expect(create({ training: { n_epoch: 2 } })).rejects.toThrow(/nEpoch/);
});

test("a job can name the tokenizer that llama.cpp does not recognize", async () => {
  const { ctx, create } = await world();
  const { id } = await create({
    output: { formats: ["safetensors", "gguf"], ggufQuantizations: ["q8_0"], tokenizerPre: "gpt-2" },
  });
  await runTrainingJob(ctx, id);
  expect(trainer.jobs.get(id)?.spec).toMatchObject({
    metadata: { tokenizer_pre: "gpt-2" },
    output: { formats: ["safetensors", "gguf"], gguf_quantizations: ["q8_0"], compressed_quantizations: [] },
  });
  expect(trainer.jobs.get(id)?.spec.output).not.toHaveProperty("tokenizer_pre");
});

test("an untrainable job is refused with the reason, and is not stored", async () => {
  const { ctx, create, datasetId } = await world();
  await expect(create({ baseModel: { id: "nobody/nothing" } })).rejects.toMatchObject(
    refused("unprocessable", /nobody\/nothing is not known/),
  );
  await expect(create({ baseModel: { checkpointId: "ckpt_1" } })).rejects.toMatchObject(
    refused("unprocessable", /checkpoint was not found/),
  );
  await expect(create({ method: "dpo" })).rejects.toMatchObject(refused("unprocessable", /^2 of 2 training Examples/));
  await expect(create({ adapter: "qlora" })).rejects.toMatchObject(refused("unprocessable", /bitsandbytes/));
  await expect(create({ datasetId: await storedDataset(ctx) })).rejects.toMatchObject(
    refused("unprocessable", /no Examples/),
  );
  const other = await world();
  await expect(other.create({ datasetId })).rejects.toMatchObject({ code: "not_found" });
  await expect(create({ clonedFromId: "job_1" })).rejects.toMatchObject({ code: "not_found" });
  expect((await listJobs(ctx, {})).jobs).toEqual([]);
});

test("a lost reply and a second dispatch create one job", async () => {
  const { ctx, create, read } = await world();
  const { id } = await create();
  trainer.lost.add(`PUT /jobs/${id}`);
  expect(await runTrainingJob(ctx, id)).toEqual({ done: false });
  expect(await read(id)).toMatchObject({ status: "queued", staleSince: expect.any(Number) });
  trainer.lost.clear();
  await Promise.all([runTrainingJob(ctx, id), runTrainingJob(ctx, id)]);
  expect(trainer.jobs.size).toBe(1);
  expect(trainer.calls.filter((call) => call === `PUT /jobs/${id}`).length).toBeGreaterThan(1);
  expect(await read(id)).toMatchObject({ staleSince: null });
});

test("a job is stale while its trainer is unreachable, and continues afterwards", async () => {
  const { ctx, create, read } = await world();
  trainer.script = [RUNNING];
  const { id } = await create();
  await runTrainingJob(ctx, id);
  trainer.isReachable = false;
  await runTrainingJob(ctx, id);
  const { staleSince } = await read(id);
  expect(staleSince).toEqual(expect.any(Number));
  await runTrainingJob(ctx, id);
  expect(await read(id)).toMatchObject({ status: "running", staleSince });
  trainer.isReachable = true;
  trainer.say(id, SUCCEEDED);
  await runTrainingJob(ctx, id);
  expect(await read(id)).toMatchObject({ status: "succeeded", staleSince: null });
});

test("a job that its trainer refuses fails with the trainer's reason, and one refused temporarily waits", async () => {
  const { ctx, create, read } = await world();
  const error = { code: "disk_full", message: "No space.", hint: "Free some.", retryable: false, log_tail: [] };
  const [first, second, third] = [await create(), await create(), await create()];
  trainer.answers.set(`PUT /jobs/${first.id}`, { status: 422, body: { error } });
  trainer.answers.set(`PUT /jobs/${second.id}`, { status: 503, body: { error } });
  for (const { id } of [first, second, third]) await runTrainingJob(ctx, id);
  expect(await read(first.id)).toMatchObject({ status: "failed", error: { code: "disk_full", hint: "Free some." } });
  expect(await read(second.id)).toMatchObject({ status: "queued", error: null });
  trainer.jobs.clear();
  await runTrainingJob(ctx, third.id);
  expect(await read(third.id)).toMatchObject({ status: "failed", error: { code: "worker_vanished" } });
});

test("a job that no trainer has is cancelled immediately, another when its trainer confirms, and an ended one not at all", async () => {
  const { ctx, create, read } = await world();
  const queued = await create();
  expect((await cancelJob(ctx, { jobId: queued.id })).job).toMatchObject({ status: "cancelled", stopReason: "user" });
  expect(await runTrainingJob(ctx, queued.id)).toEqual({ done: true });
  expect(trainer.jobs.size).toBe(0);
  trainer.script = [RUNNING];
  const running = await create();
  await runTrainingJob(ctx, running.id);
  trainer.isReachable = false;
  expect((await cancelJob(ctx, { jobId: running.id, mode: "discard" })).job.status).toBe("cancelling");
  await runTrainingJob(ctx, running.id);
  expect(await read(running.id)).toMatchObject({ status: "cancelling", staleSince: expect.any(Number) });
  trainer.isReachable = true;
  await runTrainingJob(ctx, running.id);
  expect(await read(running.id)).toMatchObject({ status: "cancelled", stopReason: "user" });
  expect((await cancelJob(ctx, { jobId: running.id })).job.status).toBe("cancelled");
  // Its PUT never arrived, and it was cancelled in the meantime.
  const unsent = await create();
  trainer.isReachable = false;
  await runTrainingJob(ctx, unsent.id);
  await cancelJob(ctx, { jobId: unsent.id });
  trainer.isReachable = true;
  await runTrainingJob(ctx, unsent.id);
  expect(await read(unsent.id)).toMatchObject({ status: "cancelled" });
});

test("only a running job is paused, and only a paused one is resumed", async () => {
  const { ctx, create, read } = await world();
  trainer.script = [RUNNING];
  const { id: jobId } = await create();
  await expect(pauseJob(ctx, { jobId })).rejects.toMatchObject({ code: "conflict" });
  await runTrainingJob(ctx, jobId);
  await expect(resumeJob(ctx, { jobId })).rejects.toMatchObject(refused("conflict", /in progress/));
  expect((await pauseJob(ctx, { jobId })).job.status).toBe("pausing");
  await runTrainingJob(ctx, jobId);
  expect(await read(jobId)).toMatchObject({ status: "paused", canResume: true, resumeBlockedReason: null });
  await expect(resumeJob(ctx, { jobId, checkpointId: "ckpt_1" })).rejects.toMatchObject({ code: "unprocessable" });
  expect((await resumeJob(ctx, { jobId })).job.status).toBe("queued");
  await runTrainingJob(ctx, jobId);
  expect(await read(jobId)).toMatchObject({ status: "running", attempt: 2 });
  trainer.say(jobId, { ...SUCCEEDED, attempt: 2 });
  await runTrainingJob(ctx, jobId);
  expect(await read(jobId)).toMatchObject({ status: "succeeded", canResume: false });
});

test("a Dataset cannot be deleted while a job that trains on it is unfinished", async () => {
  const { ctx, create, datasetId } = await world();
  const { id: jobId } = await create();
  await expect(deleteDataset(ctx, { datasetId })).rejects.toMatchObject(refused("conflict", /training job/));
  await cancelJob(ctx, { jobId });
  expect(await deleteDataset(ctx, { datasetId })).toEqual({ ok: true });
  expect((await getJob(ctx, { jobId })).job.datasetId).toBe(datasetId);
});

test("a dry run returns the trainer's report with Example ids, and starts nothing", async () => {
  const { ctx, input } = await world();
  trainer.report = {
    ok: false,
    errors: [{ code: "template_missing", message: "No template.", hint: "Choose another model." }],
    warnings: [{ code: "duplicate_examples", message: "2 rows are equal", count: 2, example_ids: ["ex_1", "ex_2"] }],
    rows: { total: 3, usable: 2, too_long: 1, label_counts: null },
    dropped: [{ example_id: "ex_3", code: "example_too_long", message: "900 tokens", tokens: 900, split: "train" }],
    tokens: { total: 900, trained: 90, p50: 1, p95: 2, p99: 3, max: 4, histogram: [{ start: 0, end: 64, rows: 3 }] },
    rendered_examples: [
      {
        example_id: "ex_3",
        reason: "worst",
        part: "messages",
        tokens: 900,
        segments: [
          { text: "ha", trained: true, weight: 0.5 },
          { text: "hi", trained: true, cut: true },
        ],
        turns: [
          { role: "user", weight: null },
          { role: "assistant", weight: 0.5 },
        ],
      },
    ],
    steps_total: 12,
    memory: null,
  };
  const { validation } = await validateJob(ctx, input);
  expect(validation).toMatchObject({
    ok: false,
    errors: [{ code: "template_missing", hint: "Choose another model." }],
    warnings: [{ message: "2 rows are equal (ex_1, ex_2)" }],
    rows: { total: 3, tooLong: 1, duplicate: 0 },
    dropped: [{ exampleId: "ex_3", code: "example_too_long" }],
    tokens: { histogram: [{ from: 0, to: 64, rows: 3 }] },
    renderedExamples: [
      {
        exampleId: "ex_3",
        why: "worst, messages",
        segments: [
          { text: "ha", trained: true, weight: 0.5 },
          { text: "hi", trained: false, weight: 0 },
        ],
        turns: [
          { role: "user", weight: null },
          { role: "assistant", weight: 0.5 },
        ],
      },
    ],
    memory: { fits: "unknown" },
    template: { hasTemplate: false },
    stepsTotal: 12,
    datasetVersion: 1,
    trainRows: 2,
    validationRows: 1,
  });
  expect(trainer.jobs.size).toBe(0);
  expect((await listJobs(ctx, {})).jobs).toEqual([]);
  trainer.isReachable = false;
  await expect(validateJob(ctx, input)).rejects.toMatchObject({ code: "unavailable" });
});

test("jobs are filtered by status and Dataset, and another project's are not found", async () => {
  const { ctx, create, datasetId, asKey } = await world();
  const [first, second] = [await create(), await create({ name: "Second" })];
  await cancelJob(ctx, { jobId: first.id });
  const idsOf = async (filter: object) => (await listJobs(ctx, filter)).jobs.map(({ id }) => id);
  expect(await idsOf({})).toEqual([second.id, first.id]);
  expect(await idsOf({ status: "cancelled" })).toEqual([first.id]);
  expect(await idsOf({ datasetId: "ds_1" })).toEqual([]);
  expect(await idsOf({ datasetId, limit: 1 })).toEqual([second.id]);
  const other = await world();
  expect((await listJobs(other.ctx, {})).jobs).toEqual([]);
  for (const verb of [getJob, cancelJob, pauseJob, resumeJob]) {
    await expect(verb(other.ctx, { jobId: second.id })).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await runTrainingJob(other.ctx, second.id)).toEqual({ done: true });
  const reply = await cancelJob(asKey("models:manage"), { jobId: second.id });
  expect(Object.keys(reply.job).sort()).toEqual(["createdAt", "finishedAt", "id", "status"]);
});

test("an unfinished job is woken, and an ended one is not due", async () => {
  const { ctx, create } = await world();
  trainer.script = [RUNNING, SUCCEEDED];
  const { id } = await create();
  const due = async () => (await ctx.db.select().from(trainingJobs).where(eq(trainingJobs.id, id)))[0]?.dueAt;
  expect(await due()).toEqual(expect.any(Number));
  expect(await wakeTrainingJobs(ctx.db)).toBeGreaterThan(0);
  await runTrainingJob(ctx, id);
  expect(await due()).toBeNull();
});

test("a job restored to an earlier state catches up with its trainer", async () => {
  const { ctx, create, read } = await world();
  const files = [{ path: "model/a.safetensors", size: 3, sha256: "d" }];
  const checkpoint = { checkpoint_id: "ckpt_restored", step_number: 4, kind: "adapter", bytes: 3, files };
  const base = { base_model: { id: model, revision: null }, content_sha256: "c", resumable: true, is_final: true };
  trainer.script = [
    RUNNING,
    { type: "metrics", data: { step: 4, train_loss: 0.5 } },
    { type: "checkpoint.saved", data: { ...checkpoint, ...base, created_at: "2026-01-01T00:00:00.000Z" } },
    SUCCEEDED,
  ];
  const { id } = await create();
  const isIt = eq(trainingJobs.id, id);
  const [queued] = await ctx.db.select().from(trainingJobs).where(isIt);
  await runTrainingJob(ctx, id);
  const ended = await read(id);
  // As restored from a backup: queued, without anything that happened later.
  for (const table of [trainingEvents, trainingPoints, checkpoints])
    await ctx.db.delete(table).where(eq(table.jobId, id));
  await ctx.db.update(trainingJobs).set(queued!).where(isIt);
  expect(await read(id)).toMatchObject({ status: "queued", lastMetrics: {} });
  await runTrainingJob(ctx, id);
  const { finishedAt, updatedAt, startedAt, ...rest } = ended;
  expect(await read(id)).toMatchObject({ ...rest, status: "succeeded", lastMetrics: { train_loss: 0.5 } });
  expect((await listCheckpoints(ctx, { jobId: id })).checkpoints).toMatchObject([
    { id: "ckpt_restored", stepNumber: 4 },
  ]);
  expect(trainer.jobs.size).toBe(1);
});

test("a job keeps its Examples and settings when the Dataset or the configuration changes", async () => {
  const { ctx, create, read, datasetId, input } = await world();
  const { tuningConfig } = await createTuningConfig(ctx, { ...input, name: "Weekly", training: { learningRate: 0.1 } });
  const job = await create({ training: { learningRate: 0.1 } });
  await ctx.db.update(trainingJobs).set({ tuningConfigId: tuningConfig.id }).where(eq(trainingJobs.id, job.id));
  await write(ctx, datasetId, [creating("three", { split: "train" })]);
  await updateTuningConfig(ctx, { configId: tuningConfig.id, training: { learningRate: 0.2 }, method: "kto" });
  await runTrainingJob(ctx, job.id);
  const { manifest, spec, datasetVersion } = await read(job.id);
  expect({ manifest, spec, datasetVersion }).toEqual({
    manifest: job.manifest,
    spec: job.spec,
    datasetVersion: job.datasetVersion,
  });
  expect(trainer.manifests.get(job.manifest.sha256)).not.toContain("three");
  expect(trainer.jobs.get(job.id)?.spec).toMatchObject({ method: "sft", training: { learning_rate: 0.1 } });
});

test("training for more epochs after the end is a new job that continues from the checkpoint", async () => {
  const { ctx, create } = await world();
  trainer.script = [RUNNING, SUCCEEDED];
  const { id: jobId } = await create();
  await runTrainingJob(ctx, jobId);
  await expect(resumeJob(ctx, { jobId })).rejects.toMatchObject(
    refused("conflict", /new job from one of its checkpoints/),
  );
  const checkpointId = await storedCheckpoint(ctx, jobId, { baseModel: { id: model, revision: "a".repeat(40) } });
  const more = await create({ baseModel: { checkpointId }, training: { numTrainEpochs: 2 } });
  expect(more.baseModel).toEqual({ id: model, revision: "a".repeat(40), checkpointId });
  await runTrainingJob(ctx, more.id);
  expect(trainer.jobs.get(more.id)?.spec).toMatchObject({
    base_model: { id: model, source: "checkpoint", checkpoint_id: checkpointId },
    training: { num_train_epochs: 2 },
  });
  const pruned = await storedCheckpoint(ctx, jobId, { state: "pruned" });
  await expect(create({ baseModel: { checkpointId: pruned } })).rejects.toMatchObject(
    refused("unprocessable", /deleted/),
  );
});

test("a job whose Examples were erased fails, and its manifest is not sent", async () => {
  const { ctx, create, read } = await world();
  const { id, manifest } = await create();
  await ctx.db
    .update(trainingManifests)
    .set({ fileId: null, erasedAt: 1, rowsErased: 1 })
    .where(eq(trainingManifests.sha256, manifest.sha256));
  await runTrainingJob(ctx, id);
  expect(await read(id)).toMatchObject({ status: "failed", error: { code: "manifest_not_found" } });
  expect(trainer.manifests.size).toBe(0);
});
