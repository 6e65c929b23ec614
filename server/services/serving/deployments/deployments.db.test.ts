import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog, checkpoints, deployments, trainingJobs } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { startPlayground } from "../playgrounds";
import type { ServingGates } from "../serving-gates";
import {
  deployCheckpoint,
  getDeployment,
  listDeployments,
  rollBackDeployment,
  runDeployment,
  stopDeployment,
  stopOrphans,
} from ".";
import { driving, takeTurns } from "./testing/drive";

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.isReachable = true;
  trainer.lost.clear();
  trainer.answers.clear();
  trainer.calls.length = 0;
  const served = trainer.deployments;
  served.served.clear();
  served.script = ["starting", "verifying", "running"];
  served.isSlowToStop = false;
});

const PROFILE = { chat_template: "x", servable_by: ["transformers"], not_servable: [] };

async function world(profile: Record<string, unknown> | null = PROFILE) {
  const { ctx } = await testProject();
  const [row] = await attachedTrainers(ctx.db);
  const jobId = await storedJob(ctx, { trainerId: row!.id, name: "Shop agent", status: "succeeded", finishedAt: 1 });
  const add = () => storedCheckpoint(ctx, jobId, { inferenceProfile: profile });
  return { ctx, jobId, checkpointId: await add(), add };
}

const deploy = (ctx: Ctx, input: Parameters<typeof deployCheckpoint>[1], rooms?: ServingGates) =>
  driving(ctx, async () => (await deployCheckpoint(ctx, input)).deployment, rooms);
const read = async (ctx: Ctx, deploymentId: string) => (await getDeployment(ctx, { deploymentId })).deployment;
const queued = async (ctx: Ctx, id: string) => {
  const waiting = deployCheckpoint(ctx, { checkpointId: id });
  waiting.catch(() => {});
  for (;;) {
    const [row] = await ctx.db.select().from(deployments).where(eq(deployments.checkpointId, id));
    if (row) return { id: row.id, reply: waiting.then(({ deployment }) => deployment) };
  }
};
const makeLate = (ctx: Ctx, id: string, byMs: number) =>
  ctx.db
    .update(deployments)
    .set({ deadlineAt: Date.now() - byMs })
    .where(eq(deployments.id, id));

test("a deployment runs under its job's name and at its own address", async () => {
  const { ctx, checkpointId } = await world();
  const deployment = await deploy(ctx, { checkpointId });
  expect(deployment).toMatchObject({
    status: "running",
    model: "shop-agent",
    checkpointId,
    backend: "transformers",
    endpoint: expect.stringMatching(new RegExp(`/v1/projects/${ctx.projectId}/deployments/dep_[^/]+/v1$`)),
    nameEndpoint: expect.stringMatching(/\/deployments\/shop-agent\/v1$/),
    firstTokenMs: 42,
    error: null,
    staleSince: null,
  });
  expect(deployment.verifiedAt).not.toBeNull();
  expect(trainer.deployments.get(deployment.id).spec).toEqual({
    checkpoint_id: checkpointId,
    base: null,
    served_model_name: "shop-agent",
    backend: "auto",
    quantization: null,
    timeout_seconds: 1200,
    idle_timeout_seconds: null,
  });
  const rows = await ctx.db.select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId));
  expect(rows.map(({ action, targetId }) => [action, targetId]).sort()).toEqual([
    ["deployments.deploy", deployment.id],
    ["deployments.queue", deployment.id],
  ]);
});

test("a repeated call waits for the same deployment, and returns it once it runs", async () => {
  const { ctx, checkpointId } = await world();
  const [one, two] = await driving(ctx, () =>
    Promise.all([1, 2].map(async () => (await deployCheckpoint(ctx, { checkpointId })).deployment)),
  );
  expect(one!.id).toBe(two!.id);
  expect((await deploy(ctx, { checkpointId })).id).toBe(one!.id);
  expect(trainer.deployments.served.size).toBe(1);
});

test("a second deployment of a name is refused while the first is starting, and the error names the first", async () => {
  const { ctx, checkpointId, add } = await world();
  trainer.deployments.script = ["starting"];
  const first = await queued(ctx, checkpointId);
  const conflict = { code: "conflict", message: expect.stringContaining(first.id) };
  await expect(deployCheckpoint(ctx, { checkpointId: await add() })).rejects.toMatchObject(conflict);
  await expect(deployCheckpoint(ctx, { checkpointId, quantization: "q8_0" })).rejects.toMatchObject(conflict);
  await stopDeployment(ctx, { deploymentId: first.id });
  expect((await driving(ctx, () => first.reply)).status).toBe("stopped");
});

