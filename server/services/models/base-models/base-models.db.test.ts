import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";
import { addBaseModel } from "./add-base-model";
import { knownBaseModel } from "./known-base-model";
import { getBaseModel, listBaseModels } from "./list-base-models";
import { removeBaseModel } from "./remove-base-model";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";

beforeEach(attachTrainer);

const ids = ({ baseModels }: Awaited<ReturnType<typeof listBaseModels>>) => baseModels.map(({ id }) => id);

test("the project's own models come first, then well-known ones, and a search finds both", async () => {
  const { ctx } = await testProject();
  const { baseModel } = await addBaseModel(ctx, { id: "acme/qwen3-support", source: "hub" });
  expect(baseModel).toMatchObject({
    source: "hub",
    revision: "main",
    name: "acme/qwen3-support",
    parameters: null,
    template: { trainingCompatible: null },
  });
  expect(await getBaseModel(ctx, { baseModelId: baseModel.baseModelId! })).toEqual({ baseModel });
  const found = await listBaseModels(ctx, { q: "QWEN3" });
  expect(ids(found)[0]).toBe("acme/qwen3-support");
  expect(ids(found)).toContain("Qwen/Qwen3-8B");
  expect(ids(found)).not.toContain("Qwen/Qwen2.5-7B-Instruct");
  expect(await listBaseModels(ctx, { q: "no such model" })).toEqual({ baseModels: [] });
});

test("a catalogue model added with its own revision replaces the catalogue's, and keeps its known facts", async () => {
  const { ctx } = await testProject();
  const { baseModel } = await addBaseModel(ctx, { id: "Qwen/Qwen3-8B", source: "hub", revision: COMMIT });
  expect(baseModel).toMatchObject({ revision: COMMIT, license: "apache-2.0", family: "qwen3", parameters: 8.2 });
  const { baseModels } = await listBaseModels(ctx, { q: "Qwen3-8B" });
  expect(baseModels).toEqual([baseModel]);
  await expect(addBaseModel(ctx, { id: "Qwen/Qwen3-8B", source: "hub" })).rejects.toMatchObject({ code: "conflict" });
});

test("a job can use the catalogue and its project's own models, and no other project's", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  expect(await knownBaseModel(ours, { id: "Qwen/Qwen3-8B" })).toEqual({
    id: "Qwen/Qwen3-8B",
    revision: "main",
    source: "hub",
    trustRemoteCode: false,
  });
  expect(await knownBaseModel(ours, { id: "acme/none" })).toBeNull();
  const { baseModel } = await addBaseModel(theirs, { id: "/models/tiny", source: "local" });
  const path = { id: "/models/tiny", source: "local" } as const;
  expect(await knownBaseModel(ours, path)).toBeNull();
  expect(await knownBaseModel(theirs, path)).toEqual({ ...path, revision: null, trustRemoteCode: false });
  const theirId = { baseModelId: baseModel.baseModelId! };
  await expect(getBaseModel(ours, theirId)).rejects.toMatchObject({ code: "not_found" });
  await expect(removeBaseModel(ours, theirId)).rejects.toMatchObject({ code: "not_found" });
  expect(await removeBaseModel(theirs, theirId)).toEqual({ ok: true });
  expect(await knownBaseModel(theirs, path)).toBeNull();
});

test("a model's repository code is trusted only at a fixed commit", async () => {
  const { ctx } = await testProject();
  const model = { id: "acme/odd", source: "hub", trustRemoteCode: true } as const;
  await expect(addBaseModel(ctx, { ...model, revision: "main" })).rejects.toMatchObject({
    errors: [{ path: "/revision" }],
  });
  await addBaseModel(ctx, { ...model, revision: COMMIT });
  expect(await knownBaseModel(ctx, { id: "acme/odd" })).toMatchObject({ revision: COMMIT, trustRemoteCode: true });
  expect(await knownBaseModel(ctx, { id: "acme/odd", revision: "main" })).toMatchObject({ trustRemoteCode: false });
});

test.each([
  ["a hub's model without an owner", { id: "qwen", source: "hub" }, "/id"],
  ["a relative path", { id: "models/tiny", source: "local" }, "/id"],
  ["a path with a step up", { id: "/models/../etc", source: "local" }, "/id"],
  ["a path with a revision", { id: "/models/tiny", source: "local", revision: "main" }, "/revision"],
] as const)("%s is refused", async (_, input, path) => {
  const { ctx } = await testProject();
  await expect(addBaseModel(ctx, input)).rejects.toMatchObject({ code: "unprocessable", errors: [{ path }] });
});

test("without a trainer models are listed, and changing them explains how to attach one", async () => {
  const { ctx } = await testProject();
  await db().delete(trainers);
  expect((await listBaseModels(ctx, {})).baseModels.length).toBeGreaterThan(0);
  await expect(getBaseModel(ctx, { baseModelId: "bm_1" })).rejects.toMatchObject({ code: "not_found" });
  const refused = { code: "not_implemented", message: expect.stringContaining("npx whetstone trainer") };
  await expect(addBaseModel(ctx, { id: "acme/a", source: "hub" })).rejects.toMatchObject(refused);
  await expect(removeBaseModel(ctx, { baseModelId: "bm_1" })).rejects.toMatchObject(refused);
});
