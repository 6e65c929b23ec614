import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import {
  accountAuditLog,
  deletionReceipts,
  trainerCommands,
  trainers,
  trainingManifests,
  trainingRemovals,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteProject, runDeletion } from "@/server/services/deletion";
import { runDeployment, startPlayground } from "@/server/services/serving";
import { enqueue } from "@/server/services/trainers/agents/commands";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { createJob, runRemoval, runTrainingJob, wakeRemovals } from "..";
import { storedJob } from "../testing/stored-job";
import { trainingChoice } from "../testing/training-world";

let trainer: ScriptedTrainer;
let trainerId: string;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  trainerId = await attachScripted(trainer);
  for (const state of [trainer.jobs, trainer.manifests, trainer.deployments.served]) state.clear();
  trainer.calls.length = 0;
  trainer.isReachable = true;
});

/** Stores a project whose job is being trained and whose playground is running. */
async function world() {
  const { ctx } = await testProject();
  const { job } = await createJob(ctx, await trainingChoice(ctx, "a"));
  await runTrainingJob(ctx, job.id);
  trainer.say(job.id, { type: "job.status", data: { status: "running" } });
  const { deployment } = await startPlayground(ctx, { baseModel: { id: "Qwen/Qwen2.5-0.5B-Instruct" } });
  await runDeployment(ctx, deployment.id);
  return { ctx, jobId: job.id, deploymentId: deployment.id };
}

async function deleteAll(ctx: Ctx) {
  const { deletion } = await deleteProject(ctx, { name: "Test project" });
  while (!(await runDeletion(db(), deletion.id, { forMs: 60_000, jobName: "test" })).done);
}

const removalsOf = ({ projectId }: Ctx) =>
  db().select().from(trainingRemovals).where(eq(trainingRemovals.projectId, projectId)).orderBy(trainingRemovals.kind);

/** Carries out each pending removal once. */
async function removeOnce(ctx: Ctx) {
  for (const { id } of await removalsOf(ctx)) await runRemoval(ctx, id);
  return (await removalsOf(ctx)).map(({ kind }) => kind);
}

const recorded = ({ projectId }: Ctx) =>
  db()
    .select({ action: accountAuditLog.action, userId: accountAuditLog.userId })
    .from(accountAuditLog)
    .where(and(eq(accountAuditLog.targetId, projectId), eq(accountAuditLog.action, "projects.removeFromTrainers")));

test("what a trainer made for a deleted project goes, even after it was away, and another project's stays", async () => {
  const [ours, theirs] = [await world(), await world()];
  expect(trainer.manifests.size).toBe(2);
  await deleteAll(ours.ctx);
  trainer.isReachable = false;
  expect(await removeOnce(ours.ctx)).toEqual(["deployment", "job", "manifest"]);
  expect(trainer.jobs.has(ours.jobId)).toBe(true);
  trainer.isReachable = true;
  // A job in progress is cancelled first.
  expect(await removeOnce(ours.ctx)).toEqual(["job"]);
  expect(trainer.jobs.get(ours.jobId)!.status).toBe("cancelled");
  expect(await recorded(ours.ctx)).toEqual([]);
  expect(await removeOnce(ours.ctx)).toEqual([]);
  expect([...trainer.jobs.keys()]).toEqual([theirs.jobId]);
  expect([...trainer.deployments.served.keys()]).toEqual([theirs.deploymentId]);
  expect(trainer.manifests.size).toBe(1);
  expect(await removalsOf(theirs.ctx)).toEqual([]);
});

test("only the audit log of the person who deleted the project says that its files are gone, once", async () => {
  const { ctx } = await testProject();
  await storedJob(ctx, { trainerId, status: "succeeded", finishedAt: 1 });
  await deleteAll(ctx);
  await db()
    .update(deletionReceipts)
    .set({ actorKind: "user", actorId: "usr_owner" })
    .where(eq(deletionReceipts.projectId, ctx.projectId));
  const [first] = await removalsOf(ctx);
  expect(await removeOnce(ctx)).toEqual([]);
  // A run that was killed after its last step is repeated.
  expect(await runRemoval(ctx, first!.id)).toEqual({ done: true });
  expect(await recorded(ctx)).toEqual([{ action: "projects.removeFromTrainers", userId: "usr_owner" }]);
});

test("removals wait until what was being sent has arrived, and calls that nobody fetched are not made", async () => {
  const { ctx } = await testProject();
  await storedJob(ctx, { trainerId, status: "succeeded", finishedAt: 1 });
  const [away] = await db()
    .insert(trainers)
    .values({ id: "trn_away", kind: "agent", name: "Away", keyHash: "away", keyHint: "abcd", updatedAt: 1 })
    .returning();
  const call = { method: "GET", path: "/jobs/job_1" } as const;
  await enqueue(db(), away!.id, { ...call, projectId: ctx.projectId });
  const kept = await enqueue(db(), away!.id, { ...call, projectId: "prj_other" });
  await deleteAll(ctx);
  const waiting = await db().select().from(trainerCommands).where(eq(trainerCommands.trainerId, away!.id));
  expect(waiting.map(({ id }) => id)).toEqual([kept]);
  // One of the manifest for each trainer.
  const removals = await removalsOf(ctx);
  expect(removals.map(({ kind }) => kind)).toEqual(["job", "manifest", "manifest"]);
  expect(await wakeRemovals(db())).toBe(0);
  await db().update(trainingRemovals).set({ dueAt: 1 }).where(eq(trainingRemovals.projectId, ctx.projectId));
  expect(await wakeRemovals(db())).toBe(3);
});

test("a manifest that another project still trains on stays on the trainer", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  await storedJob(ours, { trainerId, status: "succeeded", finishedAt: 1 });
  const [manifest] = await db().select().from(trainingManifests).where(eq(trainingManifests.projectId, ours.projectId));
  await db()
    .insert(trainingManifests)
    .values({ ...manifest!, projectId: theirs.projectId });
  await deleteAll(ours);
  expect(await removeOnce(ours)).toEqual([]);
  expect(trainer.calls.filter((call) => call.startsWith("DELETE /manifests"))).toEqual([]);
});