test("a new version takes over the name once it runs, and the old one is stopped", async () => {
  const { ctx, checkpointId, add } = await world();
  const old = await deploy(ctx, { checkpointId });
  trainer.deployments.isSlowToStop = true;
  const young = await deploy(ctx, { checkpointId: await add() });
  expect(young).toMatchObject({ status: "running", replacesId: old.id, model: old.model });
  for (let n = 0; n < 3; n += 1) await takeTurns(ctx);
  expect(await read(ctx, old.id)).toMatchObject({
    status: "stopped",
    stageDetail: `Replaced by ${young.id}`,
    endpoint: null,
  });
  expect(trainer.deployments.live(young.model)).toEqual([young.id]);
});

test("a new version that never becomes healthy fails with the reason, and the old one keeps running", async () => {
  const { ctx, checkpointId, add } = await world();
  const old = await deploy(ctx, { checkpointId });
  trainer.deployments.script = ["starting", "failed"];
  const young = await deploy(ctx, { checkpointId: await add() });
  expect(young).toMatchObject({
    status: "failed",
    endpoint: null,
    error: { code: "deploy_unhealthy", hint: "See the log.", logTail: ["line 1"] },
  });
  expect((await read(ctx, old.id)).status).toBe("running");
});

test("a deployment that does not run in time is stopped and stays timed out, whatever its trainer reports later", async () => {
  const { ctx, checkpointId } = await world();
  trainer.deployments.script = ["starting"];
  const { id, reply } = await queued(ctx, checkpointId);
  await takeTurns(ctx);
  await takeTurns(ctx);
  await makeLate(ctx, id, 1);
  trainer.deployments.get(id).ahead = ["running"];
  const deployment = await driving(ctx, () => reply);
  expect(deployment).toMatchObject({ status: "timeout", error: { code: "deploy_timeout" }, startedAt: null });
  expect(trainer.deployments.get(id).status).toBe("stopped");
  // A late success.
  trainer.deployments.get(id).status = "running";
  await runDeployment(ctx, id);
  expect((await read(ctx, id)).status).toBe("timeout");
});

test("a waiting caller gets a timeout while the trainer is unreachable, and the trainer stops the deployment later", async () => {
  const { ctx, checkpointId } = await world();
  trainer.deployments.script = ["starting"];
  const { id, reply } = await queued(ctx, checkpointId);
  await takeTurns(ctx);
  trainer.isReachable = false;
  await takeTurns(ctx);
  expect((await read(ctx, id)).staleSince).not.toBeNull();
  await makeLate(ctx, id, 60_000);
  expect((await reply).status).toBe("timeout");
  expect(trainer.deployments.get(id).status).toBe("pending");
  trainer.isReachable = true;
  await takeTurns(ctx);
  expect(trainer.deployments.get(id).status).toBe("stopped");
  expect((await read(ctx, id)).status).toBe("timeout");
}, 30_000);

test("a request whose reply was lost is sent again, and makes one deployment", async () => {
  const { ctx, checkpointId } = await world();
  const { id, reply } = await queued(ctx, checkpointId);
  trainer.lost.add(`PUT /deployments/${id}`);
  await takeTurns(ctx);
  trainer.lost.clear();
  expect((await driving(ctx, () => reply)).status).toBe("running");
  expect(trainer.deployments.served.size).toBe(1);
});

test("a stop during the start stops the deployment, and a second stop changes nothing", async () => {
  const { ctx, checkpointId } = await world();
  trainer.deployments.script = ["starting"];
  const { id, reply } = await queued(ctx, checkpointId);
  await takeTurns(ctx);
  expect((await stopDeployment(ctx, { deploymentId: id })).deployment.status).toBe("stopping");
  expect(await driving(ctx, () => reply)).toMatchObject({ status: "stopped", error: null });
  expect((await stopDeployment(ctx, { deploymentId: id })).deployment.status).toBe("stopped");
  expect(trainer.deployments.live("shop-agent")).toEqual([]);
});

test("a deployment that ended here but runs on the trainer is found and stopped", async () => {
  const { ctx, checkpointId } = await world();
  trainer.deployments.script = ["starting", "running"];
  const { id } = await queued(ctx, checkpointId);
  await stopDeployment(ctx, { deploymentId: id });
  await takeTurns(ctx);
  expect((await read(ctx, id)).status).toBe("stopped");
  trainer.deployments.served.set(id, {
    spec: {},
    hash: "",
    status: "running",
    ahead: [],
    restarts: 0,
    error: null,
    calls: 0,
  });
  trainer.deployments.served.set("dep_of_others", { ...trainer.deployments.get(id) });
  expect(await stopOrphans(db())).toBe(1);
  await takeTurns(ctx);
  expect([trainer.deployments.get(id).status, trainer.deployments.get("dep_of_others").status]).toEqual([
    "stopped",
    "running",
  ]);
});

