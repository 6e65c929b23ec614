import { createHash, randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import {
  checkpoints,
  files,
  parityCertificates,
  trainingEvents,
  trainingJobs,
  trainingManifests,
  trainingRemovals,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { deleteDataset, deleteDatasetRows, ofUser } from "@/server/services/datasets";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { deleteUserData, runDeletion } from "@/server/services/deletion";
import { storedCertificate, storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";
import { storedJob } from "../testing/stored-job";
import { forgetTraining } from "./forget-training";

const content = () => {
  const sha256 = createHash("sha256").update(randomUUID()).digest("hex");
  return { sha256, object: sha256 };
};

type Job = typeof trainingJobs.$inferInsert;

/** A Dataset with one Example per user, and a job that trains on its first version. */
async function trained(ctx: Ctx, users: readonly (string | null)[], changes: Partial<Job> = {}) {
  const datasetId = await storedDataset(ctx);
  const link = (userId: string | null) => ({ link: { conversationId: null, userId, turn: 0, findingId: null } });
  await write(
    ctx,
    datasetId,
    users.map((user, n) => creating(`Question ${n} of ${user}`, { split: "train", ...link(user) } as never) as never),
  );
  const fileId = newId("fil");
  const common = { projectId: ctx.projectId, resumable: false, mediaType: "application/jsonl" };
  await ctx.db
    .insert(files)
    .values({ ...common, id: fileId, kind: "manifest", name: "m.jsonl", state: "stored", bytes: 3, ...content() });
  const jobId = await storedJob(ctx, { datasetId, ...changes });
  const [job] = await ctx.db.select().from(trainingJobs).where(eq(trainingJobs.id, jobId));
  const manifest = and(
    eq(trainingManifests.projectId, ctx.projectId),
    eq(trainingManifests.sha256, job!.manifestSha256),
  );
  await ctx.db
    .update(trainingManifests)
    .set({ datasetId, datasetVersion: 1, rows: users.length, fileId })
    .where(manifest);
  const event = { projectId: ctx.projectId, jobId, attempt: 1, at: 1, level: "info", message: "", data: {} } as const;
  await ctx.db.insert(trainingEvents).values([
    { ...event, seq: 1, type: "sample", data: { prompt: "Question 0" } },
    { ...event, seq: 2, type: "checkpoint.saved" },
  ]);
  return { datasetId, jobId, fileId, checkpointId: await storedCheckpoint(ctx, jobId), manifest };
}
type Trained = Awaited<ReturnType<typeof trained>>;

async function stateOf({ db, projectId }: Ctx, { jobId, checkpointId, fileId, manifest }: Trained) {
  const [job] = await db
    .select()
    .from(trainingJobs)
    .where(and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, jobId)));
  const [checkpoint] = await db.select().from(checkpoints).where(eq(checkpoints.id, checkpointId));
  const [frozen] = await db.select().from(trainingManifests).where(manifest);
  const [file] = await db.select().from(files).where(eq(files.id, fileId));
  const events = await db.select().from(trainingEvents).where(eq(trainingEvents.jobId, jobId));
  return {
    job: job!,
    isTainted: [job!.taintedAt !== null, checkpoint!.taintedAt !== null],
    rowsErased: frozen!.rowsErased,
    hasContent: frozen!.fileId !== null,
    file: file?.state,
    events: events.map(({ type }) => type),
  };
}
const forget = (ctx: Ctx, userId: string) => inTransaction(ctx, (tx) => forgetTraining(tx, ofUser(userId)));
const removalsOf = ({ db, projectId }: Ctx) =>
  db.select().from(trainingRemovals).where(eq(trainingRemovals.projectId, projectId));
const untouched = {
  isTainted: [false, false],
  rowsErased: 0,
  hasContent: true,
  file: "stored",
  events: ["sample", "checkpoint.saved"],
};

test("forgetting a user deletes the frozen file and marks the checkpoints trained on it, in that project only", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  const [taught, other, foreign] = [
    await trained(ours, ["ann", "ann", "bob"], { status: "succeeded", finishedAt: 1 }),
    await trained(ours, ["bob"]),
    await trained(theirs, ["ann"]),
  ];
  expect(await forget(ours, "ann")).toEqual({ files: 1, training_events: 1 });
  expect(await stateOf(ours, taught)).toMatchObject({
    job: { status: "succeeded" },
    isTainted: [true, true],
    rowsErased: 2,
    hasContent: false,
    file: "deleting",
    events: ["checkpoint.saved"],
  });
  expect(await stateOf(ours, other)).toMatchObject(untouched);
  expect(await stateOf(theirs, foreign)).toMatchObject({ job: { status: "running" }, ...untouched });
});

