import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { checkpoints, deployments, parityCertificates, trainingArtifacts } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { getCheckpoint, listCheckpoints } from "@/server/services/models";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { certifyCheckpoint, getCertificate, listCertificates, runCertificate, wakeCertificates } from "..";
import { ensureParity } from "./ensure-parity";

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.isReachable = true;
  trainer.certificates.verdict = "passed";
  for (const state of [trainer.certificates.all, trainer.answers, trainer.lost]) state.clear();
});

async function world() {
  const { ctx } = await testProject();
  const [{ id: trainerId } = { id: "" }] = await attachedTrainers(db());
  const jobId = await storedJob(ctx, { trainerId });
  return { ctx, trainerId, jobId, checkpointId: await storedCheckpoint(ctx, jobId) };
}
const rowsOf = (ctx: Ctx) =>
  ctx.db.select().from(parityCertificates).where(eq(parityCertificates.projectId, ctx.projectId));
const Q4 = { kind: "gguf", quantization: "q4_k_m" } as const;
const MERGED = { kind: "merged-16bit", quantization: null } as const;

test("a certificate compares the merged model and every built form once, and becomes the checkpoint's parity", async () => {
  const { ctx, jobId, checkpointId } = await world();
  const artifact = { projectId: ctx.projectId, jobId, checkpointId, files: [], bytes: 1, warnings: [], createdAt: 1 };
  await ctx.db.insert(trainingArtifacts).values([
    { ...artifact, id: newId("job"), kind: "gguf", quantization: "q8_0", state: "ready" },
    { ...artifact, id: newId("job"), kind: "gguf", quantization: "q4_k_m", state: "failed", error: { code: "x" } },
    { ...artifact, id: newId("job"), kind: "lora-adapter", quantization: null, state: "ready" },
  ]);
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId });
  expect(certificate).toMatchObject({
    status: "queued",
    verdict: null,
    forms: [MERGED, { kind: "gguf", quantization: "q8_0" }],
    answers: null,
  });
  expect(await runCertificate(ctx, certificate.id)).toEqual({ done: true });
  expect(await runCertificate(ctx, certificate.id)).toEqual({ done: true });
  expect(trainer.certificates.all.size).toBe(1);
  expect(trainer.certificates.all.get(certificate.id)?.body).toMatchObject({
    checkpoint_id: checkpointId,
    deployment_id: null,
    max_new_tokens: 48,
  });
  const read = (await getCertificate(ctx, { certificateId: certificate.id })).certificate;
  expect(read).toMatchObject({
    status: "ready",
    verdict: "passed",
    finishedAt: expect.any(Number),
    answers: [{ messages: [{ role: "user" }], reference: { content: "On its way.", tokens: 4 } }],
  });
  expect(read.subjects?.[1]).toMatchObject({
    ...{ kind: "gguf", quantization: "q8_0", deploymentId: null, verdict: "close", prompts: 8, identicalAnswers: 7 },
    ...{ tokensCompared: 80, tokensEqual: 79, firstDifference: 40, meanLogprobDistance: 0.01, error: null },
    threshold: { mean_logprob_distance: 0.1 },
  });
  const parity = { certificateId: certificate.id, verdict: "passed", createdAt: certificate.createdAt };
  expect((await getCheckpoint(ctx, { checkpointId })).checkpoint.parity).toEqual(parity);
  trainer.certificates.verdict = "failed";
  const again = await certifyCheckpoint(ctx, { checkpointId, forms: [Q4, Q4] });
  expect(again.certificate.forms).toEqual([Q4]);
  await runCertificate(ctx, again.certificate.id);
  const listed = await listCheckpoints(ctx, {});
  expect(listed.checkpoints[0]?.parity).toMatchObject({ certificateId: again.certificate.id, verdict: "failed" });
  const first = await listCertificates(ctx, { checkpointId, limit: 1 });
  const rest = await listCertificates(ctx, { checkpointId, limit: 1, cursor: first.nextCursor! });
  expect([...first.certificates, ...rest.certificates].map(({ id }) => id)).toEqual([
    again.certificate.id,
    certificate.id,
  ]);
  expect(JSON.stringify(first)).not.toContain("On its way.");
});