test("a crash shows as a restart and then as running again, and repeated crashes fail the deployment", async () => {
  const { ctx, checkpointId } = await world();
  const { id } = await deploy(ctx, { checkpointId });
  trainer.deployments.crash(id, ["starting", "starting", "running"]);
  await runDeployment(ctx, id);
  expect(await read(ctx, id)).toMatchObject({
    status: "starting",
    stageDetail: "Restarting after a crash",
    restarts: 1,
    endpoint: null,
  });
  await runDeployment(ctx, id);
  expect(await read(ctx, id)).toMatchObject({ status: "running", stageDetail: null });
  trainer.deployments.crash(id, ["failed"]);
  await runDeployment(ctx, id);
  expect(await read(ctx, id)).toMatchObject({ status: "failed", error: { code: "worker_crashed" } });
});

test("a running deployment is due for a check within 20 s, again and again", async () => {
  const { ctx, checkpointId } = await world();
  const { id } = await deploy(ctx, { checkpointId });
  const isDueAtNextPoll = async () => {
    const [row] = await ctx.db.select().from(deployments).where(eq(deployments.id, id));
    return row!.dueAt! - row!.updatedAt < 20_000;
  };
  expect(await isDueAtNextPoll()).toBe(true);
  await runDeployment(ctx, id);
  expect(await isDueAtNextPoll()).toBe(true);
});

test("a deployment lost by its trainer fails, and one whose trainer is unreachable is stale", async () => {
  const { ctx, checkpointId } = await world();
  const { id } = await deploy(ctx, { checkpointId });
  trainer.isReachable = false;
  await runDeployment(ctx, id);
  expect(await read(ctx, id)).toMatchObject({ status: "running", staleSince: expect.any(Number) });
  trainer.isReachable = true;
  trainer.deployments.served.clear();
  await runDeployment(ctx, id);
  expect(await read(ctx, id)).toMatchObject({ status: "failed", error: { code: "worker_vanished" } });
});

test("a quantized form must answer like the checkpoint, unless it is forced", async () => {
  const { ctx, checkpointId } = await world();
  const asked: object[] = [];
  const rooms = (status: "passed" | "failed"): ServingGates => ({
    ensureParity: async (_, given) => {
      asked.push(given);
      return asked.length % 2 === 1
        ? { status: "waiting", certificateId: "cert_1" }
        : { status, certificateId: "cert_1" };
    },
    startComparison: async () => "",
    readComparison: async () => ({ status: "waiting" }),
  });
  const wish = { checkpointId, quantization: "q8_0" as const };
  expect(await deploy(ctx, wish, rooms("failed"))).toMatchObject({
    status: "failed",
    certificateId: "cert_1",
    error: { code: "merge_parity_failed" },
  });
  expect(trainer.deployments.served.size).toBe(0);
  expect(await deploy(ctx, wish, rooms("passed"))).toMatchObject({
    status: "running",
    certificateId: "cert_1",
    isForced: false,
  });
  expect(asked[0]).toMatchObject({ checkpointId, form: { kind: "gguf", quantization: "q8_0" } });
  const forced = await deploy(ctx, { ...wish, name: "forced", force: true }, rooms("failed"));
  expect(forced).toMatchObject({ status: "running", certificateId: null, isForced: true });
  expect(asked).toHaveLength(4);
});

test("a checkpoint that cannot be served is refused with the reason, before anything starts", async () => {
  const reason = "vLLM does not serve DoRA adapters; merge it";
  const { ctx, checkpointId } = await world({
    not_servable: [
      { backend: "vllm", reason },
      { backend: "transformers", reason: "It is broken." },
    ],
  });
  const refusal = (message: string) => ({ code: "unprocessable", message: expect.stringContaining(message) });
  await expect(deployCheckpoint(ctx, { checkpointId })).rejects.toMatchObject(refusal(`vllm: ${reason}`));
  await expect(deployCheckpoint(ctx, { checkpointId })).rejects.toMatchObject(refusal("transformers: It is broken."));
  for (const [backend, quantization, message] of [
    ["llama.cpp", null, "llama.cpp serves GGUF files only"],
    ["transformers", "q8_0", "transformers does not serve q8_0"],
    ["auto", "q5_0", "The trainer does not build q5_0."],
    ["vllm", "int8", "The trainer does not serve with vllm."],
  ] as const) {
    await expect(deployCheckpoint(ctx, { checkpointId, backend, quantization })).rejects.toMatchObject(
      refusal(message),
    );
  }
  await ctx.db.update(checkpoints).set({ state: "pruned" }).where(eq(checkpoints.id, checkpointId));
  await expect(deployCheckpoint(ctx, { checkpointId })).rejects.toMatchObject({ code: "conflict" });
  expect((await listDeployments(ctx, {})).deployments).toEqual([]);
});

