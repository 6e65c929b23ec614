import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { backUp } from "@/db/backup";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { auditLog, modelExports, parityCertificates, trainerCommands, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createConnection, deleteConnection, updateConnection } from "@/server/services/connections";
import { CATALOGUE } from "@/server/services/models/base-models/catalogue";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { runCertificate } from "@/server/services/proof";
import { leaseCommands, takeResult } from "@/server/services/trainers";
import { newAgentKey } from "@/server/services/trainers/agents/agent-key";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { cancelExport, createExport, getExport, listExports, runExport, wakeExports } from ".";
import { HUB_TOKEN, storedHub } from "./testing/stored-hub";

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.isReachable = true;
  trainer.certificates.verdict = "passed";
  trainer.exports.succeeds = true;
  trainer.exports.commits.length = 0;
  for (const state of [trainer.exports.all, trainer.certificates.all, trainer.answers, trainer.lost]) state.clear();
});

async function world() {
  const { ctx } = await testProject();
  const [{ id: trainerId } = { id: "" }] = await attachedTrainers(db());
  const model = CATALOGUE[0]!;
  const finished = { status: "succeeded", finishedAt: 1, startedAt: 1 } as const;
  const jobId = await storedJob(ctx, { trainerId, baseModelId: model.id, ...finished });
  const baseModel = { id: model.id, revision: null };
  const checkpointId = await storedCheckpoint(ctx, jobId, { baseModel });
  const connectionId = await storedHub(ctx);
  const destination = { connectionId, repoId: "acme/support", private: true };
  const create = async (more: object = {}) =>
    (await createExport(ctx, { checkpointId, format: "lora-adapter", destination, ...more } as never)).export;
  const read = async (exportId: string) => (await getExport(ctx, { exportId })).export;
  return { ctx, trainerId, jobId, checkpointId, connectionId, destination, create, read, model };
}
const GGUF = { format: "gguf", quantization: "q4_k_m" } as const;

test("an adapter is published in one commit with the connection's token and a model card", async () => {
  const { ctx, create, read, jobId, checkpointId, connectionId, model } = await world();
  const made = await create();
  expect(made).toMatchObject({
    status: "queued",
    checkpointId,
    destination: { connectionId, endpoint: "https://hub.example.com", repoId: "acme/support", private: true },
    files: [],
    certificateId: null,
  });
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(await read(made.id)).toMatchObject({
    status: "succeeded",
    commitOid: "d".repeat(40),
    url: "https://hub.example.com/acme/support",
    files: [{ path: "model.gguf", size: 10 }],
    progress: { bytesDone: 10, bytesTotal: 10 },
    error: null,
    finishedAt: expect.any(Number),
  });
  const sent = trainer.exports.all.get(made.id)!;
  expect(sent.secrets).toEqual([HUB_TOKEN]);
  expect(sent.body).toEqual({
    source: { checkpoint_id: checkpointId },
    format: "lora-adapter",
    quantization: null,
    destination: {
      ...{ endpoint: "https://hub.example.com", repo_id: "acme/support" },
      ...{ private: true, revision: "main" },
    },
    card: {
      title: "support",
      license: model.license,
      tags: ["whetstone", "sft"],
      facts: { "Training rows": 24 },
    },
  });
  expect(JSON.stringify(sent.body)).not.toContain(jobId);
  const log = await ctx.db.select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId));
  const used = log.filter(({ action }) => action === "connections.use");
  expect(used.map(({ after }) => after)).toEqual([{ purpose: "export", host: "hub.example.com" }]);
});

test("a public model is published in another format without a checkpoint", async () => {
  const { ctx, destination, read } = await world();
  const hubModel = { id: "Qwen/Qwen3-0.6B", revision: "main" };
  const { export: made } = await createExport(ctx, { hubModel, ...GGUF, destination });
  await runExport(ctx, made.id);
  expect(await read(made.id)).toMatchObject({
    status: "succeeded",
    hubModel,
    checkpointId: null,
    quantization: "q4_k_m",
  });
  expect(trainer.exports.all.get(made.id)?.body.source).toEqual({
    hub_model: { ...hubModel, endpoint: "https://hub.example.com" },
  });
});

