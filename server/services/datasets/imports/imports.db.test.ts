import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { datasetImports, datasets } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { smallPayload } from "../chat-payload/testing";
import { createDataset } from "../datasets/create-dataset";
import { creating, requireExactCounts, storedDataset, whileChanged, write } from "../examples/testing";
import { cancelImport } from "./cancel-import";
import { createImport } from "./create-import";
import { downloadRejects } from "./download-rejects";
import { endImport } from "./end-import";
import { previewImport } from "./preview-import";
import { getImport, listImports } from "./read-imports";
import { failImport, runImport } from "./run-import";
import { chatLine, contentsOf, imported, newImport, runPart, runToEnd, storedFile } from "./testing";

async function world() {
  const { ctx } = await testProject();
  return { ctx, datasetId: await storedDataset(ctx) };
}

const lines = (count: number, word = "question") => Array.from({ length: count }, (_, n) => chatLine(`${word} ${n}`));
const versionsOf = async (ctx: Ctx, datasetId: string) =>
  (await ctx.db.select().from(datasets).where(eq(datasets.id, datasetId)))[0]?.version;
const BAD = ['{"messages": []}', "not JSON at all: secret words", '{"notes": "nothing we know"}'];

async function textOf(body: unknown) {
  let text = "";
  for await (const chunk of body as AsyncIterable<string>) text += chunk;
  return text;
}

test("an import stores every row of a file in order, as one version", async () => {
  const { ctx, datasetId } = await world();
  const done = await imported(ctx, datasetId, lines(2_500));
  expect(done).toMatchObject({
    status: "completed",
    created: 2_500,
    duplicate: 0,
    rejected: 0,
    rowsDone: 2_500,
    rowsValid: 2_500,
    version: 1,
    error: null,
  });
  expect(done.bytesDone).toBe(done.bytesTotal);
  const contents = await contentsOf(ctx, datasetId);
  expect(contents).toHaveLength(2_500);
  expect(contents[17]).toMatchObject({
    source: "import",
    payload: { input: { messages: [{ content: "question 17" }] } },
  });
  expect(await versionsOf(ctx, datasetId)).toBe(1);
  await requireExactCounts(ctx, datasetId);
});

test("with all_or_nothing one unusable row stops the import, and the bad lines are listed", async () => {
  const { ctx, datasetId } = await world();
  const done = await imported(ctx, datasetId, [...lines(2_500), ...BAD]);
  expect(done).toMatchObject({ status: "failed", created: 0, rejected: 3, version: null });
  expect(done.error).toBe("3 of 2503 rows are unusable, so nothing was stored.");
  expect(done.errors.map(({ line }) => line)).toEqual([2501, 2502, 2503]);
  expect(await contentsOf(ctx, datasetId)).toEqual([]);
  expect(await versionsOf(ctx, datasetId)).toBe(0);
});

test("with good_rows the usable rows are stored, and the others can be downloaded with their problems", async () => {
  const { ctx, datasetId } = await world();
  const rows = [chatLine("first"), ...BAD, chatLine("last")];
  const done = await imported(ctx, datasetId, rows, { onError: "good_rows" });
  expect(done).toMatchObject({ status: "completed_with_errors", created: 2, rejected: 3, version: 1 });
  // The message that stays in the project quotes nothing from the row.
  expect(JSON.stringify(done.errors)).not.toContain("secret");
  const file = await downloadRejects(ctx, { datasetId, importId: done.id });
  expect(file).toMatchObject({ fileName: "rows-rejects.jsonl" });
  const rejects = (await textOf(file.body))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rejects.map(({ line, row }) => [line, row])).toEqual(BAD.map((row, index) => [index + 2, row]));
  for (const { problems } of rejects) expect(problems.length).toBeGreaterThan(0);
  await requireExactCounts(ctx, datasetId);
});

test("a problem with a row's source is reported at the file's own field", async () => {
  const { ctx, datasetId } = await world();
  const row = { payload: smallPayload("one"), source: { kind: "conversation", conversationId: "conv_1", turn: -1 } };
  const { errors } = await imported(ctx, datasetId, [JSON.stringify(row)]);
  expect(JSON.stringify(errors)).toContain("/source/turn: ");
});

