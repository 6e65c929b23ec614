import { and, eq, isNull } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { conversations, datasetImportSources, exampleRevisions, files } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { fileStore } from "@/server/platform/files";
import {
  deleteConversation,
  deleteUserData,
  getDeletion,
  previewDeletion,
  runDeletion,
} from "@/server/services/deletion";
import { previewConversationDeletion } from "@/server/services/deletion/preview-deletion";
import { filesNaming } from "@/server/services/deletion/testing";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { smallPayload } from "../chat-payload/testing";
import { deleteDataset, deleteDatasetRows } from "../datasets/delete-dataset";
import { lockDataset } from "../examples/lock-dataset";
import { creating, requireExactCounts, storedDataset, write } from "../examples/testing";
import type { ExportFormat } from "../formats/schemas";
import { closeVersion } from "../versions/open-version";
import { createImport } from "./create-import";
import { downloadRejects } from "./download-rejects";
import { FILE_ERASED } from "./forget-imports";
import { getImport } from "./read-imports";
import { failImport, runImport } from "./run-import";
import { chatLine, exportedLines, imported, newImport, runPart, runToEnd, storedFile } from "./testing";

let made = 0;
const others = (count: number) => Array.from({ length: count }, (_, n) => chatLine(`of nobody ${n}`));

/** A project with a Dataset that has one Example of a conversation of “ann” and one of nobody's, and that Dataset's export. */
async function world(format: ExportFormat = "lossless", userId: string | null = "ann") {
  const { ctx } = await testProject();
  const word = `canary${++made}x`;
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  await ctx.db.update(conversations).set({ userId }).where(eq(conversations.id, conversationId));
  const from = await storedDataset(ctx);
  const link = { conversationId, userId, turn: 0, findingId: null };
  await write(ctx, from, [creating(`I am ${word}`, { link }), creating("of nobody")]);
  const lines = await exportedLines(ctx, from, format);
  return { ctx, word, conversationId, from, into: await storedDataset(ctx), lines };
}

const currentOf = (ctx: Ctx, datasetId: string) =>
  ctx.db
    .select({ payload: exampleRevisions.payload, conversationId: exampleRevisions.conversationId })
    .from(exampleRevisions)
    .where(
      and(
        eq(exampleRevisions.projectId, ctx.projectId),
        eq(exampleRevisions.datasetId, datasetId),
        isNull(exampleRevisions.toVersion),
      ),
    );

async function deleteUser(ctx: Ctx, userId = "ann") {
  const { deletion } = await deleteUserData(ctx, { userId });
  const run = async () => {
    while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
    return (await getDeletion(ctx, { deletionId: deletion.id })).deletion;
  };
  return { run };
}

const BAD = '{"messages": []}';

test.each(["lossless", "openai_chat", "trl_prompt_completion"] as const)(
  "what was exported as %s and imported elsewhere is deleted with its user, from Datasets and files",
  async (format) => {
    const { ctx, word, conversationId, from, into, lines } = await world(format);
    const done = await imported(ctx, into, [...lines, BAD], { onError: "good_rows" });
    expect(done).toMatchObject({ created: 2, rejected: 1, fileErasedAt: null });
    const linked = (await currentOf(ctx, into)).filter((one) => one.conversationId === conversationId);
    expect(JSON.stringify(linked)).toContain(word);
    // Another project imports the same file, and has a user with the same id.
    const neighbour = await world();
    await imported(neighbour.ctx, neighbour.into, [...lines, BAD], { onError: "good_rows" });
    expect(await filesNaming(word)).toHaveLength(2);

    expect((await previewDeletion(ctx, { userId: "ann" })).preview).toMatchObject({ examples: 2, files: 1 });
    const receipt = await (await deleteUser(ctx)).run();
    expect(receipt.counts).toMatchObject({ example_revisions: 2, files: 1, dataset_import_sources: 1 });
    expect(new Set(Object.values(receipt.remaining!))).toEqual(new Set([0]));

    expect((await filesNaming(word)).map((key) => key.split("/")[0])).toEqual([neighbour.ctx.projectId]);
    for (const datasetId of [from, into]) {
      expect(JSON.stringify(await currentOf(ctx, datasetId))).not.toContain(word);
      expect(await currentOf(ctx, datasetId)).toHaveLength(1);
      await requireExactCounts(ctx, datasetId);
    }
    expect(await currentOf(neighbour.ctx, neighbour.into)).toHaveLength(2);
    const { import: after } = await getImport(ctx, { datasetId: into, importId: done.id });
    expect(after).toMatchObject({ status: "completed_with_errors", error: null, fileErasedAt: expect.any(Number) });
    await expect(downloadRejects(ctx, { datasetId: into, importId: done.id })).rejects.toThrow(FILE_ERASED);
  },
);

