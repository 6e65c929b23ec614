import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { type checkpoints, deployments, rolloutDecisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { listRolloutDecisions, updateTuningConfig } from "@/server/services/training";
import { storeEvents } from "@/server/services/training/events";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { trainingWorld } from "@/server/services/training/testing/training-world";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { takeTurns } from "../deployments/testing/drive";
import type { ServingGates } from "../serving-gates";
import { runRollout } from "./run-rollout";

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.deployments.served.clear();
  trainer.deployments.script = ["starting", "running"];
});

const NAME = "configuration-a";

/** Gates whose comparison of answers has the result that the test chooses. */
const comparing = (lost = 0): ServingGates & { asked: object[] } => {
  const asked: object[] = [];
  return {
    asked,
    ensureParity: async (_, { form }) => ({ status: "passed", certificateId: form ? "cert_1" : null }),
    async startComparison(_, given) {
      asked.push(given);
      return "eval_1";
    },
    readComparison: async () => ({ status: "done", pairs: { n: 100, gained: 0, lost }, seenOnly: false }),
  };
};

async function world(policy: object = {}) {
  const { ctx } = await testProject();
  const { configId } = await trainingWorld(ctx, "a");
  await updateTuningConfig(ctx, { configId, deployment: { enabled: true, ...policy } });
  const [row] = await attachedTrainers(ctx.db);
  /** Makes a job of the configuration succeed. */
  const succeed = async (eval_loss: number | null, changes: Partial<typeof checkpoints.$inferInsert> = {}) => {
    const jobId = await storedJob(ctx, { trainerId: row!.id, tuningConfigId: configId });
    const profile = { inferenceProfile: { servable_by: ["transformers"] }, metrics: { eval_loss } };
    const checkpointId = await storedCheckpoint(ctx, jobId, { ...profile, ...changes });
    const event = {
      type: "job.finished",
      level: "info",
      message: "",
      data: { status: "succeeded", stop_reason: "completed" },
    };
    await finish(ctx, jobId, event);
    return { jobId, checkpointId };
  };
  const decisions = async () => (await listRolloutDecisions(ctx, { configId })).decisions;
  const decide = async (rooms: ServingGates = comparing()) => {
    const [newest] = await decisions();
    for (let n = 0; n < 10; n += 1) {
      if ((await runRollout(ctx, newest!.id, rooms)).done) break;
      await takeTurns(ctx, rooms);
    }
    return (await decisions())[0]!;
  };
  const running = async () => {
    const isRunning = and(eq(deployments.projectId, ctx.projectId), eq(deployments.status, "running"));
    return (await ctx.db.select().from(deployments).where(isRunning)).map(({ name, checkpointId }) => [
      name,
      checkpointId,
    ]);
  };
  return { ctx, configId, succeed, decisions, decide, running };
}

async function finish(ctx: Ctx, jobId: string, event: object) {
  const sent = { seq: 1, job_id: jobId, attempt: 1, ts: new Date().toISOString(), ...event };
  // The report arrives twice.
  for (let n = 0; n < 2; n += 1) await inTransaction(ctx, (tx) => storeEvents(tx, { id: jobId }, [sent]));
}

const gatesOf = ({ gates }: { gates: { gate: string; status: string }[] }) =>
  Object.fromEntries(gates.map(({ gate, status }) => [gate, status]));

test("the first job that succeeds is deployed under the configuration's name, once", async () => {
  const { succeed, decisions, decide, running } = await world();
  const { jobId, checkpointId } = await succeed(0.5);
  expect(await decisions()).toMatchObject([{ jobId, outcome: null, reason: null, gates: [] }]);
  const decision = await decide();
  expect(decision).toMatchObject({ outcome: "deployed", reason: "deployed", checkpointId, evaluationId: null });
  expect(gatesOf(decision)).toEqual({
    checkpoint: "passed",
    validation_loss: "not_applicable",
    parity: "not_applicable",
    preserved_answers: "not_applicable",
    deployment: "passed",
  });
  expect(await running()).toEqual([[NAME, checkpointId]]);
});

test("a configuration's named deployment keeps its name when the configuration is renamed", async () => {
  const { ctx, configId, succeed, decide, running } = await world({ name: "shop-agent" });
  await succeed(0.5);
  await decide();
  await updateTuningConfig(ctx, { configId, name: "Another name" });
  const { checkpointId } = await succeed(0.4);
  await decide();
  expect(await running()).toEqual([["shop-agent", checkpointId]]);
});

test("a worse model is not deployed, and the decision has the measured and the allowed value", async () => {
  const { succeed, decide, running } = await world({ maxLossIncrease: 0.1 });
  const good = await succeed(0.5);
  await decide();
  await succeed(0.56);
  const decision = await decide();
  expect(decision).toMatchObject({ outcome: "skipped", reason: "validation_loss", deploymentId: null });
  expect(decision.message).toContain("0.56");
  expect(decision.gates.at(-1)).toMatchObject({ measured: 0.56, allowed: expect.closeTo(0.55) });
  expect(await running()).toEqual([[NAME, good.checkpointId]]);
});