test("an import without rejected rows has none to download", async () => {
  const { ctx, datasetId } = await world();
  const done = await imported(ctx, datasetId, lines(1));
  await expect(downloadRejects(ctx, { datasetId, importId: done.id })).rejects.toThrow("rejected no rows");
});

test("a second import of the same file adds nothing", async () => {
  const { ctx, datasetId } = await world();
  await imported(ctx, datasetId, lines(30));
  const again = await imported(ctx, datasetId, lines(30));
  expect(again).toMatchObject({ status: "completed", created: 0, duplicate: 30, version: null });
  expect(await contentsOf(ctx, datasetId)).toHaveLength(30);
  expect(await versionsOf(ctx, datasetId)).toBe(1);
});

test("a row with an existing reference is skipped, updates the Example or is kept as another one", async () => {
  const { ctx, datasetId } = await world();
  const row = (question: string) => chatLine(question, { external_id: "ticket-7" });
  await imported(ctx, datasetId, [row("before")]);
  expect(await imported(ctx, datasetId, [row("skipped")])).toMatchObject({ created: 0, duplicate: 1 });
  expect(await imported(ctx, datasetId, [row("updated")], { duplicates: "update" })).toMatchObject({ updated: 1 });
  expect(await imported(ctx, datasetId, [row("beside")], { duplicates: "keep" })).toMatchObject({ created: 1 });
  const said = (await contentsOf(ctx, datasetId)).map(({ payload }) => JSON.stringify(payload));
  expect(said).toHaveLength(2);
  expect(said[0]).toContain("updated");
  expect(said[1]).toContain("beside");
  await requireExactCounts(ctx, datasetId);
});

test("a cancelled all_or_nothing import leaves the Dataset unchanged, without its version", async () => {
  const { ctx, datasetId } = await world();
  await imported(ctx, datasetId, [chatLine("kept", { external_id: "a" }), chatLine("replaced", { external_id: "b" })]);
  const before = await contentsOf(ctx, datasetId);
  // The second row takes over the content that the first one gives up.
  const rows = [chatLine("other", { external_id: "b" }), chatLine("replaced", { external_id: "c" }), ...lines(3_000)];
  const importId = await newImport(ctx, datasetId, rows, { duplicates: "update" });
  await runPart(ctx, datasetId, importId);
  expect(await versionsOf(ctx, datasetId)).toBe(2);
  expect((await cancelImport(ctx, { datasetId, importId })).import.status).toBe("cancelling");
  const done = await runToEnd(ctx, datasetId, importId);
  expect(done).toMatchObject({ status: "cancelled", created: 0, updated: 0, rowsDone: 0, version: null, error: null });
  expect(await contentsOf(ctx, datasetId)).toEqual(before);
  expect(await versionsOf(ctx, datasetId)).toBe(1);
  await requireExactCounts(ctx, datasetId);
  await expect(cancelImport(ctx, { datasetId, importId })).rejects.toThrow("has ended");
});

test("an all_or_nothing import cancelled while it ends is undone, and other writes are refused until then", async () => {
  const { ctx, datasetId } = await world();
  const importId = await newImport(ctx, datasetId, lines(3));
  await runPart(ctx, datasetId, importId);
  const [row] = await ctx.db.select().from(datasetImports).where(eq(datasetImports.id, importId));
  await cancelImport(ctx, { datasetId, importId });
  await endImport(ctx, row!);
  await expect(write(ctx, datasetId, [creating("meanwhile")])).rejects.toMatchObject({ code: "conflict" });
  expect(await runToEnd(ctx, datasetId, importId)).toMatchObject({ status: "cancelled", created: 0, version: null });
  expect(await contentsOf(ctx, datasetId)).toEqual([]);
});

