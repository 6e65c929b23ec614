import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { checkpoints, deployments, findings, modelExports, trainingArtifacts, trainingManifests } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";
import { addBaseModel, getLineage } from "..";
import { CATALOGUE } from "../base-models/catalogue";
import { storedCheckpoint } from "../testing/stored-checkpoint";
import { NODES_OF_A_KIND_MAX } from "./schemas";

beforeEach(attachTrainer);

const BASE = { id: "acme/tiny", revision: "a".repeat(40) };
const spec = (revision: string | null = BASE.revision) => ({ base_model: { id: BASE.id, revision } });
const lineageOf = async (ctx: Ctx, rootModelId: string) => (await getLineage(ctx, { rootModelId })).lineage;
const ofProject = ({ projectId }: Ctx) => eq(trainingManifests.projectId, projectId);

/** A job on a version of a Dataset that a Finding fed, its checkpoint, and a job that continues from there. */
async function world() {
  const { ctx, asKey } = await testProject();
  const datasetId = await storedDataset(ctx, "Answers");
  const fed = { link: { conversationId: null, userId: null, turn: 0, findingId: "fnd_1" } };
  await write(ctx, datasetId, [creating("one", { split: "train", ...fed } as never) as never]);
  await write(ctx, datasetId, [creating("two", { split: "train" })]);
  const first = await storedJob(ctx, { name: "First", datasetId, baseModelId: BASE.id, spec: spec() });
  await ctx.db.update(trainingManifests).set({ datasetId, datasetVersion: 1 }).where(ofProject(ctx));
  const [manifest] = await ctx.db.select().from(trainingManifests).where(ofProject(ctx));
  const checkpointId = await storedCheckpoint(ctx, first, { baseModel: BASE });
  const second = await storedJob(ctx, {
    ...{ name: "Second", datasetId, baseModelId: BASE.id, spec: spec(), parentCheckpointId: checkpointId },
  });
  return { ctx, asKey, datasetId, first, second, checkpointId, sha256: manifest!.sha256 };
}

async function built({ ctx, first, checkpointId }: Awaited<ReturnType<typeof world>>) {
  const { projectId } = ctx;
  const artifact = { projectId, jobId: first, checkpointId, files: [], bytes: 1, warnings: [], createdAt: 1 };
  const [merged, gguf] = [newId("job"), newId("job")];
  await ctx.db.insert(trainingArtifacts).values([
    { ...artifact, id: merged, kind: "merged-16bit", quantization: null, state: "ready" },
    { ...artifact, id: gguf, kind: "gguf", quantization: "q4_k_m", state: "ready" },
  ]);
  const common = { projectId, trainerId: "trn_1", actorKind: "job", updatedAt: 1 } as const;
  const serving = { ...common, status: "pending", timeoutSeconds: 1, deadlineAt: 1, checkpointId } as const;
  const deployment = newId("dep");
  await ctx.db.insert(deployments).values([
    { ...serving, id: deployment, purpose: "service", name: "shop-agent" },
    { ...serving, id: newId("dep"), purpose: "playground", name: "playground-1" },
  ]);
  const to = { connectionId: "conn_1", endpoint: "https://h.example", isPrivate: true, revision: "main" };
  const publication = { ...common, ...to, format: "merged-16bit", status: "queued" } as const;
  const [published, converted] = [newId("exp"), newId("exp")];
  await ctx.db.insert(modelExports).values([
    { ...publication, id: published, checkpointId, repoId: "acme/support" },
    { ...publication, id: converted, hubModel: { id: BASE.id, revision: null }, repoId: "acme/copy" },
  ]);
  return { merged, gguf, deployment, published, converted };
}

test("a lineage leads from the base model to what is deployed and published, and back to its sources", async () => {
  const it = await world();
  const { ctx, datasetId, first, second, checkpointId, sha256 } = it;
  const { merged, gguf, deployment, published, converted } = await built(it);
  const { root, nodes, edges, truncated, limit } = await lineageOf(ctx, BASE.id);
  expect([root, truncated, limit]).toEqual([{ id: BASE.id, revision: null }, false, NODES_OF_A_KIND_MAX]);
  const base = `${BASE.id}@${BASE.revision}`;
  const version = `${datasetId}@1`;
  const drawn = edges.map(({ from, to, type }) => `${from} ${type} ${to}`);
  for (const edge of [
    `${first} trained_from ${base}`,
    `${checkpointId} trained_from ${first}`,
    `${second} continued_from ${checkpointId}`,
    `${merged} merged_from ${checkpointId}`,
    `${gguf} quantized_from ${checkpointId}`,
    `${checkpointId} deployed_as ${deployment}`,
    `${checkpointId} exported_as ${published}`,
    `${BASE.id} exported_as ${converted}`,
    `${first} fed_by ${sha256}`,
    `${sha256} fed_by ${version}`,
    `${version} fed_by fnd_1`,
  ]) {
    expect(drawn).toContain(edge);
  }
  const ids = new Set(nodes.map(({ id }) => id));
  expect(ids.size).toBe(nodes.length);
  for (const { from, to } of edges) expect([ids.has(from), ids.has(to)], `${from} ${to}`).toEqual([true, true]);
  expect(nodes.filter(({ kind }) => kind === "deployment").map(({ name }) => name)).toEqual(["shop-agent"]);
  expect(nodes.find(({ id }) => id === version)).toMatchObject({ kind: "datasetVersion", name: "Answers v1" });
  expect(nodes.find(({ id }) => id === gguf)).toMatchObject({ name: "gguf q4_k_m", status: "ready" });
});

