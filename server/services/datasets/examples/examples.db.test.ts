import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import {
  batchExamples,
  createExample,
  deleteExample,
  exampleFacets,
  getExample,
  listExamples,
  updateExample,
} from "..";
import { smallPayload } from "../chat-payload/testing";
import { exportedLines, imported } from "../imports/testing";
import { creating, requireExactCounts, storedDataset, write } from "./testing";

test("several values of a filter match any of them, and facets count what the list would have", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  const datasetId = await storedDataset(ctx);
  const SPLIT = ["train", "validation", "test"] as const;
  const drafts = Array.from({ length: 24 }, (_, n) =>
    creating(n % 2 ? `order ${n}` : `refund ${n}`, {
      split: SPLIT[n % 3]!,
      tags: [["a"], ["b"], ["a", "c"], []][n % 4]!,
    }),
  );
  await write(ctx, datasetId, drafts);
  const elsewhere = await storedDataset(ctx, "Others");
  await write(ctx, elsewhere, drafts.slice(0, 3));
  const list = async (filters: object) => (await listExamples(ctx, { datasetId, limit: 100, ...filters })).examples;
  const count = async (filters: object) => (await list(filters)).length;

  const some = await list({ split: ["train", "test"], tag: ["b", "c"], q: "refund" });
  expect(some.length).toBeGreaterThan(0);
  expect(
    some.every(({ split, tags }) => split !== "validation" && tags.some((tag) => tag === "b" || tag === "c")),
  ).toBe(true);
  expect(await list({ split: "train" })).toEqual(await list({ split: ["train"] }));
  expect(await list({ split: ["train", "test"], version: 1 })).toEqual(await list({ split: ["train", "test"] }));
  for (const filters of [
    { split: ["train"] },
    { split: ["train", "test"], tag: ["a"] },
    { tag: ["b", "c"], q: "refund" },
    { source: ["manual"], objective: ["teach_project_knowledge"] },
    { q: "order" },
  ]) {
    const { facets } = await exampleFacets(ctx, { datasetId, ...filters });
    expect(facets).toMatchObject({ total: await count(filters), counted: 24, sampled: false });
    for (const { value, count: counted } of facets.splits)
      expect(counted).toBe(await count({ ...filters, split: value }));
    for (const { value, count: counted } of facets.tags) expect(counted).toBe(await count({ ...filters, tag: value }));
    for (const { value, count: counted } of facets.sources)
      expect(counted).toBe(await count({ ...filters, source: value }));
    expect(facets.tokens.reduce((sum, { count: counted }) => sum + counted, 0)).toBe(facets.total);
  }
  const { facets } = await exampleFacets(ctx, { datasetId });
  expect((await exampleFacets(ctx, { datasetId, split: [...SPLIT] })).facets).toEqual(facets);
  const refused = { code: "not_found" };
  await expect(exampleFacets(other, { datasetId, split: "train" })).rejects.toMatchObject(refused);
  await expect(listExamples(other, { datasetId, split: ["train", "test"] })).rejects.toMatchObject(refused);
});

test("one person's single and batched edits are one version with exact counts", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { example } = await createExample(ctx, { datasetId, payload: smallPayload("a"), tags: ["x"] });
  await updateExample(ctx, { datasetId, exampleId: example.id, tags: ["y"], source: { externalRef: "row-1" } });
  expect((await getExample(ctx, { datasetId, exampleId: example.id })).example).toMatchObject({
    tags: ["y"],
    source: { kind: "manual", externalRef: "row-1" },
    split: example.split,
    contentHash: example.contentHash,
    createdAt: example.createdAt,
    version: 1,
  });
  const items = ["b", "c"].map((question) => ({
    action: "create" as const,
    payload: smallPayload(question),
    tags: ["y"],
  }));
  await batchExamples(ctx, { datasetId, items });
  await deleteExample(ctx, { datasetId, exampleId: example.id });
  const { facets } = await exampleFacets(ctx, { datasetId });
  expect(facets).toMatchObject({ total: 2, tags: [{ value: "y", count: 2 }] });
  await requireExactCounts(ctx, datasetId);
});

test("a change to an Example that has changed since it was read is refused", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { example } = await createExample(ctx, { datasetId, payload: smallPayload("a") });
  const expectedUpdatedAt = example.updatedAt;
  const change = (tags: string[], expected = expectedUpdatedAt) =>
    updateExample(ctx, { datasetId, exampleId: example.id, tags, expectedUpdatedAt: expected });
  const { example: changed } = await change(["mine"]);
  await expect(change(["theirs"])).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(/has changed since/),
    errors: [{ path: "/expectedUpdatedAt" }],
  });
  expect((await getExample(ctx, { datasetId, exampleId: example.id })).example.tags).toEqual(["mine"]);
  expect((await change(["theirs"], changed.updatedAt)).example.tags).toEqual(["theirs"]);
  const other = await testProject();
  await expect(
    updateExample(other.ctx, { datasetId, exampleId: example.id, tags: [], expectedUpdatedAt }),
  ).rejects.toMatchObject({ code: "not_found" });
});

test("changing one field of the source keeps the other", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { example } = await createExample(ctx, {
    datasetId,
    payload: smallPayload(),
    source: { kind: "import", externalRef: "row-1" },
  });
  const changed = async (source: object) =>
    (await updateExample(ctx, { datasetId, exampleId: example.id, source })).example.source;
  expect(await changed({ kind: "finding" })).toEqual({ kind: "finding", externalRef: "row-1" });
  expect(await changed({ externalRef: "row-2" })).toEqual({ kind: "finding", externalRef: "row-2" });
  expect(await changed({ externalRef: null })).toEqual({ kind: "finding", externalRef: null });
});

test("a reference that is too long for the index is refused, and a long allowed one survives an export", async () => {
  const { ctx } = await testProject();
  const [datasetId, into] = [await storedDataset(ctx), await storedDataset(ctx)];
  const letters = Array.from({ length: 1_000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000)));
  const create = (externalRef: string) =>
    createExample(ctx, { datasetId, payload: smallPayload(), source: { externalRef } });
  await expect(create(letters.join(""))).rejects.toThrow("2000 bytes");
  const ref = letters.slice(0, 600).join("");
  await create(ref);
  await imported(ctx, into, await exportedLines(ctx, datasetId));
  expect((await listExamples(ctx, { datasetId: into })).examples).toMatchObject([{ source: { externalRef: ref } }]);
});

test("a search finds old Examples page by page, across several index runs", async () => {
  const { ctx } = await testProject();
  const { ctx: stranger } = await testProject();
  const datasetId = await storedDataset(ctx);
  const elsewhere = await storedDataset(stranger);
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) =>
      creating(`word ${from + n} ${(from + n) % 900 === 0 ? "needle" : "hay"}`),
    );
  for (let from = 0; from < 9_500; from += 1_900) await write(ctx, datasetId, many(from, from + 1_900));
  await write(stranger, elsewhere, many(0, 1));
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listExamples(ctx, { datasetId, q: "needle", limit: 4, ...(cursor && { cursor }) });
    found.push(...page.examples.map(({ payload }) => payload.input.messages[0]!.content!));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(found).toEqual(Array.from({ length: 11 }, (_, n) => `word ${9000 - n * 900} needle`));
  expect((await listExamples(ctx, { datasetId, q: "needle 1800" })).examples).toHaveLength(1);
  expect((await listExamples(ctx, { datasetId, q: "nowhere" })).examples).toEqual([]);
});
