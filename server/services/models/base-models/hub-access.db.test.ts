import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { auditLog } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, deleteConnection, updateConnection } from "@/server/services/connections";
import { createExport, runExport } from "@/server/services/model-exports";
import { certifyCheckpoint, runCertificate, runEvaluation } from "@/server/services/proof";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { getDeployment, runDeployment, startPlayground } from "@/server/services/serving";
import { createJob, runTrainingJob } from "@/server/services/training";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { trainingChoice } from "@/server/services/training/testing/training-world";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { storedCheckpoint } from "../testing/stored-checkpoint";

const TOKEN = "hf_ofTheProjectAlone0123456789";
let trainer: ScriptedTrainer;
let trainerId: string;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  trainer.jobs.clear();
  trainer.deployments.served.clear();
  trainer.samples.clear();
  trainer.certificates.all.clear();
  trainer.exports.all.clear();
  trainer.features = ["hub_token", "deployment_hub_token", "build_hub_token"];
  trainerId = await attachScripted(trainer);
});

const hub = (ctx: Ctx, use: "publish" | "download" | "both", secret = TOKEN, name = "Hugging Face") =>
  createConnection(ctx, { kind: "model-hub", name, secret, settings: { use } });

/** Creates a job, sends it, and returns what its trainer got beside the spec. */
async function accessOf(ctx: Ctx, mark: string) {
  const { job } = await createJob(ctx, await trainingChoice(ctx, mark));
  await runTrainingJob(ctx, job.id);
  return trainer.jobs.get(job.id)!;
}

test("a job is sent the project's token for downloads with the only hub that it is for, beside its spec", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { access, spec } = await accessOf(ctx, "a");
  expect(access).toEqual({ secret: TOKEN, hub_endpoint: "https://huggingface.co" });
  expect(JSON.stringify(spec)).not.toContain(TOKEN);
  const used = await ctx.db
    .select({ after: auditLog.after })
    .from(auditLog)
    .where(and(eq(auditLog.projectId, ctx.projectId), eq(auditLog.action, "connections.use")));
  expect(used).toEqual([{ after: { purpose: "download", host: "huggingface.co" } }]);
  const [stored] = await ctx.db.execute<{ found: boolean }>(sql`
    select exists (select 1 from training_jobs where project_id = ${ctx.projectId} and training_jobs::text like ${`%${TOKEN}%`})
      or exists (select 1 from audit_log where project_id = ${ctx.projectId} and audit_log::text like ${`%${TOKEN}%`}) as found`);
  expect(stored!.found).toBe(false);
});

/** Stores a checkpoint that can be served, trained from a model of the hub. */
async function trained(ctx: Ctx) {
  const spec = { base_model: { id: "acme/tiny", source: "hub", revision: "main" } };
  const jobId = await storedJob(ctx, { trainerId, status: "succeeded", finishedAt: 1, spec });
  const inferenceProfile = { chat_template: "x", servable_by: ["transformers"], not_servable: [] };
  return storedCheckpoint(ctx, jobId, { inferenceProfile });
}

/** Starts a playground, sends it, and returns what its trainer got. */
async function playground(ctx: Ctx, choice: Parameters<typeof startPlayground>[1]) {
  const { deployment } = await startPlayground(ctx, choice);
  await runDeployment(ctx, deployment.id);
  return { access: trainer.deployments.access.get(deployment.id), spec: trainer.deployments.get(deployment.id).spec };
}

/** The catalogue's first model, which no trainer has to have. */
const BASE = { baseModel: { id: "Qwen/Qwen2.5-0.5B-Instruct" } };
const SENT = { secret: TOKEN, hub_endpoint: "https://huggingface.co" };

test("a playground is sent the token beside its request, as its base model or the one of its checkpoint can be gated", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { access, spec } = await playground(ctx, BASE);
  expect(access).toEqual(SENT);
  expect(JSON.stringify(spec)).not.toContain(TOKEN);
  const checkpointId = await trained(ctx);
  expect((await playground(ctx, { checkpointId })).access).toEqual(SENT);
});

/** Starts a playground whose trainer restarts while it downloads the model, and returns its id. */
async function interrupted(ctx: Ctx) {
  const { deployment } = await startPlayground(ctx, BASE);
  await runDeployment(ctx, deployment.id);
  trainer.deployments.forget(deployment.id);
  return deployment.id;
}

/** Takes turns until the deployment is done. */
async function finish(ctx: Ctx, id: string) {
  while (!(await runDeployment(ctx, id)).done);
  return (await getDeployment(ctx, { deploymentId: id })).deployment.status;
}

test("a trainer that restarts while it downloads a model is sent the newest token again, and the deployment goes on", async () => {
  const { ctx } = await testProject();
  const { connection } = await hub(ctx, "both", "hf_theFirst0123456789");
  const id = await interrupted(ctx);
  await updateConnection(ctx, { connectionId: connection.id, secret: TOKEN });
  // The reply is lost, as if the process had been killed before it read it.
  trainer.lost.add(`PUT /deployments/${id}`);
  await runDeployment(ctx, id);
  trainer.lost.clear();
  expect(trainer.deployments.access.get(id)).toEqual(SENT);
  expect(await finish(ctx, id)).toBe("running");
  expect(trainer.calls.filter((call) => call === `PUT /deployments/${id}`)).toHaveLength(2);
});

