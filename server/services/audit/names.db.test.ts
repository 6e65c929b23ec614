import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { recordAudit } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { readNames } from "@/server/platform/names";
import { createDataset, deleteDataset, updateDataset } from "@/server/services/datasets";
import { listAudit } from ".";

test("things are called by their current names, of this project alone, for those who may read them", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const create = async (owner: Ctx, name: string) => (await createDataset(owner, { name })).dataset.id;
  const mine = { type: "dataset", id: await create(ctx, "Refunds") };
  const other = { type: "dataset", id: await create(theirs.ctx, "Secret") };
  const missing = { type: "dataset", id: "ds_gone" };
  const unknown = { type: "toString", id: mine.id };
  const named = async (reader: Ctx) => {
    const nameOf = await readNames(reader, [mine, other, missing, unknown]);
    return [mine, other, missing, unknown].map(nameOf);
  };
  expect(await named(ctx)).toEqual(["Refunds", null, null, null]);
  expect(await named(theirs.ctx)).toEqual([null, "Secret", null, null]);
  const asKey: Ctx = { ...ctx, actor: { kind: "apiKey", keyId: "key_1", capabilities: ["diagnostics:read"] } };
  expect(await named(asKey)).toEqual([null, null, null, null]);
  await deleteDataset(ctx, { datasetId: mine.id });
  expect(await named(ctx)).toEqual([null, null, null, null]);
});

test("the log calls a changed thing by its current name while it exists, and by no other project's", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const { dataset } = await createDataset(ctx, { name: "Refunds" });
  await updateDataset(ctx, { datasetId: dataset.id, name: "Returns" });
  await createDataset(theirs.ctx, { name: "Secret" });
  // As if an id of another project had got into the log.
  const foreign = (await createDataset(theirs.ctx, { name: "Hidden" })).dataset.id;
  await recordAudit(db(), {
    action: "datasets.update",
    projectId: ctx.projectId,
    actor: { kind: "job", id: "test" },
    target: { type: "dataset", id: foreign },
  });
  const targets = async () => (await listAudit(ctx, { action: "datasets" })).entries.map(({ target }) => target);
  const named = (id: string, name: string | null) => ({ type: "dataset", id, name });
  expect(await targets()).toEqual([named(foreign, null), named(dataset.id, "Returns"), named(dataset.id, "Returns")]);
  await deleteDataset(ctx, { datasetId: dataset.id });
  expect((await targets()).map((target) => target?.name)).toEqual([null, null, null, null]);
});