test("a cancelled good_rows import keeps its stored rows, as one closed version", async () => {
  const { ctx, datasetId } = await world();
  const importId = await newImport(ctx, datasetId, lines(3_000), { onError: "good_rows" });
  const stored = await runPart(ctx, datasetId, importId);
  expect(stored).toBeLessThan(3_000);
  await cancelImport(ctx, { datasetId, importId });
  const done = await runToEnd(ctx, datasetId, importId);
  expect(done).toMatchObject({ status: "cancelled", created: stored, rowsDone: stored, version: 1 });
  expect(await contentsOf(ctx, datasetId)).toHaveLength(stored);
  await requireExactCounts(ctx, datasetId);
  await write(ctx, datasetId, [creating("after it")]);
  expect(await versionsOf(ctx, datasetId)).toBe(2);
});

test("an unusable row with odd field names is rejected, and its errors do not quote them", async () => {
  const { ctx, datasetId } = await world();
  const odd = JSON.stringify({
    payload: { ...smallPayload("bad"), ["😀".repeat(200)]: 1, "Ann's secret": 2, "why: Ann": 3 },
  });
  const done = await imported(ctx, datasetId, [chatLine("good"), odd], { onError: "good_rows" });
  expect(done).toMatchObject({ status: "completed_with_errors", created: 1, rejected: 1 });
  expect(done.errors).toMatchObject([{ line: 2, message: expect.stringMatching(/^\/…: /) }]);
  expect(JSON.stringify(done.errors)).not.toMatch(/Ann|😀/u);
});

test("the reason of a failed import is stored without the values of a query", async () => {
  const { ctx, datasetId } = await world();
  const importId = await newImport(ctx, datasetId, lines(10));
  await failImport(ctx, importId, "Failed query: insert into example_revisions\nparams: words of Ann");
  expect(await runToEnd(ctx, datasetId, importId)).toMatchObject({
    status: "failed",
    error: "Failed query: insert into example_revisions",
  });
});

test("rows of a megabyte are stored a few at a time", async () => {
  const { ctx, datasetId } = await world();
  const large = Array.from({ length: 20 }, (_, n) => chatLine(`${n} ${"x".repeat(450_000)}`));
  const importId = await newImport(ctx, datasetId, large, { onError: "good_rows" });
  expect(await runPart(ctx, datasetId, importId)).toBeLessThan(12);
  expect(await runToEnd(ctx, datasetId, importId)).toMatchObject({ status: "completed", created: 20 });
});

test("while an import is storing rows, other changes are refused and a second import waits", async () => {
  const { ctx, datasetId } = await world();
  const first = await newImport(ctx, datasetId, lines(2_500));
  const second = await newImport(ctx, datasetId, lines(10, "more"), { onError: "good_rows" });
  await runPart(ctx, datasetId, first);
  await expect(write(ctx, datasetId, [creating("by hand")])).rejects.toThrow("import");
  await runImport(ctx, second, { forMs: 0 });
  expect(await runImport(ctx, second, { forMs: 100 })).toEqual({ done: false, wait: true });
  await runToEnd(ctx, datasetId, first);
  expect(await runToEnd(ctx, datasetId, second)).toMatchObject({ status: "completed", created: 10, version: 2 });
  await requireExactCounts(ctx, datasetId);
});

test("a failed all_or_nothing import stores nothing, and can be started again", async () => {
  const { ctx, datasetId } = await world();
  const importId = await newImport(ctx, datasetId, lines(2_500));
  await runPart(ctx, datasetId, importId);
  await failImport(ctx, importId, "The disk is full.");
  expect(await runToEnd(ctx, datasetId, importId)).toMatchObject({
    status: "failed",
    error: "The disk is full.",
    created: 0,
  });
  expect(await contentsOf(ctx, datasetId)).toEqual([]);
  expect(await imported(ctx, datasetId, lines(2_500))).toMatchObject({
    status: "completed",
    created: 2_500,
    version: 1,
  });
  await requireExactCounts(ctx, datasetId);
});

