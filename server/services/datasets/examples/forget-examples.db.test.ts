import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations, datasets, datasetVersions, exampleRevisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { deleteConversation, deleteUserData, runDeletion } from "@/server/services/deletion";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { creating, requireExactCounts, storedDataset, write } from "./testing";

const hello = (ctx: Ctx) => storedConversation(ctx, [{ role: "user", text: "Hello" }]);
const linkTo = (conversationId: string, userId: string | null = null) => ({
  link: { conversationId, userId, turn: 0, findingId: null },
});
const rowsOf = (ctx: Ctx) => ctx.db.$count(exampleRevisions, eq(exampleRevisions.projectId, ctx.projectId));

async function runToEnd(ctx: Ctx, userId: string) {
  const { deletion } = await deleteUserData(ctx, { userId });
  while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
}

/**
 * A Dataset with three versions: one Example, of the conversation, was added, changed and removed; another, of nobody's,
 * remains.
 */
async function versions(ctx: Ctx, link: ReturnType<typeof linkTo>) {
  const datasetId = await storedDataset(ctx);
  const closed = () =>
    ctx.db.update(datasetVersions).set({ closedAt: 1 }).where(eq(datasetVersions.datasetId, datasetId));
  const [theirs] = await write(ctx, datasetId, [creating("theirs", link), creating("other")]);
  const exampleId = theirs && "exampleId" in theirs ? theirs.exampleId : "";
  await closed();
  await write(ctx, datasetId, [
    { kind: "update", exampleId, patch: { tags: ["secret"] } },
    creating("more of theirs", { ...link, tags: ["secret"] }),
  ]);
  await closed();
  await write(ctx, datasetId, [{ kind: "delete", exampleId }]);
  await requireExactCounts(ctx, datasetId);
  return datasetId;
}

test("deleting a conversation deletes its Examples from every version and updates every count", async () => {
  const { ctx } = await testProject();
  const { id } = await hello(ctx);
  const datasetId = await versions(ctx, linkTo(id));
  expect(await rowsOf(ctx)).toBe(4);
  const { deletion } = await deleteConversation(ctx, { conversationId: id });
  expect(deletion.counts).toMatchObject({ example_revisions: 3 });
  expect(await rowsOf(ctx)).toBe(1);
  await requireExactCounts(ctx, datasetId);
});

test("deleting a user deletes Examples of their expired conversations, and not another project's", async () => {
  const { ctx } = await testProject();
  const { ctx: stranger } = await testProject();
  const { id } = await hello(ctx);
  const { id: foreign } = await hello(stranger);
  const datasetId = await versions(ctx, linkTo(id, "ann"));
  await versions(stranger, linkTo(foreign, "ann"));
  await ctx.db.delete(conversations).where(eq(conversations.id, id));
  await runToEnd(ctx, "ann");
  expect([await rowsOf(ctx), await rowsOf(stranger)]).toEqual([1, 4]);
  await requireExactCounts(ctx, datasetId);
});

const unlessConflict = (error: unknown) => {
  if (!(error instanceof ServiceError) || error.code !== "conflict") throw error;
};

test("no Example remains that was created while its conversation was being deleted", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  for (let round = 0; round < 8; round++) {
    const { id } = await hello(ctx);
    const made = Array.from({ length: 3 }, (_, n) =>
      write(ctx, datasetId, [creating(`${round} ${n}`, linkTo(id))]).catch(unlessConflict),
    );
    await Promise.all([...made, deleteConversation(ctx, { conversationId: id })]);
  }
  expect(await rowsOf(ctx)).toBe(0);
  const [dataset] = await ctx.db.select().from(datasets).where(eq(datasets.id, datasetId));
  expect(dataset!.exampleCount).toBe(0);
});
