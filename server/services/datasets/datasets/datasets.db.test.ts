import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { datasets, exampleRevisions, jobEvents } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import {
  createDataset,
  createKnowledgeGoal,
  deleteDataset,
  deleteDatasetRows,
  getDataset,
  listDatasets,
  updateDataset,
} from "..";
import { creating, storedDataset, write } from "../examples/testing";

const NOT_FOUND = { code: "not_found" };

test("only a name is needed, and the reply has the defaults", async () => {
  const { ctx } = await testProject();
  const { dataset } = await createDataset(ctx, { name: "  Support answers " });
  expect(dataset).toEqual({
    id: expect.stringMatching(/^ds_/),
    name: "Support answers",
    description: "",
    schema: { type: "chat", version: 1 },
    collectionObjective: null,
    collectionEnabled: false,
    collectionFilters: {},
    collectionReview: true,
    collectionAsksModel: false,
    exampleCount: 0,
    version: 0,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  });
  expect(await getDataset(ctx, { datasetId: dataset.id })).toEqual({ dataset });
});

test("the schema is fixed: the same one is accepted, and another is a conflict", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const same = { type: "chat", version: 1 };
  expect((await updateDataset(ctx, { datasetId, schema: same, name: "Renamed" })).dataset.name).toBe("Renamed");
  for (const schema of [
    { type: "chat", version: 2 },
    { type: "completion", version: 1 },
  ]) {
    await expect(updateDataset(ctx, { datasetId, schema, name: "Lost" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("fixed at creation"),
      errors: [{ path: "/schema" }],
    });
  }
  expect((await getDataset(ctx, { datasetId })).dataset.name).toBe("Renamed");
});

test("collection needs an objective, also when either is changed later", async () => {
  const { ctx } = await testProject();
  await expect(createDataset(ctx, { name: "x", collectionEnabled: true })).rejects.toMatchObject({
    issues: [{ path: ["collectionObjective"] }],
  });
  const datasetId = await storedDataset(ctx);
  const { id } = (await createKnowledgeGoal(ctx, { title: "Refunds" })).knowledgeGoal;
  const conflict = { code: "conflict", message: expect.stringContaining("Set collectionObjective") };
  await expect(updateDataset(ctx, { datasetId, collectionEnabled: true })).rejects.toMatchObject(conflict);
  const { dataset } = await updateDataset(ctx, {
    datasetId,
    collectionObjective: "teach_project_knowledge",
    collectionEnabled: true,
    collectionFilters: { knowledgeGoalIds: [id] },
    collectionReview: false,
  });
  expect(dataset).toMatchObject({ collectionEnabled: true, collectionFilters: { knowledgeGoalIds: [id] } });
  await expect(updateDataset(ctx, { datasetId, collectionObjective: null })).rejects.toMatchObject(conflict);
  const off = await updateDataset(ctx, { datasetId, collectionEnabled: false, collectionObjective: null });
  expect(off.dataset).toMatchObject({ collectionEnabled: false, collectionObjective: null, collectionReview: false });
});

test("Knowledge goals in a filter are the project's own", async () => {
  const { ctx } = await testProject();
  const { ctx: theirs } = await testProject();
  const own = (await createKnowledgeGoal(ctx, { title: "Refunds" })).knowledgeGoal.id;
  const foreign = (await createKnowledgeGoal(theirs, { title: "Refunds" })).knowledgeGoal.id;
  const collectionFilters = { knowledgeGoalIds: [own, foreign] };
  const refused = { code: "unprocessable", errors: [{ path: "/collectionFilters/knowledgeGoalIds/1" }] };
  await expect(createDataset(ctx, { name: "x", collectionFilters })).rejects.toMatchObject(refused);
  const datasetId = await storedDataset(ctx);
  await expect(updateDataset(ctx, { datasetId, collectionFilters })).rejects.toMatchObject(refused);
});

test("another project's Dataset is not found, read, changed or deleted", async () => {
  const { ctx } = await testProject();
  const { ctx: stranger } = await testProject();
  const datasetId = await storedDataset(ctx);
  await expect(getDataset(stranger, { datasetId })).rejects.toMatchObject(NOT_FOUND);
  await expect(updateDataset(stranger, { datasetId, name: "x" })).rejects.toMatchObject(NOT_FOUND);
  await expect(deleteDataset(stranger, { datasetId })).rejects.toMatchObject(NOT_FOUND);
  expect((await listDatasets(stranger, {})).datasets).toEqual([]);
  expect((await getDataset(ctx, { datasetId })).dataset.name).toBe("Answers");
});

test("the list is newest first, page by page", async () => {
  const { ctx } = await testProject();
  for (const name of ["a", "b", "c"]) await storedDataset(ctx, name);
  const first = await listDatasets(ctx, { limit: 2 });
  const second = await listDatasets(ctx, { limit: 2, cursor: first.nextCursor! });
  expect([...first.datasets, ...second.datasets].map(({ name }) => name)).toEqual(["c", "b", "a"]);
  expect(second.nextCursor).toBeNull();
});

test("Datasets are found by a part of their name, which is taken literally, and none of another project is", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  for (const name of ["Refunds, 100% German", "Refunds", "Parcels"]) await storedDataset(ctx, name);
  await storedDataset(other, "Refunds of others");
  const found = async (q: string) => (await listDatasets(ctx, { q })).datasets.map(({ name }) => name);
  expect(await found("refund")).toEqual(["Refunds", "Refunds, 100% German"]);
  expect(await found("0%")).toEqual(["Refunds, 100% German"]);
  expect(await found("_")).toEqual([]);
});

test("a deleted Dataset is not found any more, and a job that may be interrupted deletes its rows", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const neighbour = await storedDataset(ctx, "Neighbour");
  await write(ctx, datasetId, [creating("a"), creating("b")]);
  await write(ctx, neighbour, [creating("a")]);
  const due = { projectId: ctx.projectId, datasetId };
  const turn = (forMs: number) => deleteDatasetRows(ctx.db, due, { forMs, jobName: "test" });
  await turn(1000);
  expect((await getDataset(ctx, { datasetId })).dataset.exampleCount).toBe(2);

  expect(await deleteDataset(ctx, { datasetId })).toEqual({ ok: true });
  await expect(getDataset(ctx, { datasetId })).rejects.toMatchObject(NOT_FOUND);
  await expect(updateDataset(ctx, { datasetId, name: "x" })).rejects.toMatchObject(NOT_FOUND);
  await expect(deleteDataset(ctx, { datasetId })).rejects.toMatchObject(NOT_FOUND);
  expect((await listDatasets(ctx, {})).datasets.map(({ name }) => name)).toEqual(["Neighbour"]);
  const events = await ctx.db
    .select({ data: jobEvents.data })
    .from(jobEvents)
    .where(and(eq(jobEvents.projectId, ctx.projectId), eq(jobEvents.name, "datasets/dataset.deleted")));
  expect(events).toEqual([{ data: due }]);

  for (let n = 0; n < 5 && !(await turn(-1)).done; n++);
  while (!(await turn(1000)).done);
  expect(await ctx.db.$count(datasets, eq(datasets.projectId, ctx.projectId))).toBe(1);
  expect(await ctx.db.$count(exampleRevisions, eq(exampleRevisions.projectId, ctx.projectId))).toBe(1);
});