test("a comparison that is not possible is refused", async () => {
  const { ctx, jobId, checkpointId } = await world();
  const pruned = await storedCheckpoint(ctx, jobId, { state: "pruned" });
  await expect(certifyCheckpoint(ctx, { checkpointId: pruned })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/checkpointId" }],
  });
  await expect(certifyCheckpoint(ctx, { checkpointId, forms: [] })).rejects.toMatchObject({ code: "unprocessable" });
  const unbuildable = certifyCheckpoint(ctx, { checkpointId, forms: [{ kind: "compressed", quantization: "fp8" }] });
  await expect(unbuildable).rejects.toMatchObject({ code: "unprocessable", errors: [{ path: "/forms" }] });
  await expect(certifyCheckpoint(ctx, { checkpointId: "ckpt_1" })).rejects.toMatchObject({ code: "not_found" });
  const asked = certifyCheckpoint(ctx, { checkpointId, deploymentId: "dep_1" });
  await expect(asked).rejects.toMatchObject({ code: "not_found" });
});

test("a running deployment is compared with its own checkpoint only", async () => {
  const { ctx, jobId, checkpointId, trainerId } = await world();
  const other = await storedCheckpoint(ctx, jobId);
  const deploymentId = newId("dep");
  const values = {
    projectId: ctx.projectId,
    id: deploymentId,
    purpose: "service",
    name: "shop",
    checkpointId,
    trainerId,
    status: "starting",
    timeoutSeconds: 60,
    deadlineAt: 1,
    actorKind: "job",
    updatedAt: 1,
  } as const;
  await ctx.db.insert(deployments).values(values);
  await expect(certifyCheckpoint(ctx, { checkpointId, deploymentId })).rejects.toMatchObject({ code: "conflict" });
  await ctx.db
    .update(deployments)
    .set({ status: "running", verifiedAt: 1 })
    .where(and(eq(deployments.projectId, ctx.projectId), eq(deployments.id, deploymentId)));
  await expect(certifyCheckpoint(ctx, { checkpointId: other, deploymentId })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("a model other than this checkpoint"),
  });
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId, deploymentId });
  expect(certificate).toMatchObject({ forms: [], deploymentId });
  await runCertificate(ctx, certificate.id);
  const { subjects } = (await getCertificate(ctx, { certificateId: certificate.id })).certificate;
  expect(subjects?.map((one) => one.deploymentId)).toEqual([deploymentId]);
});

test("the newest certificate that covers a form decides, and ten concurrent callers start one comparison", async () => {
  const { ctx, checkpointId, trainerId } = await world();
  expect(await ensureParity(ctx, { checkpointId, trainerId, form: null })).toEqual({
    status: "passed",
    certificateId: null,
  });
  const ask = (form: typeof Q4 | typeof MERGED = Q4) => ensureParity(ctx, { checkpointId, trainerId, form });
  const asked = await Promise.all(Array.from({ length: 10 }, () => ask()));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set(["waiting"]));
  expect(new Set(asked.map(({ certificateId }) => certificateId)).size).toBe(1);
  const [row, ...more] = await rowsOf(ctx);
  expect([row?.forms, row?.status, more]).toEqual([[Q4], "queued", []]);
  await runCertificate(ctx, row!.id);
  expect(await ask()).toEqual({ status: "passed", certificateId: row!.id });
  // Another form needs its own certificate.
  trainer.certificates.verdict = "failed";
  const merged = await ask(MERGED);
  expect(merged.status).toBe("waiting");
  await runCertificate(ctx, merged.certificateId!);
  expect(await ask(MERGED)).toEqual({ status: "failed", certificateId: merged.certificateId });
  expect((await ask()).status).toBe("passed");
});

test("a certificate that failed for another form does not fail this one", async () => {
  const { ctx, checkpointId, trainerId } = await world();
  trainer.certificates.verdict = null;
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId, forms: [MERGED, Q4] });
  await runCertificate(ctx, certificate.id);
  trainer.certificates.find(certificate.id, "passed");
  const { said } = trainer.certificates.all.get(certificate.id)!;
  Object.assign(said, { verdict: "failed" });
  Object.assign((said.subjects as object[])[0]!, { verdict: "different" });
  await runCertificate(ctx, certificate.id);
  const ask = async (form: typeof Q4 | typeof MERGED) =>
    (await ensureParity(ctx, { checkpointId, trainerId, form })).status;
  expect([await ask(MERGED), await ask(Q4)]).toEqual(["failed", "passed"]);
});