test("a manifest that a forgotten user is in is deleted on every trainer, and no other", async () => {
  const trainerId = await attachTrainer();
  const { ctx } = await testProject();
  const taught = await trained(ctx, ["ann", "bob"]);
  await trained(ctx, ["bob"]);
  await forget(ctx, "ann");
  const { job } = await stateOf(ctx, taught);
  expect(await removalsOf(ctx)).toMatchObject([{ kind: "manifest", subjectId: job.manifestSha256, trainerId }]);
});

test("an unfinished job is cancelled without saving, immediately or by its trainer", async () => {
  const { ctx } = await testProject();
  const queued = await trained(ctx, ["ann"], { status: "queued" });
  const running = await trained(ctx, ["ann"], { status: "running", dispatchedAt: 1 });
  await forget(ctx, "ann");
  expect((await stateOf(ctx, queued)).job).toMatchObject({ status: "cancelled", stopReason: "user", dueAt: null });
  expect((await stateOf(ctx, running)).job).toMatchObject({
    status: "cancelling",
    finishedAt: null,
    dueAt: expect.any(Number),
    requested: { action: "cancel", mode: "discard" },
  });
});

test("a checkpoint that continued from a marked one is marked too", async () => {
  const { ctx } = await testProject();
  const first = await trained(ctx, ["ann"], { status: "succeeded", finishedAt: 1 });
  const second = await trained(ctx, ["bob"], {
    status: "succeeded",
    finishedAt: 1,
    parentCheckpointId: first.checkpointId,
  });
  await forget(ctx, "ann");
  expect(await stateOf(ctx, second)).toMatchObject({ isTainted: [true, true], rowsErased: 0, hasContent: true });
});

test("deleting a user's data erases the manifests' files", async () => {
  const { ctx } = await testProject();
  const taught = await trained(ctx, ["ann", null], { status: "succeeded", finishedAt: 1 });
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
  expect(await stateOf(ctx, taught)).toMatchObject({ isTainted: [true, true], rowsErased: 1, file: undefined });
});

test("deleting a Dataset deletes its frozen files, here and on trainers, and keeps its jobs", async () => {
  const trainerId = await attachTrainer();
  const { ctx } = await testProject();
  const taught = await trained(ctx, ["ann"], { status: "succeeded", finishedAt: 1 });
  const other = await trained(ctx, ["ann"]);
  await deleteDataset(ctx, { datasetId: taught.datasetId });
  const deleted = { projectId: ctx.projectId, datasetId: taught.datasetId };
  while (!(await deleteDatasetRows(ctx.db, deleted, { forMs: 10_000, jobName: "test" })).done);
  expect(await stateOf(ctx, taught)).toMatchObject({
    job: { status: "succeeded" },
    isTainted: [false, false],
    hasContent: false,
    file: undefined,
    events: ["checkpoint.saved"],
  });
  expect(await stateOf(ctx, other)).toMatchObject(untouched);
  const { job } = await stateOf(ctx, taught);
  expect(await removalsOf(ctx)).toMatchObject([{ kind: "manifest", subjectId: job.manifestSha256, trainerId }]);
});

test("certificates of a checkpoint trained on deleted words lose prompts and answers, and keep their figures", async () => {
  const { ctx } = await testProject();
  const theirs = await trained(ctx, ["ann"]);
  const others = await trained(ctx, ["bob"]);
  const [tainted, clean] = [
    await storedCertificate(ctx, theirs.checkpointId),
    await storedCertificate(ctx, others.checkpointId),
  ];
  const elsewhere = (await testProject()).ctx;
  const foreign = await trained(elsewhere, ["ann"]);
  const kept = await storedCertificate(elsewhere, foreign.checkpointId);
  await forget(ctx, "ann");
  const rowOf = async (id: string) =>
    (await ctx.db.select().from(parityCertificates).where(eq(parityCertificates.id, id)))[0];
  expect(await rowOf(tainted)).toMatchObject({ answers: null, verdict: "passed", subjects: [] });
  expect((await rowOf(clean))?.answers).toHaveLength(1);
  expect((await rowOf(kept))?.answers).toHaveLength(1);
});