test.each([
  [{ format: "gguf" }, "quantization"],
  [{ format: "merged-16bit", quantization: "q8_0" }, "quantization"],
  [{ format: "gguf", quantization: "int8" }, "quantization"],
  [{ checkpointId: undefined }, "checkpointId"],
  [{ hubModel: { id: "a/b" } }, "checkpointId"],
  [{ hubModel: { id: "../b" }, checkpointId: undefined }, "hubModel"],
])("%j is refused as an export", async (more, field) => {
  const { create } = await world();
  const refused = await create(more).catch((error) => error);
  expect(refused.issues.map((issue: { path: string[] }) => issue.path[0])).toEqual([field]);
});

test("a repository name must be valid for the hub", async () => {
  const { create, destination } = await world();
  for (const repoId of ["acme", "acme/a/b", "../acme", "acme/..", "https://x/y", "acme/a b"]) {
    const refused = await create({ destination: { ...destination, repoId } }).catch((error) => error);
    expect(refused.issues?.[0]?.path, repoId).toEqual(["destination", "repoId"]);
  }
});

test("a checkpoint or format that cannot be published is refused", async () => {
  const { ctx, create, jobId, destination } = await world();
  const full = await storedCheckpoint(ctx, jobId, { kind: "full" });
  const pruned = await storedCheckpoint(ctx, jobId, { state: "pruned" });
  const at = (path: string) => ({ code: "unprocessable", errors: [expect.objectContaining({ path })] });
  await expect(create({ checkpointId: full })).rejects.toMatchObject(at("/format"));
  await expect(create({ checkpointId: pruned })).rejects.toMatchObject(at("/checkpointId"));
  await expect(create({ ...GGUF, quantization: "q6_k" })).rejects.toMatchObject(at("/format"));
  const ofHub = createExport(ctx, { hubModel: { id: "a/b" }, format: "lora-adapter", destination });
  await expect(ofHub).rejects.toMatchObject(at("/format"));
  await expect(create({ checkpointId: "ckpt_1" })).rejects.toMatchObject({ code: "not_found" });
});

test("a connection that cannot publish is refused, and the message names one that can or explains how to make one", async () => {
  const { ctx, create, connectionId, destination } = await world();
  const { connection } = await createConnection(ctx, { kind: "github", name: "Code", secret: "ghp_x" });
  const from = (id: string) => create({ destination: { ...destination, connectionId: id } });
  for (const id of [connection.id, "conn_1", await storedHub((await testProject()).ctx)]) {
    await expect(from(id)).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining(`Hub (${connectionId})`),
      errors: [{ path: "/destination/connectionId" }],
    });
  }
  await updateConnection(ctx, { connectionId, secret: null });
  await expect(from(connectionId)).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringMatching(/kind model-hub, its address, and a token/),
  });
});

test("a merged or quantized model waits for its certificate, and is published once it passes", async () => {
  const { ctx, create, read } = await world();
  const made = await create(GGUF);
  expect(await runExport(ctx, made.id)).toEqual({ done: false });
  expect(await runExport(ctx, made.id)).toEqual({ done: false });
  const { certificateId, status, error } = await read(made.id);
  expect([status, error, trainer.exports.all.size]).toEqual(["preflight", null, 0]);
  const certificates = await ctx.db
    .select()
    .from(parityCertificates)
    .where(eq(parityCertificates.projectId, ctx.projectId));
  expect(certificates.map(({ id, forms }) => [id, forms])).toEqual([
    [certificateId, [{ kind: "gguf", quantization: "q4_k_m" }]],
  ]);
  await runCertificate(ctx, certificateId!);
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(await read(made.id)).toMatchObject({ status: "succeeded", certificateId });
  expect(trainer.exports.all.get(made.id)?.body).toMatchObject({
    card: { facts: { Parity: expect.stringContaining("and passed") } },
  });
});