test("an export without the rejected answer and one of an older version are deleted with the user too", async () => {
  const { ctx, word, conversationId, from, into } = await world();
  const output = (content: string) => ({
    type: "chat_message" as const,
    message: { role: "assistant" as const, content },
  });
  const payload = {
    ...smallPayload(`Where is "${word}"?\n\t\u0001 \\ é😀`),
    rejectedOutput: output("no"),
    expectedOutput: { ...output("yes"), weight: 0.5 },
  };
  const link = { conversationId, userId: "ann", turn: 2, findingId: null };
  const [corrected] = await write(ctx, from, [creating("", { payload, link })]);
  const lines = await exportedLines(ctx, from, "openai_chat");
  expect(lines.join()).not.toContain("rejected");
  await inTransaction(ctx, async (tx) => closeVersion(tx, await lockDataset(tx, from)));
  await write(ctx, from, [{ kind: "delete", exampleId: (corrected as { exampleId: string }).exampleId }]);
  await imported(ctx, into, [...lines, chatLine("of nobody else")]);
  await (await deleteUser(ctx)).run();
  expect(await filesNaming(word)).toEqual([]);
  expect(JSON.stringify(await currentOf(ctx, into))).not.toContain(word);
  expect(await currentOf(ctx, into)).toHaveLength(2);
});

test("deleting a conversation deletes files with its Examples, even if every imported row was a duplicate", async () => {
  const { ctx, word, conversationId, from, lines } = await world();
  expect(await imported(ctx, from, lines)).toMatchObject({ created: 0, duplicate: 2 });
  const other = await storedFile(ctx, others(3));
  const { preview } = await previewConversationDeletion(ctx, { conversationId });
  expect(preview).toMatchObject({ examples: 1, files: 1 });
  const { deletion } = await deleteConversation(ctx, { conversationId });
  expect(deletion.counts).toMatchObject({ files: 1 });
  expect(await filesNaming(word)).toEqual([]);
  const left = await ctx.db.select({ id: files.id }).from(files).where(eq(files.projectId, ctx.projectId));
  expect(left).toEqual([{ id: other }]);
});

test("a file is deleted with its user after the conversation has expired, and not with another user", async () => {
  const { ctx, word, conversationId, into, lines } = await world();
  await imported(ctx, into, lines);
  await ctx.db.delete(conversations).where(eq(conversations.id, conversationId));
  await (await deleteUser(ctx, "bob")).run();
  expect(await filesNaming(word)).toHaveLength(1);
  expect((await previewDeletion(ctx, { userId: "ann" })).preview).toMatchObject({
    conversations: 0,
    examples: 2,
    files: 1,
  });
  await (await deleteUser(ctx)).run();
  expect(await filesNaming(word)).toEqual([]);
  expect(await currentOf(ctx, into)).toHaveLength(1);
});

test("a deletion killed before a file is erased erases it when it is resumed, and counts it once", async () => {
  const { ctx, word, into, lines } = await world();
  await imported(ctx, into, lines);
  const { run } = await deleteUser(ctx);
  const remove = vi.spyOn(fileStore(), "remove").mockRejectedValueOnce(new Error("killed"));
  await expect(run()).rejects.toThrow("killed");
  remove.mockRestore();
  expect(await filesNaming(word)).toHaveLength(1);
  const receipt = await run();
  expect(receipt).toMatchObject({ status: "completed", counts: { files: 1 } });
  expect(await filesNaming(word)).toEqual([]);
});

