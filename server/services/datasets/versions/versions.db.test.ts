import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { datasetVersions, exampleRevisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { diffVersions, getDataset, getVersion, listExamples, listVersions, restoreVersion } from "..";
import { smallPayload } from "../chat-payload/testing";
import { creating, requireExactCounts, storedDataset, write } from "../examples/testing";
import type { Change, Outcome } from "../examples/types";

const idOf = (outcome: Outcome | undefined) => (outcome && "exampleId" in outcome ? outcome.exampleId : "none");

/** Writes changes as a separate version. */
async function writeVersion(ctx: Ctx, datasetId: string, changes: readonly Change[]) {
  await ctx.db.update(datasetVersions).set({ closedAt: 1 }).where(eq(datasetVersions.datasetId, datasetId));
  return (await write(ctx, datasetId, changes)).map(idOf);
}
const to = (exampleId: string, question: string): Change => ({
  kind: "update",
  exampleId,
  patch: { payload: smallPayload(question) },
});
const contents = async (ctx: Ctx, datasetId: string, version?: number) => {
  const { examples } = await listExamples(ctx, { datasetId, ...(version && { version }) });
  return examples.map(({ payload }) => payload.input.messages[0]!.content);
};

async function world() {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const [a, b, c] = (await writeVersion(
    ctx,
    datasetId,
    ["a", "b", "c"].map((q) => creating(q)),
  )) as [string, string, string];
  await writeVersion(ctx, datasetId, [to(a, "a changed"), { kind: "delete", exampleId: b }, creating("d")]);
  await writeVersion(ctx, datasetId, [creating("b")]);
  return { ctx, datasetId, a, b, c };
}

test("an edit never changes an earlier version, which is listed page by page", async () => {
  const { ctx, datasetId } = await world();
  expect(await contents(ctx, datasetId, 1)).toEqual(["c", "b", "a"]);
  expect(await contents(ctx, datasetId, 2)).toEqual(["d", "c", "a changed"]);
  expect(await contents(ctx, datasetId, 3)).toEqual(["b", "d", "c", "a changed"]);
  expect(await contents(ctx, datasetId)).toEqual(await contents(ctx, datasetId, 3));
  const first = await listExamples(ctx, { datasetId, version: 1, limit: 2 });
  const second = await listExamples(ctx, { datasetId, version: 1, limit: 2, cursor: first.nextCursor! });
  expect([...first.examples, ...second.examples]).toHaveLength(3);
  expect((await listExamples(ctx, { datasetId, version: 1, q: "b" })).examples).toHaveLength(1);
  await expect(listExamples(ctx, { datasetId, version: 4 })).rejects.toMatchObject({ code: "not_found" });
});

test("versions are listed newest first, and another project's are not found", async () => {
  const { ctx, datasetId } = await world();
  const { versions, nextCursor } = await listVersions(ctx, { datasetId, limit: 2 });
  expect(versions).toMatchObject([
    { number: 3, added: 1, changed: 0, removed: 0, exampleCount: 4 },
    { number: 2, added: 1, changed: 1, removed: 1, exampleCount: 3 },
  ]);
  const rest = await listVersions(ctx, { datasetId, limit: 2, cursor: nextCursor! });
  expect(rest).toMatchObject({ versions: [{ number: 1 }], nextCursor: null });
  expect((await getVersion(ctx, { datasetId, version: 2 })).version).toEqual(versions[1]);
  const { ctx: stranger } = await testProject();
  const notFound = { code: "not_found" };
  await expect(listVersions(stranger, { datasetId })).rejects.toMatchObject(notFound);
  await expect(getVersion(stranger, { datasetId, version: 1 })).rejects.toMatchObject(notFound);
  await expect(getVersion(ctx, { datasetId, version: 9 })).rejects.toMatchObject(notFound);
  await expect(diffVersions(stranger, { datasetId, from: 1, to: 2 })).rejects.toMatchObject(notFound);
  await expect(restoreVersion(stranger, { datasetId, version: 1 })).rejects.toMatchObject(notFound);
});

test("the differences of two versions are listed page by page", async () => {
  const { ctx, datasetId, a, b } = await world();
  const whole = await diffVersions(ctx, { datasetId, from: 1, to: 2 });
  expect(whole.changes).toMatchObject([
    { change: "added", before: null, after: { payload: smallPayload("d") } },
    { exampleId: b, change: "removed", before: { payload: smallPayload("b") }, after: null },
    {
      exampleId: a,
      change: "changed",
      before: { payload: smallPayload("a") },
      after: { payload: smallPayload("a changed") },
    },
  ]);
  const first = await diffVersions(ctx, { datasetId, from: 1, to: 2, limit: 2 });
  const second = await diffVersions(ctx, { datasetId, from: 1, to: 2, limit: 2, cursor: first.nextCursor! });
  expect([...first.changes, ...second.changes]).toEqual(whole.changes);
  const back = await diffVersions(ctx, { datasetId, from: 2, to: 1 });
  expect(back.changes.map(({ change }) => change)).toEqual(["removed", "added", "changed"]);
  expect((await diffVersions(ctx, { datasetId, from: 0, to: 1 })).changes).toHaveLength(3);
  expect((await diffVersions(ctx, { datasetId, from: 2, to: 2 })).changes).toEqual([]);
});

test("a restore writes one version equal to the restored one, and can itself be undone", async () => {
  const { ctx, datasetId } = await world();
  const { version } = await restoreVersion(ctx, { datasetId, version: 1 });
  expect(version).toMatchObject({
    number: 4,
    kind: "restore",
    causeId: "1",
    added: 1,
    changed: 1,
    removed: 2,
    exampleCount: 3,
  });
  expect(await contents(ctx, datasetId)).toEqual(["c", "b", "a"]);
  expect((await diffVersions(ctx, { datasetId, from: 1, to: 4 })).changes).toEqual([]);
  await requireExactCounts(ctx, datasetId);
  await restoreVersion(ctx, { datasetId, version: 3 });
  expect(await contents(ctx, datasetId)).toEqual(["b", "d", "c", "a changed"]);
  await restoreVersion(ctx, { datasetId, version: 1 });
  expect(await contents(ctx, datasetId)).toEqual(["c", "b", "a"]);
  expect((await getDataset(ctx, { datasetId })).dataset).toMatchObject({ version: 6, exampleCount: 3 });
  await requireExactCounts(ctx, datasetId);
});

test("a hundred versions store only their changes", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const [first] = await writeVersion(
    ctx,
    datasetId,
    Array.from({ length: 200 }, (_, n) => creating(`question ${n}`)),
  );
  for (let n = 1; n < 100; n++) await writeVersion(ctx, datasetId, [to(first!, `edit ${n}`)]);
  expect((await getDataset(ctx, { datasetId })).dataset.version).toBe(100);
  expect(await ctx.db.$count(exampleRevisions, eq(exampleRevisions.datasetId, datasetId))).toBe(200 + 99);
  await requireExactCounts(ctx, datasetId);
});
