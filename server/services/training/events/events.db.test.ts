import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { checkpoints, jobEvents, trainingArtifacts, trainingJobs, trainingManifests } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedJob } from "../testing/stored-job";
import { getMetrics, listEvents, storeEvents, streamEvents } from ".";

let ctx: Ctx;
let jobId: string;
beforeEach(async () => {
  ({ ctx } = await testProject());
  jobId = newId("job");
  const { projectId } = ctx;
  const manifest = { projectId, sha256: "ab".repeat(32), fileId: "fil_1" };
  await db()
    .insert(trainingManifests)
    .values({ ...manifest, datasetId: "ds_1", datasetVersion: 1, split: "train", method: "sft", rows: 1, bytes: 1 });
  await db()
    .insert(trainingJobs)
    .values({
      ...{ projectId, id: jobId, name: "Test", status: "queued", datasetId: "ds_1", datasetVersion: 1 },
      ...{ method: "sft", adapter: "lora", spec: {}, baseModelId: "tiny", manifestSha256: manifest.sha256 },
      ...{ actorKind: "job", updatedAt: 1 },
    });
});

type Data = Record<string, unknown>;
const event = (seq: number, type: string, data: Data = {}, attempt = 1) => ({
  ...{ seq, attempt, type, data, job_id: jobId },
  ...{ ts: new Date(1_700_000_000_000 + seq * 1000).toISOString(), level: "info", message: `${type} ${seq}` },
});
const store = (events: readonly unknown[], id = jobId) => inTransaction(ctx, (tx) => storeEvents(tx, { id }, events));
const job = async () => {
  const [row] = await db().select().from(trainingJobs).where(eq(trainingJobs.id, jobId));
  if (!row) throw new Error("The job is gone.");
  return row;
};
const seqs = async (after = 0) => (await listEvents(ctx, { jobId, after })).events.map(({ seq }) => seq);
const loss = (seq: number, step: number, value: number, attempt = 1) =>
  event(seq, "metrics", { step, train_loss: value, learning_rate: 0.1, epoch: 1 }, attempt);
const chart = async (asked: { points?: number; afterStep?: number } = {}) =>
  (await getMetrics(ctx, { jobId, series: "train_loss", ...asked })).metrics[0];

test("an event that arrives twice, late or out of order takes effect once and in order", async () => {
  const [one, two, three, four] = [1, 2, 3, 4].map((seq) => event(seq, "warning", { code: `w${seq}` }));
  expect(await store([two, one, one])).toEqual({ lastSeq: 2 });
  expect(await store([four])).toEqual({ lastSeq: 2 });
  expect(await store([one, two, three, four])).toEqual({ lastSeq: 4 });
  expect(await store([{ ...event(4, "job.finished", { status: "failed" }) }])).toEqual({ lastSeq: 4 });
  expect(await seqs()).toEqual([1, 2, 3, 4]);
  expect((await job()).status).toBe("queued");
});

test("an event of an earlier attempt changes nothing", async () => {
  await store([event(1, "job.status", { status: "running" }), event(2, "restart", {}, 2)]);
  expect(await store([event(3, "job.finished", { status: "failed" }, 1)])).toEqual({ lastSeq: 2 });
  expect(await job()).toMatchObject({ status: "running", attempt: 2, lastSeq: 2 });
});

test("a job has the status, phase and progress that its trainer reported, and each status change is announced once", async () => {
  await store([
    event(1, "job.status", { status: "running", phase: "loading_model" }),
    event(2, "phase.started", { phase: "training" }),
    event(3, "phase.progress", { phase: "training", step: 3, total_steps: 10, percent: 30, eta_seconds: 7 }),
    event(4, "phase.started", { phase: "saving" }),
    event(5, "phase.finished", { phase: "saving" }),
  ]);
  const running = await job();
  expect(running).toMatchObject({
    status: "running",
    phase: "training",
    progress: { step: 3, totalSteps: 10, percent: 30 },
  });
  expect(running.startedAt).not.toBeNull();
  await store([event(6, "job.finished", { status: "succeeded", stop_reason: "completed" })]);
  expect(await job()).toMatchObject({ status: "succeeded", stopReason: "completed", phase: null, dueAt: null });
  expect((await job()).finishedAt).not.toBeNull();
  const told = (await db().select().from(jobEvents).where(eq(jobEvents.projectId, ctx.projectId))).map(({ id }) => id);
  expect(told.sort()).toEqual([`training-moved:${jobId}:5`, `training-moved:${jobId}:6`]);
});

test("a failure keeps its reason, and one without a reason gets a general one", async () => {
  const error = {
    code: "diverged",
    message: "The loss is no number.",
    hint: "Lower the learning rate.",
    log_tail: ["x"],
  };
  await store([event(1, "job.finished", { status: "failed", error })]);
  expect((await job()).error).toMatchObject({ code: "diverged", hint: "Lower the learning rate.", logTail: ["x"] });
  await store([event(2, "job.status", { status: "running" }, 2), event(3, "job.finished", { status: "failed" }, 2)]);
  expect((await job()).error).toMatchObject({ code: "worker_vanished" });
});

