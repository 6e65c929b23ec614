import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { recordAudit } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { readNames } from "@/server/platform/names";
import { createDataset, createExample, deleteDataset, updateDataset } from "@/server/services/datasets";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { failedTool } from "@/server/services/diagnostics/work-items/testing";
import { storedCheckpoint, storedExport } from "@/server/services/models/testing/stored-checkpoint";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { listAudit } from ".";

test("things have their current names, only in their own project and for those who may read them", async () => {
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

test("checkpoints, exports, tickets and Examples have names, only in their own project and for those who may read them", async () => {
  const world = async (name: string) => {
    const { ctx, asKey } = await testProject();
    const datasetId = await storedDataset(ctx, "Answers");
    const jobId = await storedJob(ctx, { name, datasetId: await storedDataset(ctx, "Trained on") });
    const checkpoint = await storedCheckpoint(ctx, jobId, { stepNumber: 40 });
    const { example } = await createExample(ctx, {
      datasetId,
      payload: {
        input: {
          type: "chat",
          messages: [
            { role: "user", content: "Hello" },
            { role: "assistant", content: "Hi." },
            { role: "user", content: `What of ${name}?` },
          ],
        },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: "Soon." } },
      },
    });
    const { findingId } = await failedTool(ctx);
    const ticket = { findingId, provider: "linear", connectionId: "conn_1", destination: "ENG" } as const;
    const item = {
      ...ticket,
      projectId: ctx.projectId,
      actorKind: "operator",
      updatedAt: 1,
      state: "abandoned",
    } as const;
    const [workItem, untold] = [newId("wi"), newId("wi")];
    await ctx.db.insert(workItems).values([
      {
        ...item,
        id: workItem,
        externalId: "1",
        externalUpdatedAt: 1,
        externalState: "Open",
        externalKey: `${name}-7`,
        url: "https://t.example/7",
      },
      { ...item, id: untold },
    ]);
    return {
      ctx,
      asKey,
      datasetId,
      refs: [
        { type: "checkpoint", id: checkpoint },
        { type: "export", id: await storedExport(ctx, { checkpointId: checkpoint, repoId: `acme/${name}` }) },
        { type: "example", id: example.id },
        { type: "workItem", id: workItem },
        { type: "workItem", id: untold },
      ],
    };
  };
  const [ours, theirs] = [await world("refunds"), await world("secrets")];
  const named = async (ctx: Ctx) => {
    const all = [...ours.refs, ...theirs.refs];
    return all.map(await readNames(ctx, all));
  };
  const nothing = ours.refs.map(() => null);
  expect(await named(ours.ctx)).toEqual([
    ...["refunds, step 40", "acme/refunds", "What of refunds?", "refunds-7", null],
    ...nothing,
  ]);
  expect(await named(theirs.ctx)).toEqual([
    ...nothing,
    ...["secrets, step 40", "acme/secrets", "What of secrets?", "secrets-7", null],
  ]);
  expect(await named(ours.asKey("diagnostics:read"))).toEqual([null, null, null, "refunds-7", null, ...nothing]);
  expect(await named(ours.asKey("workspace:read"))).toEqual([
    ...["refunds, step 40", "acme/refunds", "What of refunds?", null, null],
    ...nothing,
  ]);
  await deleteDataset(ours.ctx, { datasetId: ours.datasetId });
  expect((await named(ours.ctx))[2]).toBeNull();
});

test("the log names a changed thing by its current name while it exists, and never by another project's", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const { dataset } = await createDataset(ctx, { name: "Refunds" });
  await updateDataset(ctx, { datasetId: dataset.id, name: "Returns" });
  await createDataset(theirs.ctx, { name: "Secret" });
  // As if another project's id had ended up in the log.
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
