import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { deployments, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { deployCheckpoint, getDeployment, wakeDeployments } from "@/server/services/serving";
import { storedJob } from "@/server/services/training/testing/stored-job";
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
  trainer.deployments.served.clear();
  trainer.deployments.script = ["starting", "verifying", "running"];
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
});

async function world() {
  const { ctx } = await testProject();
  const [row] = await ctx.db.select().from(trainers);
  const jobId = await storedJob(ctx, { trainerId: row!.id });
  return { ctx, checkpointId: await storedCheckpoint(ctx, jobId) };
}

test("a Checkpoint is deployed by the worker while its caller waits, and fails when it crashes", async () => {
  const { ctx, checkpointId } = await world();
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  const { deployment } = await deployCheckpoint(ctx, { checkpointId });
  expect(deployment.status).toBe("running");
  trainer.deployments.crash(deployment.id, ["failed"]);
  await ctx.db.update(deployments).set({ dueAt: 0 }).where(eq(deployments.id, deployment.id));
  await until(async () => {
    // As the next minute's poll would.
    await wakeDeployments(db());
    return (await getDeployment(ctx, { deploymentId: deployment.id })).deployment.status === "failed";
  });
}, 60_000);

const [KILLS, LOOKS] = [amount(3, 6), amount(150, 400)];

test("a worker that is killed repeatedly starts one deployment, which ends up running", async () => {
  const { ctx, checkpointId } = await world();
  trainer.deployments.script = [...Array.from({ length: LOOKS }, () => "starting"), "running"];
  const reply = deployCheckpoint(ctx, { checkpointId });
  const find = async () =>
    (await ctx.db.select().from(deployments).where(eq(deployments.checkpointId, checkpointId)))[0];
  await until(async () => (await find()) !== undefined);
  const { id } = (await find())!;
  const isRunning = async () => (await find())!.startedAt === null;
  const looks = async () => trainer.calls.length;
  const args = ["deployment", ctx.projectId, id];
  expect(await killRepeatedly({ args, isRunning, progress: looks, withinMs: 60 }, KILLS)).toBeGreaterThan(0);
  expect((await reply).deployment).toMatchObject({ id, status: "running" });
  expect([...trainer.deployments.served.keys()]).toEqual([id]);
}, 120_000);