test("a model that answers differently is published only by force, and its card says so", async () => {
  const { ctx, create, read } = await world();
  trainer.certificates.verdict = "failed";
  const made = await create({ format: "merged-16bit" });
  await runExport(ctx, made.id);
  const { certificateId } = await read(made.id);
  await runCertificate(ctx, certificateId!);
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(await read(made.id)).toMatchObject({
    status: "failed",
    error: { code: "merge_parity_failed" },
    certificateId,
  });
  expect(trainer.exports.all.size).toBe(0);
  const forced = await create({ format: "merged-16bit", force: true });
  expect(await runExport(ctx, forced.id)).toEqual({ done: true });
  expect(await read(forced.id)).toMatchObject({ status: "succeeded", forced: true });
  expect(trainer.exports.all.get(forced.id)?.body).toMatchObject({
    card: { facts: { Parity: expect.stringContaining("without a passing comparison") } },
  });
});

test("an export whose process died is sent again with the current token, three times at most", async () => {
  const { ctx, create, read, connectionId } = await world();
  trainer.exports.succeeds = false;
  const made = await create();
  const vanished = { code: "worker_vanished", message: "It is gone.", retryable: true };
  await runExport(ctx, made.id);
  expect(await read(made.id)).toMatchObject({ status: "building" });
  trainer.exports.say(made.id, { status: "failed", error: vanished });
  await runExport(ctx, made.id);
  expect(await read(made.id)).toMatchObject({ finishedAt: null, error: { code: "worker_vanished" } });
  await updateConnection(ctx, { connectionId, secret: "hub-token-after-a-rotation" });
  await runExport(ctx, made.id);
  expect(trainer.exports.all.get(made.id)?.secrets).toEqual([HUB_TOKEN, "hub-token-after-a-rotation"]);
  for (let lost = 0; lost < 2; lost += 1) {
    trainer.exports.say(made.id, { status: "failed", error: vanished });
    await runExport(ctx, made.id);
    await runExport(ctx, made.id);
  }
  trainer.exports.say(made.id, { status: "failed", error: vanished });
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(await read(made.id)).toMatchObject({ status: "failed", error: { code: "worker_vanished" } });
  expect(trainer.exports.all.get(made.id)?.secrets).toHaveLength(4);
});

test("an export that the trainer lost, or whose reply was lost, is committed once", async () => {
  const { ctx, create, read } = await world();
  trainer.exports.succeeds = false;
  const made = await create();
  trainer.lost.add(`PUT /exports/${made.id}`);
  expect(await runExport(ctx, made.id)).toEqual({ done: false });
  expect(await read(made.id)).toMatchObject({ status: "preflight", staleSince: expect.any(Number) });
  trainer.lost.clear();
  await runExport(ctx, made.id);
  expect(await read(made.id)).toMatchObject({ status: "building", staleSince: null });
  trainer.exports.all.clear();
  await runExport(ctx, made.id);
  expect(await read(made.id)).toMatchObject({ finishedAt: null });
  trainer.exports.succeeds = true;
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(trainer.exports.commits).toEqual([made.id]);
});

test("an export is cancelled immediately until it is sent, and then when the trainer confirms it", async () => {
  const { ctx, create, read } = await world();
  trainer.exports.succeeds = false;
  const early = await create();
  expect((await cancelExport(ctx, { exportId: early.id })).export).toMatchObject({ status: "cancelled" });
  expect(await runExport(ctx, early.id)).toEqual({ done: true });
  expect(trainer.exports.all.size).toBe(0);

  const late = await create();
  await runExport(ctx, late.id);
  const asked = (await cancelExport(ctx, { exportId: late.id })).export;
  expect(asked).toMatchObject({ status: "building", cancelRequestedAt: expect.any(Number) });
  expect(await runExport(ctx, late.id)).toEqual({ done: true });
  expect(await read(late.id)).toMatchObject({ status: "cancelled" });

  const done = await create();
  await runExport(ctx, done.id);
  trainer.exports.commit(done.id);
  await cancelExport(ctx, { exportId: done.id });
  expect(await runExport(ctx, done.id)).toEqual({ done: true });
  expect(await read(done.id)).toMatchObject({ status: "succeeded", commitOid: "d".repeat(40) });
  expect((await cancelExport(ctx, { exportId: done.id })).export.status).toBe("succeeded");
});