test("a requested cancellation is not undone by an earlier status of the trainer", async () => {
  await store([event(1, "job.status", { status: "running" })]);
  const requested = { id: "r", action: "cancel", mode: "save" };
  await db().update(trainingJobs).set({ status: "cancelling", requested }).where(eq(trainingJobs.id, jobId));
  await store([event(2, "job.status", { status: "running" })]);
  expect(await job()).toMatchObject({ status: "cancelling", requested });
  await store([event(3, "job.finished", { status: "cancelled", stop_reason: "user" })]);
  expect(await job()).toMatchObject({ status: "cancelled", requested: null, stopReason: "user" });
});

const checkpoint = (id: string, step: number, more: Data = {}) => ({
  ...{ checkpoint_id: id, step_number: step, epoch: 1, kind: "adapter", metrics: { train_loss: 0.5 }, bytes: 3 },
  ...{ created_at: "2026-01-01T00:00:00.000Z", content_sha256: "c", resumable: true, is_best: true, is_final: false },
  ...{ files: [{ path: "model/a.safetensors", size: 3, sha256: "d" }], base_model: { id: "tiny", revision: null } },
  ...more,
});

test("a checkpoint is registered once, only one is the best, and a pruned one is kept as a record", async () => {
  await store([
    event(1, "checkpoint.saved", checkpoint("ckpt_a", 1)),
    event(2, "checkpoint.saved", checkpoint("ckpt_b", 2)),
    event(3, "checkpoint.saved", checkpoint("ckpt_b", 2, { is_final: true, inference_profile: { stop: ["x"] } })),
    event(4, "checkpoint.pruned", { checkpoint_id: "ckpt_a" }),
    event(5, "artifact.ready", { artifact_id: "art_1", checkpoint_id: "ckpt_b", kind: "gguf", quantization: "q8_0" }),
    event(6, "artifact.failed", {
      ...{ artifact_id: "art_2", checkpoint_id: "ckpt_b", kind: "gguf", quantization: "f16" },
      ...{ error: { code: "disk_full", message: "Full." }, warnings: [{ code: "w", message: "Careful." }] },
    }),
  ]);
  const rows = await db()
    .select()
    .from(checkpoints)
    .where(eq(checkpoints.jobId, jobId))
    .orderBy(checkpoints.stepNumber);
  expect(rows).toMatchObject([
    { id: "ckpt_a", state: "pruned", isBest: false, resumable: false },
    { id: "ckpt_b", state: "stored", isBest: true, isFinal: true, inferenceProfile: { stop: ["x"] } },
  ]);
  const built = await db()
    .select()
    .from(trainingArtifacts)
    .where(eq(trainingArtifacts.jobId, jobId))
    .orderBy(trainingArtifacts.id);
  expect(built).toMatchObject([
    { id: "art_1", state: "ready", error: null },
    { id: "art_2", state: "failed", error: { code: "disk_full" }, warnings: ["Careful."] },
  ]);
});

test("a checkpoint or artifact with impossible values is not registered, and the events after it are", async () => {
  const file = { path: "model/a", size: 1, sha256: "d" };
  const built = { artifact_id: "art_1", checkpoint_id: "ckpt_ok", kind: "gguf" };
  const refused: [string, Data][] = [
    ...["../a", "a/../../b", "/etc/passwd", "a//b", "./a", "..\\a", "a\u0001", ""].map((path): [string, Data] => [
      "checkpoint.saved",
      checkpoint("ckpt_x", 1, { files: [{ ...file, path }] }),
    ]),
    ["checkpoint.saved", checkpoint("ckpt_x", 2 ** 31)],
    ...[-1, 1.5, 1e30].flatMap((size): [string, Data][] => [
      ["checkpoint.saved", checkpoint("ckpt_x", 1, { bytes: size })],
      ["checkpoint.saved", checkpoint("ckpt_x", 1, { files: [{ ...file, size }] })],
    ]),
    ["checkpoint.saved", checkpoint("ckpt_theirs", 7)],
    ["artifact.ready", { ...built, checkpoint_id: "ckpt_theirs" }],
    ["artifact.ready", { ...built, checkpoint_id: "ckpt_none" }],
    ["artifact.failed", { ...built, artifact_id: "x".repeat(501) }],
  ];
  const other = await storedJob(ctx);
  await storedCheckpoint(ctx, other, { id: "ckpt_theirs", stepNumber: 3 });
  await store(
    [...refused, ["checkpoint.saved", checkpoint("ckpt_ok", 9)] as const].map(([type, data], n) =>
      event(n + 1, type, data),
    ),
  );
  expect(await job()).toMatchObject({ lastSeq: refused.length + 1 });
  const rows = await db()
    .select()
    .from(checkpoints)
    .where(eq(checkpoints.projectId, ctx.projectId))
    .orderBy(checkpoints.id);
  expect(rows).toMatchObject([
    { id: "ckpt_ok", jobId, stepNumber: 9 },
    { id: "ckpt_theirs", jobId: other, stepNumber: 3 },
  ]);
  expect(await db().$count(trainingArtifacts, eq(trainingArtifacts.projectId, ctx.projectId))).toBe(0);
});