test("a trainer that waits for a token that the project no longer has is told so", async () => {
  const { ctx } = await testProject();
  const { connection } = await hub(ctx, "both");
  const id = await interrupted(ctx);
  await deleteConnection(ctx, { connectionId: connection.id });
  expect(await finish(ctx, id)).toBe("running");
  expect(trainer.deployments.access.get(id)).toEqual({});
});

test("an evaluation against the base model is sent the token with each request for answers", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  await runEvaluation(ctx, await storedEvaluation(ctx, await trained(ctx), { trainerId }));
  expect([...trainer.samples.values()]).toMatchObject([{ ...SENT, targets: [{ base: { id: "acme/tiny" } }, {}] }]);
});

/** Compares a checkpoint with its merged form, and returns what its trainer got beside the request. */
async function certified(ctx: Ctx, checkpointId: string) {
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId });
  await runCertificate(ctx, certificate.id);
  return trainer.certificates.all.get(certificate.id)!;
}

/** Publishes something as a whole model, and returns what its trainer got. */
async function published(ctx: Ctx, connectionId: string, what: object) {
  const destination = { connectionId, repoId: "acme/support", private: true };
  const asked = { format: "merged-16bit" as const, force: true, ...what, destination };
  const { export: made } = await createExport(ctx, asked);
  await runExport(ctx, made.id);
  return trainer.exports.all.get(made.id)!;
}

test("a certificate is sent the token, as the base model of its checkpoint may have left the trainer's cache", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { access, body } = await certified(ctx, await trained(ctx));
  expect(access).toEqual(SENT);
  expect(JSON.stringify(body)).not.toContain(TOKEN);
});

test("an export is sent the token for downloads beside the one that publishes, unless it is of an adapter", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { connection } = await hub(ctx, "publish", "hf_thatPublishes0123456789", "For publishing");
  const checkpointId = await trained(ctx);
  for (const what of [{ checkpointId }, { hubModel: { id: "acme/gated" } }]) {
    const { access, secrets, body } = await published(ctx, connection.id, what);
    expect({ access, secrets }).toEqual({ access: SENT, secrets: ["hf_thatPublishes0123456789"] });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
  }
  expect((await published(ctx, connection.id, { checkpointId, format: "lora-adapter" })).access).toEqual({});
});

test("a replaced token is the one that is sent, and a removed one is not", async () => {
  const { ctx } = await testProject();
  const { connection } = await hub(ctx, "both", "hf_theFirst0123456789");
  await updateConnection(ctx, { connectionId: connection.id, secret: TOKEN });
  expect((await accessOf(ctx, "a")).access.secret).toBe(TOKEN);
  await deleteConnection(ctx, { connectionId: connection.id });
  expect((await accessOf(ctx, "b")).access).toEqual({});
});

test("neither a token for publishing nor another project's is sent", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  const { connection } = await hub(ours, "publish");
  await hub(theirs, "download");
  expect((await accessOf(ours, "a")).access).toEqual({});
  expect((await playground(ours, BASE)).access).toEqual({});
  await runEvaluation(ours, await storedEvaluation(ours, await trained(ours), { trainerId }));
  expect([...trainer.samples.values()].map(({ secret }) => secret)).toEqual([undefined]);
  const checkpointId = await trained(ours);
  expect((await certified(ours, checkpointId)).access).toEqual({});
  expect((await published(ours, connection.id, { checkpointId })).access).toEqual({});
});

test("a trainer of before, which would refuse a token, gets all of its work without", async () => {
  trainer.features = [];
  trainerId = await attachScripted(trainer);
  const { ctx } = await testProject();
  await hub(ctx, "download");
  expect((await accessOf(ctx, "a")).access).toEqual({});
  expect((await playground(ctx, BASE)).access).toEqual({});
  await runEvaluation(ctx, await storedEvaluation(ctx, await trained(ctx), { trainerId }));
  expect(trainer.samples.size).toBe(1);
});

test("a trainer of the last release, which takes a token with jobs and deployments, gets certificates and exports without", async () => {
  trainer.features = ["hub_token", "deployment_hub_token"];
  trainerId = await attachScripted(trainer);
  const { ctx } = await testProject();
  const { connection } = await hub(ctx, "both");
  const checkpointId = await trained(ctx);
  expect(await certified(ctx, checkpointId)).toMatchObject({ access: {}, status: "ready" });
  const { access, said } = await published(ctx, connection.id, { checkpointId });
  expect({ access, status: said.status }).toEqual({ access: {}, status: "succeeded" });
});

test("a trainer that takes a token with jobs only gets a playground without", async () => {
  trainer.features = ["hub_token"];
  trainerId = await attachScripted(trainer);
  const { ctx } = await testProject();
  await hub(ctx, "download");
  expect((await playground(ctx, BASE)).access).toEqual({});
});

test("a project has one connection for downloads", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { connection } = await hub(ctx, "publish", TOKEN, "For publishing");
  const conflict = { code: "conflict", message: expect.stringContaining("“Hugging Face”") };
  await expect(hub(ctx, "both")).rejects.toMatchObject(conflict);
  await expect(updateConnection(ctx, { connectionId: connection.id, settings: { use: "both" } })).rejects.toMatchObject(
    conflict,
  );
});