test("a cancelled export that its trainer has lost is cancelled", async () => {
  const { ctx, create, read } = await world();
  trainer.exports.succeeds = false;
  const made = await create();
  await runExport(ctx, made.id);
  await cancelExport(ctx, { exportId: made.id });
  trainer.exports.all.clear();
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(await read(made.id)).toMatchObject({ status: "cancelled" });
});

test("an export whose connection was deleted or moved to another hub fails without sending the token", async () => {
  const { ctx, create, read, connectionId } = await world();
  const moved = await create();
  await updateConnection(ctx, { connectionId, baseUrl: "https://other.example.com", secret: "another-hubs-token" });
  expect(await runExport(ctx, moved.id)).toEqual({ done: true });
  expect(await read(moved.id)).toMatchObject({ status: "failed", error: { code: "hub_auth_failed", blame: "user" } });
  await updateConnection(ctx, { connectionId, baseUrl: "https://hub.example.com", secret: HUB_TOKEN });
  const orphan = await create();
  await deleteConnection(ctx, { connectionId });
  expect(await runExport(ctx, orphan.id)).toEqual({ done: true });
  const { error } = await read(orphan.id);
  expect(error).toMatchObject({ code: "hub_auth_failed", message: expect.stringContaining("deleted") });
  expect(trainer.exports.all.size).toBe(0);
});

test("a URL outside the hub is dropped, and a success without a commit is a failure", async () => {
  const { ctx, create, read } = await world();
  trainer.exports.succeeds = false;
  const [evil, empty] = [await create(), await create()];
  await runExport(ctx, evil.id);
  trainer.exports.commit(evil.id);
  trainer.exports.say(evil.id, { status: "succeeded", url: "javascript:alert(1)" });
  await runExport(ctx, evil.id);
  expect(await read(evil.id)).toMatchObject({ status: "succeeded", url: null });
  await runExport(ctx, empty.id);
  trainer.exports.say(empty.id, { status: "succeeded" });
  await runExport(ctx, empty.id);
  expect(await read(empty.id)).toMatchObject({ status: "failed", error: { code: "export_failed" } });
});

/** Returns everything that a backup of the database would contain, as text. */
async function everythingStored(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-exports-"));
  const to = path.join(folder, "dump");
  await backUp(process.env.MIGRATION_DATABASE_URL as string, to, { secret: "s".repeat(40) });
  const parts = await Promise.all(
    (await readdir(to)).map(async (name) => {
      const bytes = await readFile(path.join(to, name));
      return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1");
    }),
  );
  await rm(folder, { recursive: true });
  return parts.join("\n");
}

test("a token repeated by the trainer is neither stored nor shown", async () => {
  const { ctx, create, read } = await world();
  trainer.exports.succeeds = false;
  const [failing, refused] = [await create(), await create()];
  await runExport(ctx, failing.id);
  const error = { code: "hub_auth_failed", message: `The hub refused ${HUB_TOKEN}.`, log_tail: [`using ${HUB_TOKEN}`] };
  trainer.exports.say(failing.id, { status: "failed", error });
  await runExport(ctx, failing.id);
  trainer.answers.set(`PUT /exports/${refused.id}`, { status: 422, body: { error } });
  await runExport(ctx, refused.id);
  for (const { id } of [failing, refused]) {
    expect(await read(id)).toMatchObject({ status: "failed", error: { message: "The hub refused ***." } });
  }
  const [row] = await ctx.db
    .select()
    .from(modelExports)
    .where(and(eq(modelExports.projectId, ctx.projectId), eq(modelExports.id, failing.id)));
  expect(JSON.stringify(row)).not.toContain(HUB_TOKEN);
});

