import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { modelExports, trainingJobs, tuningConfigs } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { json, startService } from "@/server/services/connections/testing";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { CATALOGUE } from "@/server/services/models/base-models/catalogue";
import {
  createJob,
  createTuningConfig,
  evaluateTrigger,
  getJob,
  runTrainingJob,
  updateTuningConfig,
} from "@/server/services/training";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { listExports, runExport } from ".";
import { HUB_TOKEN, storedHub } from "./testing/stored-hub";

/** In its own file because the environment is read only once. Services on loopback may be called here. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let trainer: ScriptedTrainer;
let hub: Awaited<ReturnType<typeof startService>>;
let said: { status?: number; body: object };
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
  hub = await startService((_, response) => json(response, said.body, said.status ?? 200));
});
afterAll(() => Promise.all([trainer.stop(), hub.stop()]));
const WRITER = { name: "acme", orgs: [], auth: { accessToken: { role: "write" } } };
beforeEach(async () => {
  await attachScripted(trainer);
  said = { body: WRITER };
  trainer.script = [];
  for (const state of [trainer.jobs, trainer.exports.all, trainer.lost]) state.clear();
});

const CHECKPOINT = {
  type: "checkpoint.saved",
  data: {
    ...{ checkpoint_id: "ckpt_final", step_number: 12, kind: "adapter", files: [], content_sha256: "a", bytes: 1 },
    ...{ base_model: { id: "m", revision: "r" }, resumable: true, is_final: true },
  },
};
const SUCCEEDED = { type: "job.finished", data: { status: "succeeded", stop_reason: "completed" } };

async function world() {
  const { ctx, asKey } = await testProject();
  const datasetId = await storedDataset(ctx);
  await write(ctx, datasetId, [creating("one", { split: "train" })]);
  const connectionId = await storedHub(ctx, { baseUrl: hub.url });
  const planned = { connectionId, repoId: "acme/support", private: true, format: "lora-adapter" } as const;
  const input = {
    datasetId,
    baseModel: { id: CATALOGUE[0]!.id },
    method: "sft",
    adapter: "lora",
    output: { export: planned },
  } as const;
  const jobs = () => ctx.db.$count(trainingJobs, eq(trainingJobs.projectId, ctx.projectId));
  return { ctx, asKey, input, planned, jobs };
}
const withExport = (input: Awaited<ReturnType<typeof world>>["input"], changes: object) => ({
  ...input,
  output: { export: { ...input.output.export, ...changes } },
});

test("a job that succeeds publishes its final checkpoint as planned, once, and the plan is not in the trainer's spec", async () => {
  const { ctx, input, planned } = await world();
  trainer.script = [CHECKPOINT, SUCCEEDED];
  const { job } = await createJob(ctx, input);
  expect(job.plannedExport).toEqual(planned);
  expect(hub.received.at(-1)?.headers.authorization).toBe(`Bearer ${HUB_TOKEN}`);
  expect((await listExports(ctx, {})).exports).toEqual([]);
  await runTrainingJob(ctx, job.id);
  expect(JSON.stringify(trainer.jobs.get(job.id)?.spec)).not.toMatch(/export|acme\/support/);
  const { exports } = await listExports(ctx, {});
  expect(exports).toMatchObject([
    {
      ...{ status: "queued", checkpointId: "ckpt_final", format: "lora-adapter", jobId: job.id, forced: false },
      destination: { connectionId: planned.connectionId, endpoint: hub.url, repoId: "acme/support", private: true },
    },
  ]);
  const again = { ...(await ctx.db.select().from(modelExports).where(eq(modelExports.jobId, job.id)))[0]! };
  await expect(ctx.db.insert(modelExports).values({ ...again, id: "exp_2" })).rejects.toThrow();
  expect(await runExport(ctx, exports[0]!.id)).toEqual({ done: true });
  expect(trainer.exports.all.get(exports[0]!.id)?.secrets).toEqual([HUB_TOKEN]);
});

test("a job that fails publishes nothing", async () => {
  const { ctx, input } = await world();
  const error = { code: "diverged", message: "No." };
  trainer.script = [CHECKPOINT, { type: "job.finished", data: { status: "failed", error } }];
  const { job } = await createJob(ctx, input);
  await runTrainingJob(ctx, job.id);
  expect((await getJob(ctx, { jobId: job.id })).job.status).toBe("failed");
  expect((await listExports(ctx, {})).exports).toEqual([]);
});

test.each([
  ["may only read", { body: { ...WRITER, auth: { accessToken: { role: "read" } } } }, /read-only/],
  ["is of somebody else", { body: { ...WRITER, name: "ann" } }, /not a member of acme/],
  ["is refused", { status: 401, body: {} }, /refused the secret/],
  ["is asked of something else", { body: { hello: true } }, /not from the model hub/],
])("no job is created for a token that %s", async (_, reply, words) => {
  const { ctx, input, jobs } = await world();
  said = reply;
  await expect(createJob(ctx, input)).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringMatching(words),
    errors: [{ path: "/output/export" }],
  });
  expect(await jobs()).toBe(0);
});

test("an export plan that is not possible is refused before training", async () => {
  const { ctx, input, jobs } = await world();
  const at = (path: string) => ({ code: "unprocessable", errors: [{ path }] });
  await expect(createJob(ctx, { ...input, adapter: "full" })).rejects.toMatchObject(at("/output/export/format"));
  const elsewhere = withExport(input, { connectionId: await storedHub((await testProject()).ctx) });
  await expect(createJob(ctx, elsewhere)).rejects.toMatchObject(at("/output/export/connectionId"));
  const unquantized = await createJob(ctx, withExport(input, { format: "gguf" })).catch((error) => error);
  expect(unquantized.issues[0].path).toEqual(["output", "export", "quantization"]);
  expect(await jobs()).toBe(0);
});

test("planning an export needs the right to publish, not only to train", async () => {
  const { ctx, input, asKey } = await world();
  const trains = asKey("models:manage", "project:data:write", "workspace:read");
  await expect(createJob(trains, input)).rejects.toMatchObject({ code: "forbidden" });
  const config = { ...input, name: "Weekly" };
  await expect(createTuningConfig(trains, config)).rejects.toMatchObject({ code: "forbidden" });
  const { output: _, ...plain } = config;
  const { tuningConfig } = await createTuningConfig(trains, plain);
  const changed = updateTuningConfig(trains, { configId: tuningConfig.id, output: input.output });
  await expect(changed).rejects.toMatchObject({ code: "forbidden" });
  expect(
    (await updateTuningConfig(ctx, { configId: tuningConfig.id, output: input.output })).tuningConfig,
  ).toMatchObject({
    output: input.output,
  });
});

test("a trigger checks the token each time, and its decision gives the reason when it starts nothing", async () => {
  const { ctx, input, planned, jobs } = await world();
  const trigger = { enabled: true, minNewExamples: 1 };
  const { tuningConfig } = await createTuningConfig(ctx, { ...input, name: "Weekly", trigger });
  said = { body: { ...WRITER, auth: { accessToken: { role: "read" } } } };
  const due = () =>
    ctx.db.update(tuningConfigs).set({ dueAt: 1 }).where(eq(tuningConfigs.id, tuningConfig.id)).execute();
  await due();
  expect(await evaluateTrigger(ctx, tuningConfig.id)).toMatchObject({
    outcome: "failed",
    message: expect.stringContaining("read-only"),
  });
  expect(await jobs()).toBe(0);
  said = { body: WRITER };
  await due();
  const started = await evaluateTrigger(ctx, tuningConfig.id);
  expect(started?.outcome).toBe("started");
  expect((await getJob(ctx, { jobId: started!.jobId! })).job.plannedExport).toEqual(planned);
});