test("a trainer's refusal is passed on as the deployment's error", async () => {
  const { ctx, checkpointId } = await world();
  const { id, reply } = await queued(ctx, checkpointId);
  const error = { code: "capability_missing", message: "vLLM is not installed.", hint: "Install it." };
  trainer.answers.set(`PUT /deployments/${id}`, { status: 422, body: { error } });
  expect(await driving(ctx, () => reply)).toMatchObject({ status: "failed", error });
});

test("a rollback deploys the version that ran under the name before", async () => {
  const { ctx, checkpointId, add } = await world();
  const first = await deploy(ctx, { checkpointId });
  await expect(rollBackDeployment(ctx, { deploymentId: first.id })).rejects.toMatchObject({ code: "conflict" });
  const second = await deploy(ctx, { checkpointId: await add() });
  const third = await driving(ctx, async () => (await rollBackDeployment(ctx, { deploymentId: second.id })).deployment);
  expect(third).toMatchObject({ status: "running", checkpointId, replacesId: second.id, model: first.model });
  expect(third.id).not.toBe(first.id);
});

test("a playground starts without waiting, and stops when nobody calls it", async () => {
  const { ctx, checkpointId } = await world();
  const { deployment } = await startPlayground(ctx, { checkpointId });
  expect(deployment).toMatchObject({ purpose: "playground", status: "pending", idleSeconds: 600, nameEndpoint: null });
  for (let n = 0; n < 5; n += 1) await takeTurns(ctx);
  expect(await read(ctx, deployment.id)).toMatchObject({ status: "running", nameEndpoint: null });
  expect(trainer.deployments.get(deployment.id).spec.idle_timeout_seconds).toBe(600);
  trainer.deployments.get(deployment.id).status = "stopped";
  await runDeployment(ctx, deployment.id);
  expect(await read(ctx, deployment.id)).toMatchObject({
    status: "stopped",
    stageDetail: "It received no calls for 10 minutes",
  });
  await expect(startPlayground(ctx, { baseModel: { id: "acme/unknown" } })).rejects.toMatchObject({
    code: "unprocessable",
  });
});

test("deployments are listed newest first, and filtered by status, purpose, checkpoint and name", async () => {
  const { ctx, checkpointId, add } = await world();
  const first = await deploy(ctx, { checkpointId });
  const other = await add();
  const second = await deploy(ctx, { checkpointId: other, name: "other" });
  const ids = async (filter: Parameters<typeof listDeployments>[1]) =>
    (await listDeployments(ctx, filter)).deployments.map(({ id }) => id);
  expect(await ids({})).toEqual([second.id, first.id]);
  expect(await ids({ checkpointId })).toEqual([first.id]);
  expect(await ids({ name: "other", status: ["running"], purpose: "service" })).toEqual([second.id]);
  expect(await ids({ status: ["failed"] })).toEqual([]);
  const page = await listDeployments(ctx, { limit: 1 });
  const rest = await listDeployments(ctx, { limit: 1, cursor: page.nextCursor! });
  expect([...page.deployments, ...rest.deployments].map(({ id }) => id)).toEqual([second.id, first.id]);
});

test("another project's deployments and checkpoints are not found", async () => {
  const [ours, theirs] = [await world(), await world()];
  const { id: deploymentId } = await deploy(theirs.ctx, { checkpointId: theirs.checkpointId });
  const missing = { code: "not_found" };
  const { ctx } = ours;
  await expect(deployCheckpoint(ctx, { checkpointId: theirs.checkpointId })).rejects.toMatchObject(missing);
  await expect(startPlayground(ctx, { checkpointId: theirs.checkpointId })).rejects.toMatchObject(missing);
  await expect(getDeployment(ctx, { deploymentId })).rejects.toMatchObject(missing);
  await expect(stopDeployment(ctx, { deploymentId })).rejects.toMatchObject(missing);
  await expect(rollBackDeployment(ctx, { deploymentId })).rejects.toMatchObject(missing);
  expect(await runDeployment(ctx, deploymentId)).toEqual({ done: true });
  expect((await listDeployments(ctx, {})).deployments).toEqual([]);
  // Their name is only taken in their own project.
  expect((await deploy(ctx, { checkpointId: ours.checkpointId })).model).toBe("shop-agent");
  expect((await read(theirs.ctx, deploymentId)).status).toBe("running");
});

test("a deployment needs the trainer that has the checkpoint", async () => {
  const { ctx, checkpointId, jobId } = await world();
  await ctx.db.update(trainingJobs).set({ trainerId: "trn_gone" }).where(eq(trainingJobs.id, jobId));
  await expect(deployCheckpoint(ctx, { checkpointId })).rejects.toMatchObject({ code: "unprocessable" });
});