test("a preview guesses a file's format and mapping, and names the line of each problem", async () => {
  const { ctx, datasetId } = await world();
  const csv = ["question,answer,internal note", "What is it?,A test.,x", "And this?,,y"];
  const fileId = await storedFile(ctx, csv, "faq.csv");
  const { preview } = await previewImport(ctx, { datasetId, fileId });
  expect(preview).toMatchObject({
    fileName: "faq.csv",
    format: "csv",
    columns: ["question", "answer", "internal note"],
    mapping: { question: "input", answer: "expectedOutput", "internal note": "ignore" },
    usable: true,
    complete: true,
    rowsChecked: 2,
    rowsUsable: 1,
  });
  expect(preview.problems).toMatchObject([{ rows: 1, firstLine: 3 }]);
  const other = await previewImport(ctx, { datasetId, fileId, mapping: { answer: "ignore" } });
  expect(other.preview).toMatchObject({ usable: false, rows: [] });
  await expect(createImport(ctx, { datasetId, fileId, mapping: { answer: "ignore" } })).rejects.toThrow("No column");
  expect((await listImports(ctx, { datasetId })).imports).toEqual([]);
});

test("a file from which no row can be read is refused", async () => {
  const { ctx, datasetId } = await world();
  const fileId = await storedFile(ctx, ["PK\u0003\u0004 a spreadsheet"], "book.xlsx");
  await expect(previewImport(ctx, { datasetId, fileId })).rejects.toMatchObject({ code: "unprocessable" });
  await expect(createImport(ctx, { datasetId, fileId })).rejects.toMatchObject({ code: "unprocessable" });
});

test("another project's imports, files and Datasets are not found", async () => {
  const { ctx, datasetId } = await world();
  const other = await world();
  const fileId = await storedFile(ctx, lines(1));
  const done = await imported(ctx, datasetId, [chatLine("mine"), ...BAD], { onError: "good_rows" });
  const missing = { code: "not_found" };
  const theirs = { datasetId: other.datasetId, importId: done.id };
  await expect(getImport(other.ctx, theirs)).rejects.toMatchObject(missing);
  await expect(getImport(other.ctx, { datasetId, importId: done.id })).rejects.toMatchObject(missing);
  await expect(cancelImport(other.ctx, theirs)).rejects.toMatchObject(missing);
  await expect(downloadRejects(other.ctx, theirs)).rejects.toMatchObject(missing);
  await expect(listImports(other.ctx, { datasetId })).rejects.toMatchObject(missing);
  await expect(previewImport(other.ctx, { datasetId: other.datasetId, fileId })).rejects.toMatchObject(missing);
  await expect(createImport(other.ctx, { datasetId: other.datasetId, fileId })).rejects.toMatchObject(missing);
  expect((await listImports(other.ctx, { datasetId: other.datasetId })).imports).toEqual([]);
  const second = (await createDataset(ctx, { name: "Second" })).dataset.id;
  await expect(getImport(ctx, { datasetId: second, importId: done.id })).rejects.toMatchObject(missing);
});

test("imports are listed newest first, page by page", async () => {
  const { ctx, datasetId } = await world();
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push(await newImport(ctx, datasetId, lines(1, `file ${n}`)));
  const page = await listImports(ctx, { datasetId, limit: 2 });
  const rest = await listImports(ctx, { datasetId, limit: 2, cursor: page.pagination.nextCursor! });
  expect([...page.imports, ...rest.imports].map(({ id }) => id)).toEqual(ids.reverse());
});

test("an import waits while a conversation that a row names is being changed, and then stores the row", async () => {
  const { ctx, datasetId } = await world();
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const row = JSON.stringify({ payload: smallPayload("Hello"), source: { kind: "conversation", conversationId } });
  const importId = await newImport(ctx, datasetId, [row], { onError: "good_rows" });
  const turn = await whileChanged(conversationId, async () => {
    await runImport(ctx, importId, { forMs: 0 });
    return runImport(ctx, importId, { forMs: 0 });
  });
  expect(turn).toEqual({ done: false, wait: true });
  const done = await runToEnd(ctx, datasetId, importId);
  expect(done).toMatchObject({ status: "completed", rowsDone: 1, created: 1 });
});

test("an import whose file has expired fails with the reason", async () => {
  const { ctx, datasetId } = await world();
  const importId = await newImport(ctx, datasetId, lines(5));
  await ctx.db.update(datasetImports).set({ fileId: "fil_gone" }).where(eq(datasetImports.id, importId));
  expect(await runToEnd(ctx, datasetId, importId)).toMatchObject({
    status: "failed",
    error: "The file was not found.",
  });
});
