import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteUserData, runDeletion } from "@/server/services/deletion";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { smallPayload } from "../chat-payload/testing";
import { provenanceKeyOf } from "../examples/provenance-key";
import { creating, requireExactCounts, storedDataset, write } from "../examples/testing";
import { contentsOf, imported } from "../imports/testing";
import { exportDataset } from "./export-dataset";
import { exportPreview } from "./export-preview";

type Input = Parameters<typeof exportDataset>[1];

async function bytesOf(ctx: Ctx, input: Input) {
  const { body } = await exportDataset(ctx, input);
  const parts: Uint8Array[] = [];
  for await (const part of body as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts);
}
const linesOf = async (ctx: Ctx, input: Input) => (await bytesOf(ctx, input)).toString().split("\n").filter(Boolean);
const questionsOf = async (ctx: Ctx, input: Input) =>
  (await linesOf(ctx, input)).map((line) => JSON.parse(line).payload.input.messages.at(-1).content);

async function world() {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx, "Support: answers");
  return { ctx, datasetId };
}

test.each(["lossless", "csv"] as const)(
  "%s reads back as the same Examples, and a second import adds nothing",
  async (format) => {
    const { ctx, datasetId } = await world();
    const source = (externalRef: string | null) => ({ kind: "conversation" as const, externalRef });
    const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
    const collected = {
      objective: "learn_from_user_corrections" as const,
      link: { conversationId, userId: "=ann", turn: 3, findingId: "fnd_1" },
    };
    const provenanceKey = provenanceKeyOf({ ...collected, source: { conversationId, turn: 3 } });
    await write(ctx, datasetId, [
      creating("one", { tags: ["vip", 'a, "quoted" tag'], split: "test", source: source("conv-1") }),
      creating('=two\n"lines"', { source: source(null) }),
      creating("three 🦊", { split: "validation" }),
      creating("four", { source: { kind: "correction", externalRef: null }, ...collected, provenanceKey }),
    ]);
    const text = await bytesOf(ctx, { datasetId, format });
    const other = await storedDataset(ctx, "Copy");
    const first = await imported(ctx, other, [text.toString().trimEnd()]);
    expect(first).toMatchObject({ status: "completed", created: 4, rejected: 0 });
    expect(await contentsOf(ctx, other)).toEqual(await contentsOf(ctx, datasetId));
    expect(await imported(ctx, other, [text.toString().trimEnd()])).toMatchObject({ created: 0, duplicate: 4 });
    await requireExactCounts(ctx, other);
  },
);

test("a copied Example is deleted with its conversation's user, even after the conversation has expired", async () => {
  const { ctx, datasetId } = await world();
  const of = async (userId: string) => {
    const { id } = await storedConversation(ctx, [{ role: "user", text: `Hello from ${userId}` }], { userId });
    return { link: { conversationId: id, userId, turn: 1, findingId: null } };
  };
  const [ann, bob, cleo] = [await of("ann"), await of("bob"), await of("cleo")];
  await write(ctx, datasetId, [creating("of ann", ann), creating("of bob", bob), creating("of cleo", cleo)]);
  const exported = await linesOf(ctx, { datasetId });
  await ctx.db.delete(conversations).where(eq(conversations.id, bob.link.conversationId));
  const copy = await storedDataset(ctx, "Copy");
  await imported(ctx, copy, exported);
  for (const userId of ["ann", "bob"]) {
    const { deletion } = await deleteUserData(ctx, { userId });
    while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
  }
  for (const id of [datasetId, copy]) {
    expect(await questionsOf(ctx, { datasetId: id })).toEqual(["of cleo"]);
    await requireExactCounts(ctx, id);
  }
});

test("importing an exported and edited file updates its Examples", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("one"), creating("two")]);
  const edited = (await linesOf(ctx, { datasetId })).map((line) => line.replace('"one"', '"one, edited"'));
  const done = await imported(ctx, datasetId, edited, { duplicates: "update" });
  expect(done).toMatchObject({ created: 0, updated: 1, duplicate: 1 });
  expect(await questionsOf(ctx, { datasetId })).toEqual(["one, edited", "two"]);
  expect(await imported(ctx, datasetId, edited)).toMatchObject({ created: 0, updated: 0, duplicate: 2 });
});