test("a comparison that could not be made keeps its reason, and is repeated for a later caller", async () => {
  const { ctx, checkpointId, trainerId } = await world();
  const first = await ensureParity(ctx, { checkpointId, trainerId, form: Q4 });
  const code = "conversion_failed";
  trainer.answers.set(`PUT /certificates/${first.certificateId}`, {
    status: 422,
    body: { error: { code, message: "It is of an unknown kind.", retryable: false } },
  });
  await runCertificate(ctx, first.certificateId!);
  expect((await getCertificate(ctx, { certificateId: first.certificateId! })).certificate).toMatchObject({
    status: "failed",
    verdict: null,
    error: { code },
  });
  const same = await ensureParity(ctx, { checkpointId, trainerId, form: Q4 });
  expect(same).toMatchObject({ status: "failed", certificateId: first.certificateId, problem: { code } });
  const [{ now } = { now: 0 }] = await ctx.db.execute<{ now: number }>(sql`select ${NOW}::float8 as now`);
  const later = await ensureParity(ctx, { checkpointId, trainerId, form: Q4, since: now + 1 });
  expect(later.status).toBe("waiting");
  expect(later.certificateId).not.toBe(first.certificateId);
});

test("a certificate stays queued while the trainer is unreachable, and is woken by the poll", async () => {
  const { ctx, checkpointId } = await world();
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId });
  trainer.isReachable = false;
  expect(await runCertificate(ctx, certificate.id)).toEqual({ done: false });
  const read = async () => (await getCertificate(ctx, { certificateId: certificate.id })).certificate;
  expect(await read()).toMatchObject({ status: "queued", staleSince: expect.any(Number) });
  trainer.isReachable = true;
  await ctx.db.update(parityCertificates).set({ dueAt: 1 }).where(eq(parityCertificates.id, certificate.id));
  expect(await wakeCertificates(db())).toBeGreaterThan(0);
  expect((await rowsOf(ctx))[0]?.dueAt).toBeGreaterThan(1);
  await runCertificate(ctx, certificate.id);
  expect(await read()).toMatchObject({ status: "ready", staleSince: null });
});

test("a certificate that the trainer lost is sent again three times, and then fails", async () => {
  const { ctx, checkpointId } = await world();
  trainer.certificates.verdict = null;
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId });
  const read = async () => (await getCertificate(ctx, { certificateId: certificate.id })).certificate;
  for (let lost = 0; lost < 3; lost += 1) {
    await runCertificate(ctx, certificate.id);
    trainer.certificates.all.clear();
    expect(await runCertificate(ctx, certificate.id)).toEqual({ done: false });
    expect(await read()).toMatchObject({ status: "queued" });
  }
  await runCertificate(ctx, certificate.id);
  expect(await read()).toMatchObject({ status: "running" });
  trainer.certificates.all.clear();
  expect(await runCertificate(ctx, certificate.id)).toEqual({ done: true });
  expect(await read()).toMatchObject({ status: "failed", error: { code: "not_found" } });
});

test("a comparison that ends after its prompts were deleted stores only figures", async () => {
  const { ctx, checkpointId } = await world();
  trainer.certificates.verdict = null;
  const { certificate } = await certifyCheckpoint(ctx, { checkpointId });
  await runCertificate(ctx, certificate.id);
  await ctx.db.update(checkpoints).set({ taintedAt: 1 }).where(eq(checkpoints.id, checkpointId));
  trainer.certificates.find(certificate.id, "passed");
  await runCertificate(ctx, certificate.id);
  const read = (await getCertificate(ctx, { certificateId: certificate.id })).certificate;
  expect(read).toMatchObject({ status: "ready", verdict: "passed", answers: null });
  expect(read.subjects).toHaveLength(1);
});

test("another project's checkpoints and certificates are not found", async () => {
  const theirs = await world();
  const { certificate } = await certifyCheckpoint(theirs.ctx, { checkpointId: theirs.checkpointId });
  const { ctx } = await testProject();
  const { checkpointId } = theirs;
  for (const asked of [
    () => certifyCheckpoint(ctx, { checkpointId }),
    () => listCertificates(ctx, { checkpointId }),
    () => getCertificate(ctx, { certificateId: certificate.id }),
  ]) {
    await expect(asked()).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await runCertificate(ctx, certificate.id)).toEqual({ done: true });
  expect((await rowsOf(theirs.ctx))[0]?.status).toBe("queued");
});