test("through an agent both tokens are stored encrypted until they are fetched, and deleted afterwards", async () => {
  const { ctx, destination, checkpointId, jobId } = await world();
  const { key: _, ...row } = newAgentKey();
  const capabilities = { export_formats: ["merged-16bit"], features: ["build_hub_token"] };
  await db()
    .insert(trainers)
    .values({ ...row, kind: "agent", name: "Box", lastSeenAt: NOW, updatedAt: NOW, capabilities });
  await ctx.db.execute(`update training_jobs set trainer_id = '${row.id}' where id = '${jobId}'`);
  const forDownloads = "hub-token-4712-for-downloads";
  await createConnection(ctx, {
    kind: "model-hub",
    name: "Gated",
    secret: forDownloads,
    settings: { use: "download" },
  });
  const asked = { checkpointId, format: "merged-16bit", force: true, destination } as const;
  const { export: made } = await createExport(ctx, asked);
  const running = runExport(ctx, made.id);
  const agent = { id: row.id, capabilitiesHash: null };
  const signal = new AbortController().signal;
  const queued = async () => db().select().from(trainerCommands).where(eq(trainerCommands.trainerId, row.id));
  while ((await queued()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const [waiting] = await queued();
  const sealed = { sealedSecret: expect.any(Object), sealedDownloadSecret: expect.any(Object) };
  expect(waiting?.payload).toMatchObject({ path: `/v1/exports/${made.id}`, ...sealed });
  const atRest = await everythingStored();
  expect(atRest).toContain(made.id);
  expect(atRest).not.toContain(HUB_TOKEN);
  expect(atRest).not.toContain(forDownloads);
  const lease = { capabilities_hash: "", capabilities, jobs: [], wait_seconds: 5 };
  const serve = async () => {
    const { commands } = await leaseCommands(db(), agent, lease, signal);
    for (const { command_id, payload } of commands) {
      const { method, path: at, body } = payload as { method: string; path: string; body: Record<string, unknown> };
      const [, , , id = "", action = ""] = at.split("/");
      const { download_secret, hub_endpoint, ...rest } = body ?? {};
      const access = { download_secret, hub_endpoint };
      await takeResult(db(), agent, command_id, trainer.exports.answer(method, id, action, rest, access));
    }
  };
  await serve();
  await serve();
  expect(await running).toEqual({ done: true });
  expect(trainer.exports.all.get(made.id)?.secrets).toEqual([HUB_TOKEN]);
  const access = { download_secret: forDownloads, hub_endpoint: "https://huggingface.co" };
  expect(trainer.exports.all.get(made.id)?.access).toEqual(access);
  expect((await queued()).flatMap(({ payload }) => Object.keys(payload).filter((key) => key in sealed))).toEqual([]);
  const afterwards = await everythingStored();
  expect(afterwards).not.toContain(HUB_TOKEN);
  expect(afterwards).not.toContain(forDownloads);
});

test("exports are listed newest first, page by page, filtered by checkpoint or status, and woken when due", async () => {
  const { ctx, create, checkpointId, jobId } = await world();
  const first = await create();
  const second = await create({ checkpointId: await storedCheckpoint(ctx, jobId) });
  await runExport(ctx, first.id);
  const page = await listExports(ctx, { limit: 1 });
  const rest = await listExports(ctx, { limit: 1, cursor: page.nextCursor! });
  expect([page.exports[0]?.id, rest.exports[0]?.id, rest.nextCursor]).toEqual([second.id, first.id, null]);
  const idsOf = async (input: object) => (await listExports(ctx, input)).exports.map(({ id }) => id);
  expect(await idsOf({ checkpointId })).toEqual([first.id]);
  expect(await idsOf({ status: "queued" })).toEqual([second.id]);
  const dueAt = async () => (await ctx.db.select().from(modelExports).where(eq(modelExports.id, second.id)))[0]?.dueAt;
  const before = await dueAt();
  expect(await wakeExports(db())).toBeGreaterThan(0);
  expect(await dueAt()).toBeGreaterThan(before as number);
});

test("another project's exports and checkpoints are not found", async () => {
  const theirs = await world();
  const made = await theirs.create();
  const { ctx } = await testProject();
  const connectionId = await storedHub(ctx);
  for (const asked of [
    () => getExport(ctx, { exportId: made.id }),
    () => cancelExport(ctx, { exportId: made.id }),
    () =>
      createExport(ctx, {
        checkpointId: theirs.checkpointId,
        format: "lora-adapter",
        destination: { ...theirs.destination, connectionId },
      }),
  ]) {
    await expect(asked()).rejects.toMatchObject({ code: "not_found" });
  }
  expect((await listExports(ctx, {})).exports).toEqual([]);
  expect(await runExport(ctx, made.id)).toEqual({ done: true });
  expect(await theirs.read(made.id)).toMatchObject({ status: "queued" });
});