test("a version is exported unchanged, during and after changes to the Dataset", async () => {
  const { ctx, datasetId } = await world();
  const many = Array.from({ length: 250 }, (_, n) => `question ${n}`);
  await imported(
    ctx,
    datasetId,
    many.map((question) => JSON.stringify({ payload: smallPayload(question) })),
  );
  const { body } = await exportDataset(ctx, { datasetId });
  const started = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const { examples } = await changeEverything(ctx, datasetId);
  let text = "";
  for (let part = await started.next(); !part.done; part = await started.next()) text += Buffer.from(part.value);
  expect(text.trim().split("\n")).toHaveLength(250);
  expect(text).not.toContain("changed");
  expect(await questionsOf(ctx, { datasetId, version: 1 })).toEqual(many);
  expect(await questionsOf(ctx, { datasetId })).toHaveLength(examples);
  await expect(exportDataset(ctx, { datasetId, version: 9 })).rejects.toMatchObject({ code: "not_found" });
});

/** Deletes one Example, changes the others and adds one. */
async function changeEverything(ctx: Ctx, datasetId: string) {
  const ids = (await linesOf(ctx, { datasetId })).map((line) => JSON.parse(line).id as string);
  await write(ctx, datasetId, [
    ...ids.slice(1).map((exampleId) => ({
      kind: "update" as const,
      exampleId,
      patch: { payload: smallPayload(`changed ${exampleId}`) },
    })),
    { kind: "delete", exampleId: ids[0]! },
    creating("changed: added"),
  ]);
  return { examples: ids.length };
}

test("an export can be limited to a split, a tag or a search", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [
    creating("apples and pears", { split: "train", tags: ["fruit"] }),
    creating("apples alone", { split: "test", tags: ["fruit", "alone"] }),
    creating("carrots", { split: "train" }),
  ]);
  expect(await questionsOf(ctx, { datasetId, split: "train" })).toEqual(["apples and pears", "carrots"]);
  expect(await questionsOf(ctx, { datasetId, tag: "alone" })).toEqual(["apples alone"]);
  expect(await questionsOf(ctx, { datasetId, q: "Apples pears" })).toEqual(["apples and pears"]);
  expect(await questionsOf(ctx, { datasetId, q: "plums" })).toEqual([]);
});

test("a preview counts what each format would export and skip", async () => {
  const { ctx, datasetId } = await world();
  const rejectedOutput = {
    type: "chat_message" as const,
    message: { role: "assistant" as const, content: "No idea." },
  };
  await write(ctx, datasetId, [
    creating("one"),
    creating("two", { payload: { ...smallPayload("two"), rejectedOutput } }),
  ]);
  const { preview } = await exportPreview(ctx, { datasetId });
  expect(preview).toMatchObject({ version: 1, examples: 2, examined: 2, complete: true });
  const of = (format: string) => preview.formats.find((one) => one.format === format);
  expect(of("lossless")).toMatchObject({ exported: 2, skipped: [], losses: [] });
  expect(of("trl_dpo")).toMatchObject({ exported: 1, skipped: [{ examples: 1 }] });
  expect(await linesOf(ctx, { datasetId, format: "trl_dpo" })).toHaveLength(1);
  expect(of("openai_chat")?.exported).toBe((await linesOf(ctx, { datasetId, format: "openai_chat" })).length);
});

test("the file name has the Dataset, its version and the format", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("one")]);
  expect(await exportDataset(ctx, { datasetId, format: "parquet" })).toMatchObject({
    fileName: "Support-answers-v1-parquet.parquet",
    mediaType: "application/vnd.apache.parquet",
  });
});

test("an empty Dataset exports an empty file, and another project's Dataset is not found", async () => {
  const { ctx, datasetId } = await world();
  expect(await linesOf(ctx, { datasetId })).toEqual([]);
  expect((await exportPreview(ctx, { datasetId })).preview).toMatchObject({ version: 0, examples: 0, complete: true });
  const other = await world();
  await expect(exportDataset(other.ctx, { datasetId })).rejects.toMatchObject({ code: "not_found" });
  await expect(exportPreview(other.ctx, { datasetId })).rejects.toMatchObject({ code: "not_found" });
});