test("the same content in a file of another name is erased too", async () => {
  const { ctx, word, conversationId, into, lines } = await world();
  await imported(ctx, into, lines);
  await storedFile(ctx, lines, "again.jsonl");
  await deleteConversation(ctx, { conversationId });
  expect(await filesNaming(word)).toEqual([]);
  expect(await ctx.db.$count(files, eq(files.projectId, ctx.projectId))).toBe(0);
});

test("deleting a Dataset deletes files with its users' Examples, unless another Dataset has imported them", async () => {
  const { ctx, word, from, into, lines } = await world();
  const shared = await storedFile(ctx, lines, "shared.jsonl");
  for (const datasetId of [from, into]) {
    const { import: created } = await createImport(ctx, { datasetId, fileId: shared, onError: "good_rows" });
    await runToEnd(ctx, datasetId, created.id);
  }
  const remove = async (datasetId: string) => {
    await deleteDataset(ctx, { datasetId });
    const deleted = { projectId: ctx.projectId, datasetId };
    while (!(await deleteDatasetRows(ctx.db, deleted, { forMs: 10_000, jobName: "test" })).done);
  };
  await remove(from);
  expect(await filesNaming(word)).toHaveLength(1);
  await remove(into);
  expect(await filesNaming(word)).toEqual([]);
  expect(await ctx.db.$count(files, eq(files.projectId, ctx.projectId))).toBe(0);
});

test("an import ends when its Dataset is deleted", async () => {
  const { ctx, into } = await world();
  const importId = await newImport(ctx, into, others(2_500), { onError: "good_rows" });
  await runPart(ctx, into, importId);
  await deleteDataset(ctx, { datasetId: into });
  expect(await runImport(ctx, importId, { forMs: 100 })).toEqual({ done: true });
  await failImport(ctx, importId, "The worker was killed.");
});

test.each(["good_rows", "all_or_nothing"])(
  "an import in progress (%s) fails when its file is erased",
  async (onError) => {
    const { ctx, word, conversationId, into, lines } = await world();
    const importId = await newImport(ctx, into, [...lines, ...others(2_500)], { onError });
    const stored = await runPart(ctx, into, importId);
    await deleteConversation(ctx, { conversationId });
    const done = await runToEnd(ctx, into, importId);
    expect(done).toMatchObject({ status: "failed", error: FILE_ERASED, fileErasedAt: expect.any(Number) });
    // The first chunk contained one Example of the conversation.
    expect(await currentOf(ctx, into)).toHaveLength(onError === "good_rows" ? stored - 1 : 0);
    expect(JSON.stringify(await currentOf(ctx, into))).not.toContain(word);
    expect(await filesNaming(word)).toEqual([]);
    await requireExactCounts(ctx, into);
  },
);

test("a file uploaded before a deletion and imported after it is refused and deleted", async () => {
  const { ctx, word, conversationId, into, lines } = await world();
  const fileId = await storedFile(ctx, [chatLine("harmless"), ...lines]);
  await deleteConversation(ctx, { conversationId });
  const { import: created } = await createImport(ctx, { datasetId: into, fileId, onError: "good_rows" });
  const done = await runToEnd(ctx, into, created.id);
  expect(done.status).toBe("failed");
  expect(done.error).toMatch(/^Line [23] contains an Example of a deleted user or conversation/);
  expect(await currentOf(ctx, into)).toEqual([]);
  expect(await filesNaming(word)).toEqual([]);
});

test("nothing remains of a conversation that is deleted while its export is imported", async () => {
  for (let round = 0; round < 6; round++) {
    const { ctx, word, conversationId, into, lines } = await world();
    const importId = await newImport(ctx, into, lines, { onError: "good_rows" });
    const wait = new Promise((resolve) => setTimeout(resolve, round * 4));
    await Promise.all([runToEnd(ctx, into, importId), wait.then(() => deleteConversation(ctx, { conversationId }))]);
    expect(JSON.stringify(await currentOf(ctx, into))).not.toContain(word);
    expect(await filesNaming(word)).toEqual([]);
    expect(await ctx.db.$count(datasetImportSources, eq(datasetImportSources.projectId, ctx.projectId))).toBe(0);
    await requireExactCounts(ctx, into);
  }
});