test("measurements are in the charts and not in the log, whose numbering continues", async () => {
  await store([event(1, "warning"), loss(2, 1, 4), event(3, "eval", { step: 1, eval_loss: 2, raw: { eval_loss: 2 } })]);
  expect(await listEvents(ctx, { jobId })).toMatchObject({
    events: [{ seq: 1 }, { seq: 3 }],
    lastSeq: 3,
    finished: false,
  });
  const { metrics, lastStep } = await getMetrics(ctx, { jobId });
  expect(metrics.map(({ series, mean }) => [series, mean])).toEqual([
    ["eval_loss", [2]],
    ["learning_rate", [0.1]],
    ["train_loss", [4]],
  ]);
  expect(lastStep).toBe(1);
});

test("a long chart is summarized without losing its extremes", async () => {
  const all = Array.from({ length: 300 }, (_, index) => loss(index + 1, index, index === 150 ? 1000 : index));
  for (let from = 0; from < all.length; from += 7) await store(all.slice(from, from + 7));
  const drawn = await chart({ points: 10 });
  expect(drawn).toMatchObject({ stepsPerPoint: 32 });
  expect(drawn?.step).toEqual([31, 63, 95, 127, 159, 191, 223, 255, 287, 299]);
  expect(drawn?.mean[0]).toBe(15.5);
  expect([drawn?.min[4], drawn?.max[4]]).toEqual([128, 1000]);
  expect(await chart({ points: 500 })).toMatchObject({ stepsPerPoint: 1, step: all.map((_, step) => step) });
  expect((await chart({ afterStep: 297 }))?.step).toEqual([298, 299]);
});

test("steps repeated by a restarted worker are in the chart once, at every resolution", async () => {
  const first = Array.from({ length: 100 }, (_, step) => loss(step + 1, step, 1));
  const second = Array.from({ length: 60 }, (_, index) => loss(101 + index, 60 + index, 3, 2));
  await store([...first, ...second.slice(0, 1)]);
  await store(second.slice(1));
  expect((await chart())?.mean).toEqual([...Array(60).fill(1), ...Array(60).fill(3)]);
  const coarse = await chart({ points: 10 });
  expect(coarse?.step).toEqual([31, 63, 95, 119]);
  expect(coarse?.mean).toEqual([1, (28 + 4 * 3) / 32, 3, 3]);
});

test("a wait for events ends with the first event", async () => {
  await store([event(1, "warning")]);
  const waiting = listEvents(ctx, { jobId, after: 1, wait: 20 });
  await store([event(2, "warning")]);
  expect((await waiting).events.map(({ seq }) => seq)).toEqual([2]);
});

test("the stream sends each event with its number and ends with its job", async () => {
  await store([event(1, "warning"), loss(2, 1, 4)]);
  const { body, mediaType } = await streamEvents(ctx, { jobId });
  expect(mediaType).toBe("text/event-stream");
  const parts: string[] = [];
  for await (const part of body as AsyncIterable<string>) {
    parts.push(part);
    if (part.includes("event: charts")) await store([event(3, "job.finished", { status: "succeeded" })]);
  }
  expect(parts.map((part) => part.split("\n").slice(0, 2))).toEqual([
    [": connected", ""],
    ["id: 1", "event: warning"],
    ["id: 2", "event: charts"],
    ["id: 3", "event: job.finished"],
    ["event: end", 'data: {"lastSeq":3}'],
  ]);
});

test("invalid text is stored with replacements, and invalid numbers are left out", async () => {
  await store([
    { ...event(1, "warning", { text: "a\u0000b\ud800" }), message: "\u0000" },
    event(2, "metrics", { step: 1, train_loss: null, grad_norm: "NaN", nonfinite: true, kl: 1 }),
    { seq: 3 },
  ]);
  expect((await listEvents(ctx, { jobId })).events[0]?.data.text).toBe("a\uFFFDb\uFFFD");
  expect((await getMetrics(ctx, { jobId })).metrics.map(({ series }) => series)).toEqual(["kl"]);
});

test("another project's job has no events, charts or stream, and accepts no events", async () => {
  await store([event(1, "warning"), loss(2, 1, 4)]);
  const other = (await testProject()).ctx;
  await expect(listEvents(other, { jobId })).rejects.toMatchObject({ code: "not_found" });
  await expect(getMetrics(other, { jobId })).rejects.toMatchObject({ code: "not_found" });
  await expect(streamEvents(other, { jobId })).rejects.toMatchObject({ code: "not_found" });
  await inTransaction(other, (tx) => storeEvents(tx, { id: jobId }, [event(3, "job.finished", { status: "failed" })]));
  expect(await job()).toMatchObject({ status: "queued", lastSeq: 2 });
});
