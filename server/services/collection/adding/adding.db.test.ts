import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { requireExactCounts, storedDataset, whileChanged } from "@/server/services/datasets/examples/testing";
import { exportedLines, imported } from "@/server/services/datasets/imports/testing";
import { createRuleRuns, executeRuleRuns, listFindings } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { addConversationsToDatasets, correctAnswer, previewConversations } from "..";

const SAID = [
  { role: "user", text: "Where is my parcel?" },
  { role: "assistant", text: "It is in Hamburg." },
  { role: "user", text: "When does it arrive?" },
  { role: "assistant", text: "It arrives on Monday." },
];

const examplesOf = async (datasetId: string) => {
  const rows = await db().execute<{ payload: object; source_kind: string; finding_id: string | null; turn: number }>(
    sql`select payload, source_kind, finding_id, turn from example_revisions
      where dataset_id = ${datasetId} and to_version is null order by ordinal`,
  );
  return [...rows];
};

test("conversations are added to several Datasets as the preview shows, and not twice", async () => {
  const { ctx } = await testProject();
  const datasetIds = [await storedDataset(ctx, "One"), await storedDataset(ctx, "Two")];
  const { id } = await storedConversation(ctx, SAID);
  const silent = await storedConversation(ctx, [{ role: "user", text: "Hello?" }]);
  const conversationIds = [id, silent.id];
  const { examples } = await previewConversations(ctx, { conversationIds });
  expect(examples).toEqual([
    {
      conversationId: id,
      turn: 3,
      problem: null,
      payload: {
        input: { type: "chat", messages: SAID.slice(0, 3).map(({ role, text }) => ({ role, content: text })) },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: SAID[3]!.text } },
      },
    },
    { conversationId: silent.id, turn: null, payload: null, problem: "It has no assistant answer." },
  ]);
  const { results } = await addConversationsToDatasets(ctx, { conversationIds, datasetIds, tags: ["parcels"] });
  expect(results.map(({ status }) => status).sort()).toEqual(["created", "created", "skipped", "skipped"]);
  for (const datasetId of datasetIds) {
    expect((await examplesOf(datasetId)).map(({ payload }) => payload)).toEqual([examples[0]!.payload]);
    await requireExactCounts(ctx, datasetId);
  }
  const again = await addConversationsToDatasets(ctx, { conversationIds: [id], datasetIds });
  expect(again.results).toMatchObject([{ status: "duplicate" }, { status: "duplicate" }]);
  const other = await addConversationsToDatasets(ctx, { conversationIds: [id], datasetIds: [datasetIds[0]!], turn: 1 });
  expect(other.results).toMatchObject([{ status: "created" }]);
  await expect(addConversationsToDatasets(ctx, { conversationIds, datasetIds, turn: 1 })).rejects.toMatchObject({
    name: "ZodError",
  });
});

test("from a conversation larger than an Example, only answers near its beginning can be added", async () => {
  const { ctx } = await testProject();
  const turns = Array.from({ length: 1_200 }, (_, n) => [
    { role: "user", text: `Question ${n}?` },
    { role: "assistant", text: `Answer ${n}.` },
  ]);
  const { id } = await storedConversation(ctx, turns.flat());
  const of = async (turn?: number) => (await previewConversations(ctx, { conversationIds: [id], turn })).examples[0];
  expect(await of(3)).toMatchObject({ payload: { expectedOutput: { message: { content: "Answer 1." } } } });
  for (const turn of [2_051, 2_399, undefined]) {
    expect(await of(turn)).toMatchObject({
      payload: null,
      problem: "The conversation is too large for an Example.",
    });
  }
});

test("adding a conversation that is being changed is a conflict, and works afterwards", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { id } = await storedConversation(ctx, SAID);
  const add = () => addConversationsToDatasets(ctx, { conversationIds: [id], datasetIds: [datasetId] });
  await whileChanged(id, () => expect(add()).rejects.toMatchObject({ code: "conflict" }));
  expect((await add()).results).toMatchObject([{ status: "created" }]);
});

test("a Finding's conversations are added with a link to the Finding", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: order not found"));
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const [finding] = (await listFindings(ctx, { conversationId: id, signal: "tool_error" })).findings;
  await addConversationsToDatasets(ctx, { findingId: finding!.id, datasetIds: [datasetId] });
  expect(await examplesOf(datasetId)).toMatchObject([{ source_kind: "finding", finding_id: finding!.id, turn: 3 }]);
});

test("a corrected answer becomes the expected one and the old answer the rejected one, and correcting again updates the Example", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { id } = await storedConversation(ctx, SAID, { externalId: "chat-1" });
  const correct = (answer: string) => correctAnswer(ctx, { datasetId, conversationId: "chat-1", turn: 3, answer });
  const { result } = await correct("It arrives on Tuesday.");
  expect(result).toMatchObject({ conversationId: id, status: "created" });
  await correct("It arrives on Wednesday.");
  expect(await examplesOf(datasetId)).toMatchObject([
    {
      source_kind: "correction",
      payload: {
        expectedOutput: { message: { content: "It arrives on Wednesday." } },
        rejectedOutput: { message: { content: "It arrives on Monday." } },
      },
    },
  ]);
  const refused = await correctAnswer(ctx, { datasetId, conversationId: id, turn: 2, answer: "No" });
  expect(refused.result).toMatchObject({
    status: "skipped",
    problem: expect.stringContaining("not an assistant answer"),
  });
});

test("an answer corrected again after export and import into another Dataset is still one Example", async () => {
  const { ctx } = await testProject();
  const [from, into] = [await storedDataset(ctx), await storedDataset(ctx)];
  const { id } = await storedConversation(ctx, SAID);
  const correct = (datasetId: string, answer: string) =>
    correctAnswer(ctx, { datasetId, conversationId: id, turn: 3, answer });
  await correct(from, "It arrives on Tuesday.");
  await imported(ctx, into, await exportedLines(ctx, from));
  await correct(into, "It arrives on Wednesday.");
  expect(await examplesOf(into)).toMatchObject([
    { payload: { expectedOutput: { message: { content: "It arrives on Wednesday." } } } },
  ]);
});

test("another project's conversations, Findings and Datasets are not found", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const [ours, theirs] = [await storedDataset(ctx), await storedDataset(other)];
  const { id } = await storedConversation(ctx, SAID);
  for (const refused of [
    () => previewConversations(other, { conversationIds: [id] }),
    () => addConversationsToDatasets(other, { conversationIds: [id], datasetIds: [theirs] }),
    () => addConversationsToDatasets(ctx, { conversationIds: [id], datasetIds: [ours, theirs] }),
    () => addConversationsToDatasets(ctx, { findingId: "fnd_none", datasetIds: [ours] }),
    () => correctAnswer(other, { datasetId: theirs, conversationId: id, turn: 3, answer: "No" }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "not_found" });
  expect(await examplesOf(ours)).toEqual([]);
});
