import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { smallPayload } from "../chat-payload/testing";
import { creating, storedDataset, write } from "../examples/testing";
import type { Draft } from "../examples/types";
import { checkDataset } from "./check-dataset";

const NONE = { count: 0, largest: [] };
const said = (question: string, answer: string, more: Partial<Draft> = {}) =>
  creating(question, { payload: smallPayload(question, answer), ...more });

test("a Dataset without overlaps is clean", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const empty = { conversationsInSeveralSplits: NONE, inputsInSeveralSplits: NONE, inputsWithSeveralAnswers: NONE };
  expect((await checkDataset(ctx, { datasetId })).check).toEqual({
    ...empty,
    answersOfSeveralInputs: NONE,
    heldOut: { count: 0, seen: 0, ignored: [], largest: [] },
    examplesRead: 0,
    complete: true,
  });
  await write(ctx, datasetId, [said("a", "1", { split: "train" }), said("b", "2", { split: "test" })]);
  expect((await checkDataset(ctx, { datasetId })).check).toMatchObject({ ...empty, examplesRead: 2 });
});

test("an input in two splits or with two answers is found regardless of case and spacing", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  await write(ctx, datasetId, [
    said("Where is  it?", "Here.", { split: "train" }),
    said("where is it?", "There.", { split: "test" }),
    said("And the other?", "here.", { split: "train" }),
  ]);
  const { check } = await checkDataset(ctx, { datasetId });
  expect(check.inputsInSeveralSplits).toEqual({
    count: 1,
    largest: [
      {
        conversationId: null,
        exampleCount: 2,
        splits: ["test", "train"],
        exampleIds: [expect.stringMatching(/^ex_/), expect.stringMatching(/^ex_/)],
      },
    ],
  });
  expect(check.inputsWithSeveralAnswers.count).toBe(1);
  expect(check.answersOfSeveralInputs).toMatchObject({ count: 1, largest: [{ exampleCount: 2, splits: ["train"] }] });
  expect(check.conversationsInSeveralSplits).toEqual(NONE);
});

test("only current Examples count, and another project's Dataset is not found", async () => {
  const { ctx } = await testProject();
  const { ctx: stranger } = await testProject();
  const datasetId = await storedDataset(ctx);
  const [first] = await write(ctx, datasetId, [said("a", "1", { split: "train" }), said("A", "2", { split: "test" })]);
  expect((await checkDataset(ctx, { datasetId })).check.inputsInSeveralSplits.count).toBe(1);
  await write(ctx, datasetId, [{ kind: "delete", exampleId: (first as { exampleId: string }).exampleId }]);
  expect((await checkDataset(ctx, { datasetId })).check).toMatchObject({
    inputsInSeveralSplits: NONE,
    examplesRead: 1,
  });
  await expect(checkDataset(stranger, { datasetId })).rejects.toMatchObject({ code: "not_found" });
});