test("the lineage of a job, a checkpoint or an added base model has its base model as root", async () => {
  const { ctx, first, checkpointId } = await world();
  const { baseModel } = await addBaseModel(ctx, { id: BASE.id, source: "hub" });
  const whole = { id: BASE.id, revision: BASE.revision };
  expect((await lineageOf(ctx, first)).root).toEqual(whole);
  expect((await lineageOf(ctx, checkpointId)).root).toEqual(whole);
  expect((await lineageOf(ctx, `${BASE.id}@${BASE.revision}`)).root).toEqual(whole);
  expect((await lineageOf(ctx, baseModel.baseModelId!)).root).toEqual({ id: BASE.id, revision: null });
});

test("another revision is another root, and an untrained model is the only node", async () => {
  const { ctx } = await world();
  const other = await storedJob(ctx, { baseModelId: BASE.id, spec: spec("b".repeat(40)) });
  const jobsOf = async (name: string) =>
    (await lineageOf(ctx, name)).nodes.flatMap(({ id, kind }) => (kind === "job" ? [id] : []));
  expect(await jobsOf(`${BASE.id}@${"b".repeat(40)}`)).toEqual([other]);
  expect(await jobsOf(BASE.id)).toHaveLength(3);
  const alone = await lineageOf(ctx, CATALOGUE[0]!.id);
  expect([alone.nodes.map(({ kind, id }) => [kind, id]), alone.edges]).toEqual([[["baseModel", CATALOGUE[0]!.id]], []]);
});

test("a checkpoint trained on erased words is marked, and so is everything made from it", async () => {
  const it = await world();
  const { ctx, first, checkpointId, sha256, datasetId } = it;
  const { gguf, deployment, published } = await built(it);
  await ctx.db.update(checkpoints).set({ taintedAt: 7 }).where(eq(checkpoints.id, checkpointId));
  await ctx.db.update(trainingManifests).set({ erasedAt: 7, fileId: null }).where(eq(trainingManifests.sha256, sha256));
  const { nodes } = await lineageOf(ctx, first);
  const marked = nodes.flatMap(({ id, taintedAt }) => (taintedAt === 7 ? [id] : []));
  expect(marked).toEqual(expect.arrayContaining([checkpointId, sha256, `${datasetId}@1`, gguf, deployment, published]));
});

test("a Finding's title is shown only with the right to read diagnostics", async () => {
  const { ctx, asKey, first } = await world();
  await ctx.db.insert(findings).values({
    ...{ projectId: ctx.projectId, id: "fnd_1", ruleId: "tool-failure", signal: "tool-failure", title: "Search fails" },
    ...{ summary: "", severity: "high", detectedSeverity: "high", diagnosticScore: 0, diagnosticScoreParts: {} },
    ...{ reviewStatus: "unreviewed", lastDetectedAt: 1, firstDetectedAt: 1, updatedAt: 1 },
  } as never);
  const nameFor = async (on: Ctx) => (await lineageOf(on, first)).nodes.find(({ kind }) => kind === "finding")?.name;
  expect(await nameFor(ctx)).toBe("Search fails");
  expect(await nameFor(asKey("workspace:read"))).toBe("fnd_1");
});

test("a large lineage has the newest of each kind, and is marked as truncated", async () => {
  const { ctx, first } = await world();
  await Promise.all(
    Array.from({ length: NODES_OF_A_KIND_MAX }, (_, n) =>
      storedCheckpoint(ctx, first, { baseModel: BASE, stepNumber: n, createdAt: Date.UTC(2026, 11, 1) + n }),
    ),
  );
  const { nodes, edges, truncated } = await lineageOf(ctx, BASE.id);
  expect(truncated).toBe(true);
  const steps = nodes.flatMap(({ kind, details }) => (kind === "checkpoint" ? [details.stepNumber] : []));
  expect([steps.length, steps[0]]).toEqual([NODES_OF_A_KIND_MAX, NODES_OF_A_KIND_MAX - 1]);
  // The job whose parent checkpoint is left out is still connected.
  expect(edges.filter(({ type }) => type === "continued_from")).toEqual([]);
  expect(edges.filter(({ type, to }) => type === "trained_from" && to.startsWith(BASE.id))).toHaveLength(2);
});

test("unknown models and another project's are not found", async () => {
  const theirs = await world();
  const { ctx } = await testProject();
  for (const rootModelId of [BASE.id, theirs.first, theirs.checkpointId, "none/such", "@", "a@b", `${BASE.id}@x`]) {
    await expect(getLineage(ctx, { rootModelId }), rootModelId).rejects.toMatchObject({ code: "not_found" });
  }
  const ours = await storedJob(ctx, { baseModelId: BASE.id, spec: spec() });
  const { nodes } = await lineageOf(ctx, BASE.id);
  expect(nodes.flatMap(({ id, kind }) => (kind === "job" ? [id] : []))).toEqual([ours]);
});