test("a better model replaces the running one if its answers to held-out Examples are no worse", async () => {
  const { succeed, decide, running } = await world({ maxPreserveDrop: 0.05 });
  const old = await succeed(0.5);
  await decide();
  const young = await succeed(0.4);
  const rooms = comparing(1);
  const decision = await decide(rooms);
  expect(decision).toMatchObject({ outcome: "deployed", evaluationId: "eval_1" });
  expect(rooms.asked).toEqual([{ checkpointId: young.checkpointId, baselineCheckpointId: old.checkpointId }]);
  expect(await running()).toEqual([[NAME, young.checkpointId]]);
  await succeed(0.3);
  expect(await decide(comparing(9))).toMatchObject({ outcome: "skipped", reason: "preserved_answers" });
  expect(await running()).toEqual([[NAME, young.checkpointId]]);
});

test("without held-out Examples nothing can be said of the answers, so nothing is deployed", async () => {
  const { succeed, decide } = await world();
  await succeed(0.5);
  await decide();
  await succeed(0.4);
  const rooms = {
    ...comparing(),
    startComparison: async () => {
      throw unprocessable("/checkpointId", "No Examples were held out.");
    },
  };
  const decision = await decide(rooms);
  expect(decision).toMatchObject({ outcome: "skipped", reason: "preserved_answers" });
  expect(decision.gates.find(({ gate }) => gate === "preserved_answers")).toMatchObject({
    status: "failed",
    message: expect.stringContaining("No Examples were held out."),
  });
});

test("the next version is served in the running form, and must answer like its checkpoint", async () => {
  const { ctx, succeed, decide } = await world();
  await succeed(0.5);
  await decide();
  await ctx.db
    .update(deployments)
    .set({ quantization: "q8_0", backend: "llama.cpp" })
    .where(eq(deployments.projectId, ctx.projectId));
  await succeed(0.4);
  const failing: ServingGates = {
    ...comparing(),
    ensureParity: async () => ({ status: "failed", certificateId: "cert_1" }),
  };
  expect(await decide(failing)).toMatchObject({ outcome: "skipped", reason: "parity", certificateId: "cert_1" });
});

test("a checkpoint that is pruned, never answered or has deleted words is not deployed", async () => {
  const { succeed, decide } = await world();
  await succeed(0.5, { inferenceProfile: null });
  expect(await decide()).toMatchObject({ outcome: "skipped", reason: "checkpoint" });
  await succeed(0.5, { taintedAt: 1 });
  expect(await decide()).toMatchObject({ outcome: "skipped", reason: "checkpoint" });
  await succeed(0.5, { state: "pruned" });
  expect(await decide()).toMatchObject({ outcome: "skipped", reason: "checkpoint", checkpointId: null });
});

test("a failed deployment is a failed decision with its reason, and the old version stays", async () => {
  const { succeed, decide, running } = await world();
  const old = await succeed(0.5);
  await decide();
  await succeed(0.4);
  trainer.deployments.script = ["failed"];
  expect(await decide()).toMatchObject({ outcome: "failed", reason: "deployment", message: "It never answered." });
  expect(await running()).toEqual([[NAME, old.checkpointId]]);
});

test("no deployment is decided while automatic deployment is off, and an earlier job does not replace a later one", async () => {
  const { ctx, configId, succeed, decisions, decide } = await world({ enabled: false });
  await succeed(0.5);
  expect(await decisions()).toEqual([]);
  await updateTuningConfig(ctx, { configId, deployment: { enabled: true } });
  await succeed(0.5);
  const [waiting] = await decisions();
  await succeed(0.4);
  await runRollout(ctx, waiting!.id, comparing());
  expect((await decisions())[1]).toMatchObject({ id: waiting!.id, outcome: "skipped", reason: "superseded" });
  await updateTuningConfig(ctx, { configId, deployment: { enabled: false } });
  expect(await decide()).toMatchObject({ outcome: "skipped", reason: "disabled" });
});

test("concurrent workers deploy once", async () => {
  const { ctx, succeed, decisions, decide } = await world();
  await succeed(0.5);
  const { id } = (await decisions())[0]!;
  await Promise.all([1, 2, 3].map(() => runRollout(ctx, id, comparing())));
  expect(await decide()).toMatchObject({ outcome: "deployed" });
  expect(trainer.deployments.served.size).toBe(1);
});

test("another project's decisions are not listed or decided", async () => {
  const [ours, theirs] = [await world(), await world()];
  await theirs.succeed(0.5);
  const [decision] = await theirs.decisions();
  const missing = { code: "not_found" };
  await expect(listRolloutDecisions(ours.ctx, { configId: theirs.configId })).rejects.toMatchObject(missing);
  expect(await runRollout(ours.ctx, decision!.id, comparing())).toEqual({ done: true });
  const [row] = await db().select().from(rolloutDecisions).where(eq(rolloutDecisions.id, decision!.id));
  expect(row).toMatchObject({ outcome: null, gates: [] });
});
