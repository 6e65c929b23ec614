import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { checkpoints, evaluationRows, evaluations, exampleRevisions, jobEvents, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createExample, deleteDataset, deleteDatasetRows } from "@/server/services/datasets";
import { smallPayload } from "@/server/services/datasets/chat-payload/testing";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { deleteConversation, deleteUserData, runDeletion } from "@/server/services/deletion";
import { createRuleRuns, executeRuleRuns, listFindings, listFixes, updateRule } from "@/server/services/diagnostics";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { problem, ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import {
  cancelEvaluation,
  createEvaluation,
  getEvaluation,
  listEvaluationRows,
  listEvaluations,
  nextBlindRow,
  reviewEvaluationRow,
  runEvaluation,
  wakeEvaluations,
} from "..";
import { startEvaluation } from "./start-evaluation";

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  Object.assign(trainer, { isReachable: true, samplesTakeTime: false, sampled: 0, sample: () => ({ content: "" }) });
  for (const state of [trainer.answers, trainer.lost, trainer.samples]) state.clear();
  trainer.calls.length = 0;
});

type Split = "train" | "validation" | "test";
type Given = { question: string; answer: string; split: Split; userId?: string; conversationId?: string };

/** Stores a checkpoint of a job that trained on a Dataset with these Examples. */
async function world(examples: readonly Given[]) {
  const { ctx, asKey } = await testProject();
  const [attached] = await ctx.db.select().from(trainers);
  const datasetId = await storedDataset(ctx);
  for (const { question, answer, split, userId, conversationId } of examples) {
    const { example } = await createExample(ctx, { datasetId, split, payload: smallPayload(question, answer) });
    if (userId === undefined && conversationId === undefined) continue;
    await ctx.db
      .update(exampleRevisions)
      .set({ userId: userId ?? null, conversationId: conversationId ?? null })
      .where(and(eq(exampleRevisions.projectId, ctx.projectId), eq(exampleRevisions.exampleId, example.id)));
  }
  const base = { id: "acme/tiny", revision: "main", source: "hub", checkpoint_id: null, trust_remote_code: false };
  const jobId = await storedJob(ctx, {
    name: "Answers 1",
    status: "succeeded",
    finishedAt: 1,
    datasetId,
    datasetVersion: 1,
    trainerId: attached!.id,
    spec: { base_model: base },
  });
  const checkpointId = await storedCheckpoint(ctx, jobId);
  const create = async (more: object = {}) =>
    (await createEvaluation(ctx, { checkpointId, kind: "examples", ...more } as never)).evaluation;
  const read = async (evaluationId: string) => (await getEvaluation(ctx, { evaluationId })).evaluation;
  const rows = async (evaluationId: string, more: object = {}) =>
    (await listEvaluationRows(ctx, { evaluationId, ...more })).rows;
  return { ctx, asKey, datasetId, jobId, checkpointId, create, read, rows, trainerId: attached!.id };
}

/** Runs steps until the evaluation has ended or has to wait. */
async function toEnd(ctx: Ctx, id: string) {
  for (let n = 0; n < 40; n += 1) {
    const { done, waits } = await runEvaluation(ctx, id);
    if (done || waits) return { done, waits };
  }
  throw new Error("It does not end.");
}

const isBase = (target: Record<string, unknown>) => target.base !== undefined;
const refused = (message: RegExp) => ({ code: "unprocessable", message: expect.stringMatching(message) });

const HELD_OUT: Given[] = [
  { question: "Where is order 1?", answer: "Order 1 is in Bern.", split: "train" },
  { question: "Where is order 2?", answer: "Order 2 is in Basel.", split: "test" },
  { question: "Where is order 3?", answer: "Order 3 is in Chur.", split: "test" },
  { question: "Where is order 4?", answer: "Order 4 is in Zug.", split: "validation" },
];
const ANSWERS = new Map(HELD_OUT.map(({ question, answer }) => [question, answer]));

test("both models answer the held-out Examples, and each answer is compared with the expected one", async () => {
  const { ctx, create, read, rows, checkpointId } = await world(HELD_OUT);
  trainer.sample = (prompt, target) => {
    if (prompt.includes("order 3")) return { content: isBase(target) ? (ANSWERS.get(prompt) as string) : "" };
    return { content: isBase(target) ? "I do not know." : (ANSWERS.get(prompt) as string) };
  };
  const created = await create();
  expect(created).toMatchObject({
    status: "queued",
    total: 3,
    done: 0,
    before: { checkpointId: null, name: "acme/tiny", stepNumber: null },
    after: { checkpointId, name: "Answers 1, step 12", jobName: "Answers 1", stepNumber: 12 },
    selection: { available: 3, selected: 3, splits: { test: 2, validation: 1 }, trainedOn: 0 },
  });
  expect(await toEnd(ctx, created.id)).toEqual({ done: true, waits: false });
  const ended = await read(created.id);
  expect(ended).toMatchObject({
    status: "succeeded",
    done: 3,
    verdict: null,
    comparison: { win: 2, tie: 0, loss: 1, reasons: { matches_expected: 3 } },
  });
  expect(ended.comparison!.winShare!.rate).toBeCloseTo(2 / 3);
  expect(ended.comparison!.score!.drop).toBeLessThan(0);
  const [request] = [...trainer.samples.values()];
  expect(request!.targets).toEqual([
    { base: { id: "acme/tiny", revision: "main", source: "hub", checkpoint_id: null, trust_remote_code: false } },
    { checkpoint_id: checkpointId },
  ]);
  const listed = await rows(created.id);
  expect(listed.map(({ outcome }) => outcome)).toEqual(["loss", "win", "win"]);
  expect(listed[0]).toMatchObject({
    prompt: [{ role: "user", content: "Where is order 3?" }],
    expected: "Order 3 is in Chur.",
    before: { content: "Order 3 is in Chur." },
    after: { content: "" },
  });
  expect(await rows(created.id, { outcome: "tie" })).toEqual([]);
  expect((await listEvaluations(ctx, { checkpointId })).evaluations.map(({ id }) => id)).toEqual([created.id]);
});

test("rows are listed page by page, worst regressions first, without repetitions", async () => {
  const many = Array.from({ length: 7 }, (_, n) => ({
    question: `Question ${n}`,
    answer: "a b c d e f g h i j",
    split: "test" as const,
  }));
  const { ctx, create } = await world(many);
  trainer.sample = (prompt, target) => {
    const n = Number(/\d+/.exec(prompt)?.[0]);
    return { content: isBase(target) ? "a b c d e f" : "a b c d e f g h i".slice(0, 2 * n + 1) };
  };
  const { id } = await create();
  await toEnd(ctx, id);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listEvaluationRows(ctx, { evaluationId: id, limit: 2, ...(cursor ? { cursor } : {}) });
    seen.push(...page.rows.map(({ prompt, outcome }) => `${outcome} ${prompt[0]!.content.at(-1)}`));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(["loss 0", "loss 1", "loss 2", "loss 3", "tie 4", "tie 5", "tie 6"]);
});

test("Examples that a checkpoint or its ancestors were trained on are not held out", async () => {
  const { ctx, checkpointId, datasetId, trainerId, create } = await world([
    ...HELD_OUT,
    { question: "Same conversation", answer: "Yes", split: "test", conversationId: "conv_taught" },
    { question: "Taught", answer: "Yes", split: "train", conversationId: "conv_taught" },
  ]);
  // A second Dataset with the same text, on which a later job trained.
  const second = await storedDataset(ctx, "Second");
  const copy = HELD_OUT[1]!;
  await createExample(ctx, { datasetId: second, split: "train", payload: smallPayload(copy.question, copy.answer) });
  const laterJob = await storedJob(ctx, {
    status: "succeeded",
    finishedAt: 1,
    datasetId: second,
    trainerId,
    parentCheckpointId: checkpointId,
  });
  const later = await storedCheckpoint(ctx, laterJob);
  expect((await create()).selection).toMatchObject({ available: 3, trainedOn: 1 });
  await expect(create({ checkpointId: later })).rejects.toMatchObject(refused(/no held-out Examples/));
  const lastJob = await storedJob(ctx, {
    status: "succeeded",
    finishedAt: 1,
    datasetId,
    trainerId,
    parentCheckpointId: later,
  });
  const last = await create({ checkpointId: await storedCheckpoint(ctx, lastJob) });
  expect(last.selection).toMatchObject({ available: 2, trainedOn: 2 });
  expect(last.baselineCheckpointId).toBe(later);
});

test("Examples without a wanted answer are left out and counted", async () => {
  const { ctx, datasetId, create } = await world(HELD_OUT);
  const unwanted = smallPayload("Unwanted", "Never");
  await createExample(ctx, {
    datasetId,
    split: "test",
    payload: { ...unwanted, expectedOutput: { ...unwanted.expectedOutput, weight: 0 } },
  });
  expect((await create()).selection).toMatchObject({ available: 3, notText: 1 });
});

test("Examples with tools are asked with them as they were sent, and calls are compared with the expected ones", async () => {
  const { ctx, datasetId, create, read, rows } = await world(HELD_OUT.slice(0, 1));
  const call = (id: string, given: string) => ({
    id,
    type: "function" as const,
    function: { name: "find_order", arguments: given },
  });
  const properties = { z: { type: "integer" }, a: { type: "string" } };
  const tools = [
    { type: "function" as const, function: { name: "find_order", parameters: { type: "object", properties } } },
  ];
  const asked = [
    { role: "user" as const, content: "Find order 7" },
    { role: "assistant" as const, tool_calls: [call("c1", '{"z": 1, "a": "x"}')] },
    { role: "tool" as const, tool_call_id: "c1", content: "no such order" },
  ];
  await createExample(ctx, {
    datasetId,
    split: "test",
    payload: {
      input: { type: "chat", messages: asked, tools },
      expectedOutput: {
        type: "chat_message",
        message: { role: "assistant", tool_calls: [call("c2", '{"z": 7, "a": "y"}')] },
      },
    },
  });
  trainer.sample = (_, target) =>
    isBase(target)
      ? { content: "I do not know." }
      : { content: "", tool_calls: [{ name: "find_order", arguments: '{"a":"y","z":7}' }] };
  const created = await create();
  await toEnd(ctx, created.id);
  expect(await read(created.id)).toMatchObject({
    selection: { available: 1, notText: 0 },
    comparison: { win: 1, reasons: { matches_expected: 1 } },
  });
  const [row] = await rows(created.id);
  expect(row).toMatchObject({
    prompt: [
      { role: "user", content: "Find order 7" },
      { role: "assistant", content: '[{"name":"find_order","arguments":{"z":1,"a":"x"}}]' },
      { role: "tool", content: "no such order" },
    ],
    expected: '[{"name":"find_order","arguments":{"z":7,"a":"y"}}]',
    before: { content: "I do not know." },
    after: { content: '[{"name":"find_order","arguments":{"a":"y","z":7}}]' },
    rightness: { before: { right: false }, after: { right: true, by: "match" } },
  });
  const [request] = [...trainer.samples.values()];
  const [prompt] = request!.prompts;
  const [user, assistant, result] = asked;
  expect(prompt!.messages).toEqual([user, { ...assistant, content: "" }, result]);
  // A template renders the keys of a tool in their order.
  expect(JSON.stringify(prompt!.tools)).toBe(JSON.stringify(tools));
});

test("a killed process repeats no request, and each row keeps its first answer", async () => {
  const { ctx, create, read, rows } = await world(
    Array.from({ length: 60 }, (_, n) => ({
      question: `Question ${n}`,
      answer: `Answer ${n}`,
      split: "test" as const,
    })),
  );
  trainer.samplesTakeTime = true;
  trainer.sample = (prompt, target) => ({ content: isBase(target) ? "No" : prompt.replace("Question", "Answer") });
  const { id } = await create();
  await runEvaluation(ctx, id);
  expect(await read(id)).toMatchObject({ status: "running", done: 0 });
  // Another process continues with the answers to the same request.
  await runEvaluation(ctx, id);
  expect(await read(id)).toMatchObject({ done: 25, total: 60, comparison: { win: 25 } });
  expect(trainer.sampled).toBe(1);
  const [first] = await rows(id, { outcome: "win" });
  await Promise.all([runEvaluation(ctx, id), runEvaluation(ctx, id)]);
  await Promise.all([runEvaluation(ctx, id), runEvaluation(ctx, id)]);
  await toEnd(ctx, id);
  expect(await read(id)).toMatchObject({ status: "succeeded", done: 60, comparison: { win: 60, tie: 0, loss: 0 } });
  expect((await rows(id)).find(({ n }) => n === first!.n)).toEqual(first);
});

test("prompts are deleted on the trainer once their answers are stored, or were refused", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  trainer.samplesTakeTime = true;
  const { id } = await create();
  await runEvaluation(ctx, id);
  expect(trainer.samples.size).toBe(1);
  // Killed before it could store them: they are still there for the next process.
  await expect(runEvaluation({ ...ctx, db: failingAt("transaction") }, id)).rejects.toThrow("killed");
  expect(trainer.samples.size).toBe(1);
  await toEnd(ctx, id);
  expect(await read(id)).toMatchObject({ status: "succeeded", done: 3 });
  expect([trainer.samples.size, trainer.sampled]).toEqual([0, 1]);
  const failing = await create();
  trainer.sample = () => {
    throw problem(422, "base_model_gated", "It is gated.");
  };
  await toEnd(ctx, failing.id);
  expect(await read(failing.id)).toMatchObject({ status: "failed" });
  expect(trainer.samples.size).toBe(0);
});

test("a trainer of before, which cannot delete prompts, is evaluated on as well", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  trainer.samplesTakeTime = true;
  trainer.answers.set("DELETE /samples/smp_0", { status: 405, body: { error: { code: "invalid_request" } } });
  const { id } = await create();
  await toEnd(ctx, id);
  trainer.answers.clear();
  expect(await read(id)).toMatchObject({ status: "succeeded", done: 3 });
});

test("an unreachable trainer fails nothing, and a trainer that lost the answers is asked again", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  trainer.samplesTakeTime = true;
  const { id } = await create();
  trainer.isReachable = false;
  expect(await runEvaluation(ctx, id)).toEqual({ done: false, waits: true });
  expect(await read(id)).toMatchObject({ status: "running", staleSince: expect.any(Number) });
  trainer.isReachable = true;
  await runEvaluation(ctx, id);
  expect(await read(id)).toMatchObject({ staleSince: null });
  trainer.samples.clear();
  expect(await toEnd(ctx, id)).toEqual({ done: true, waits: false });
  expect(await read(id)).toMatchObject({ status: "succeeded", done: 3 });
});

test("a trainer that fails for a moment is asked again later", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  trainer.sample = () => {
    throw problem(500, "internal_error", "Something went wrong.");
  };
  const { id } = await create();
  expect(await runEvaluation(ctx, id)).toEqual({ done: false, waits: true });
  expect(await read(id)).toMatchObject({ status: "running", staleSince: expect.any(Number) });
  trainer.sample = () => ({ content: "Same" });
  await toEnd(ctx, id);
  expect(await read(id)).toMatchObject({ status: "succeeded", done: 3, staleSince: null });
});

test("a prompt that crashes the trainer's process gets no answer, and the others do", async () => {
  const { ctx, create, read, rows } = await world(HELD_OUT);
  trainer.sample = (prompt) => {
    if (prompt.includes("order 3")) throw problem(500, "worker_crashed", "The process ended.");
    return { content: "Same" };
  };
  const { id } = await create();
  await toEnd(ctx, id);
  expect(await read(id)).toMatchObject({
    status: "succeeded",
    done: 3,
    comparison: { tie: 2, reasons: { no_answer: 1 } },
  });
  expect((await rows(id)).at(-1)).toMatchObject({ outcome: null, reason: "no_answer", before: null });
});

test("a trainer that cannot load a model fails the evaluation with its reason", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  trainer.sample = () => {
    throw { status: 200, body: { answers: [], error: problemOf("base_model_not_found", "acme/tiny is not there.") } };
  };
  const { id } = await create();
  expect(await toEnd(ctx, id)).toEqual({ done: true, waits: false });
  expect(await read(id)).toMatchObject({ status: "failed", error: { code: "base_model_not_found" } });
  trainer.sample = () => {
    throw problem(500, "worker_crashed", "The process ended.");
  };
  const crashing = await create();
  await toEnd(ctx, crashing.id);
  expect(await read(crashing.id)).toMatchObject({ status: "failed", error: { code: "worker_crashed" }, done: 2 });
});
const problemOf = (code: string, message: string) => (problem(422, code, message).body as { error: object }).error;

test("a cancelled evaluation sends no further requests", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  trainer.samplesTakeTime = true;
  const { id } = await create();
  await runEvaluation(ctx, id);
  expect((await cancelEvaluation(ctx, { evaluationId: id })).evaluation).toMatchObject({
    status: "cancelled",
    done: 0,
  });
  trainer.calls.length = 0;
  expect(await runEvaluation(ctx, id)).toEqual({ done: true, waits: false });
  expect(trainer.calls).toEqual([]);
  expect((await cancelEvaluation(ctx, { evaluationId: id })).evaluation).toEqual(await read(id));
});

test("unfinished evaluations are woken, but not at every poll", async () => {
  const { ctx, create } = await world(HELD_OUT);
  const { id } = await create();
  const events = () =>
    ctx.db.$count(
      jobEvents,
      and(eq(jobEvents.name, "fine-tuning/evaluation.due"), sql`${jobEvents.data}::text like ${`%${id}%`}`),
    );
  expect(await events()).toBe(1);
  await wakeEvaluations(db());
  await wakeEvaluations(db());
  expect(await events()).toBe(2);
});

test("a checkpoint without files, of another trainer or of another project is refused", async () => {
  const { ctx, create, checkpointId, jobId, datasetId } = await world(HELD_OUT);
  const pruned = await storedCheckpoint(ctx, jobId, { state: "pruned" });
  await expect(create({ checkpointId: pruned })).rejects.toMatchObject(
    refused(/files of this checkpoint were deleted/),
  );
  await expect(create({ baselineCheckpointId: checkpointId })).rejects.toMatchObject(refused(/another one/));
  const elsewhere = await storedCheckpoint(ctx, await storedJob(ctx, { datasetId, trainerId: "trn_other" }));
  await expect(create({ baselineCheckpointId: elsewhere })).rejects.toMatchObject(refused(/same trainer/));
  const other = await world(HELD_OUT);
  await expect(other.create({ checkpointId })).rejects.toMatchObject({ code: "not_found" });
  await expect(other.create({ baselineCheckpointId: checkpointId })).rejects.toMatchObject(refused(/not found/));
  const { id } = await create();
  for (const call of [getEvaluation, cancelEvaluation, listEvaluationRows]) {
    await expect(call(other.ctx, { evaluationId: id } as never)).rejects.toMatchObject({ code: "not_found" });
  }
  expect((await listEvaluations(other.ctx, {})).evaluations).toEqual([]);
});

test("automatic deployment compares with the incumbent, on the Examples of preserved behaviour if there are any", async () => {
  const { ctx, jobId, checkpointId, read } = await world(HELD_OUT);
  const incumbent = await storedCheckpoint(ctx, jobId);
  const choice = { checkpointId, baselineCheckpointId: incumbent, preserveSet: true };
  const whole = await read(await startEvaluation(ctx, choice));
  expect(whole).toMatchObject({ total: 3, selection: { preserveSetOnly: false }, baselineCheckpointId: incumbent });
  await ctx.db
    .update(exampleRevisions)
    .set({ objective: "preserve_successful_behavior" })
    .where(and(eq(exampleRevisions.projectId, ctx.projectId), eq(exampleRevisions.split, "validation")));
  const only = await read(await startEvaluation(ctx, choice));
  expect(only).toMatchObject({ total: 1, selection: { preserveSetOnly: true, splits: { test: 0, validation: 1 } } });
});

/** A question without a word in common with the others. */
const questionOf = (n: number) => `${Array.from({ length: 7 }, (_, word) => `w${n}x${word}`).join(" ")} ${n}`;
const answerOf = (n: number) => `Order ${n} is in Bern.`;

/** Stores a Finding of empty answers, in this many conversations. */
async function findingOf(ctx: Ctx, count: number, userId?: string) {
  const conversations: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id, lastActivityAt } = await storedConversation(
      ctx,
      [
        { role: "system", text: "You help customers." },
        { role: "user", text: questionOf(n) },
        { role: "assistant", text: "" },
        { role: "user", text: "Hello?" },
      ],
      userId === undefined ? {} : { userId },
    );
    const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    );
    conversations.push(id);
  }
  const { findings } = await listFindings(ctx, {});
  return { findingId: findings.find(({ signal }) => signal === "empty_response")!.id, conversations, findings };
}

/** Stores held-out Examples that say what the faulty answers should have been. */
async function corrected(ctx: Ctx, datasetId: string, conversations: readonly string[]) {
  for (const [n, conversationId] of conversations.entries()) {
    const payload = smallPayload(questionOf(n), answerOf(n));
    const { example } = await createExample(ctx, { datasetId, split: "test", payload });
    await ctx.db
      .update(exampleRevisions)
      .set({ conversationId, turn: 2 })
      .where(and(eq(exampleRevisions.projectId, ctx.projectId), eq(exampleRevisions.exampleId, example.id)));
  }
}

/** Answers the first ten with nothing, as the base model, and all but the first rightly, as the checkpoint. */
function answersBetter() {
  trainer.sample = (prompt, target) => {
    const n = Number(/(\d+)$/.exec(prompt)?.[1]);
    return { content: isBase(target) ? (n < 10 ? "" : "I do not know.") : n === 0 ? "" : answerOf(n) };
  };
}

test("a Finding's conversations are replayed up to the faulty answer, and its Rule judges both answers", async () => {
  const { ctx, create, read, rows, datasetId } = await world(HELD_OUT);
  const { findingId, conversations } = await findingOf(ctx, 12);
  await corrected(ctx, datasetId, conversations);
  answersBetter();
  const created = await create({ kind: "finding", findingId });
  expect(created).toMatchObject({
    kind: "finding",
    total: 12,
    ruleId: "broken-response",
    ruleVersion: expect.any(Number),
    selection: { available: 12, trainedOn: 0, splits: null },
    verdict: null,
  });
  await toEnd(ctx, created.id);
  const ended = await read(created.id);
  expect(ended).toMatchObject({
    status: "succeeded",
    verdict: "proven",
    proof: {
      n: 12,
      foundBefore: 10,
      foundAfter: 1,
      fixed: 9,
      broken: 0,
      right: { n: 10, gained: 9, lost: 0, decidedBy: { match: 11 }, after: { right: 11, stillThere: 1 } },
      because: null,
    },
  });
  expect(ended.proof!.difference!.high).toBeLessThan(0);
  const listed = await rows(created.id);
  expect(listed[0]).toMatchObject({
    reason: "still_found",
    expected: "",
    prompt: [
      { role: "system", content: "You help customers." },
      { role: "user", content: questionOf(0) },
    ],
  });
  const won = listed.filter(({ reason }) => reason === "right_now");
  expect(won).toHaveLength(9);
  expect(won[0]).toMatchObject({ expected: "", reference: expect.stringContaining("is in Bern"), outcome: "win" });
  expect((await listEvaluations(ctx, { findingId })).evaluations.map(({ id }) => id)).toEqual([created.id]);
});

test("a proof of weights that answer already starts a watch of their model from when they began to", async () => {
  const { ctx, create, datasetId, checkpointId } = await world(HELD_OUT);
  const { findingId, conversations } = await findingOf(ctx, 12);
  await corrected(ctx, datasetId, conversations);
  const startedAt = Date.now() - 3_600_000;
  await storedDeployment(ctx, checkpointId, { startedAt });
  answersBetter();
  await toEnd(ctx, (await create({ kind: "finding", findingId })).id);
  const { fixes } = await listFixes(ctx, { findingId });
  expect(fixes).toMatchObject([{ by: "model", value: "shop-agent", kind: "weights", startedAt }]);
});

test("too few replays are not enough, and a small difference is not proven", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  const { findingId } = await findingOf(ctx, 10);
  trainer.sample = (_, target) => ({ content: isBase(target) ? "" : "In Bern." });
  const few = await create({ kind: "finding", findingId, maxRows: 9 });
  await toEnd(ctx, few.id);
  expect(await read(few.id)).toMatchObject({
    verdict: "not_enough",
    proof: { n: 9, fixed: 9, because: "no_judgement", right: { after: { notJudged: 9 } } },
    selection: { available: 10 },
  });
  trainer.sample = () => ({ content: "" });
  const same = await create({ kind: "finding", findingId });
  await toEnd(ctx, same.id);
  expect(await read(same.id)).toMatchObject({ verdict: "not_proven", proof: { n: 10, fixed: 0, foundAfter: 10 } });
});

test("people review answers without knowing whose they are, and their word counts", async () => {
  const { ctx, create, read, rows } = await world(HELD_OUT);
  const { findingId } = await findingOf(ctx, 10);
  trainer.sample = (prompt, target) => ({ content: isBase(target) ? "" : answerOf(Number(prompt.split(" ").at(-1))) });
  const { id: evaluationId } = await create({ kind: "finding", findingId });
  await toEnd(ctx, evaluationId);
  const firsts = new Set<string>();
  // By chance, all of ten rows may be in one order for one person.
  for (let n = 0; n < 30; n += 1) {
    const other = { ...ctx, actor: { ...ctx.actor, userId: `usr_reviewer_${n}` } as typeof ctx.actor };
    firsts.add((await nextBlindRow(other, { evaluationId })).row!.first === "" ? "before" : "after");
  }
  for (let reviewed = 0; reviewed < 10; reviewed += 1) {
    const next = await nextBlindRow(ctx, { evaluationId });
    expect(next).toMatchObject({ reviewed, total: 10, row: { n: expect.any(Number) } });
    expect(Object.keys(next.row!).sort()).toEqual(["first", "n", "prompt", "reference", "second"]);
    firsts.add(next.row!.first === "" ? "before" : "after");
    const choice = next.row!.first === "" ? "second" : "first";
    await reviewEvaluationRow(ctx, { evaluationId, n: next.row!.n, choice });
  }
  expect((await nextBlindRow(ctx, { evaluationId })).row).toBeNull();
  expect(firsts.size).toBe(2);
  expect(await read(evaluationId)).toMatchObject({
    verdict: "proven",
    proof: { right: { gained: 10, lost: 0, reviewed: 10, checked: 10, decidedBy: { person: 20 } } },
  });
  for (let n = 0; n < 6; n += 1)
    await reviewEvaluationRow(ctx, { evaluationId, n, isRight: { before: false, after: false } });
  const overruled = await read(evaluationId);
  expect(overruled).toMatchObject({ verdict: "not_enough", proof: { right: { gained: 4, checked: 10 } } });
  expect((await rows(evaluationId, { outcome: "win" })).map(({ rightness }) => rightness!.after)).toEqual(
    Array.from({ length: 4 }, () => ({ right: true, by: "person" })),
  );
});

test("a row that a reviewer passes over comes last, and other projects and keys review nothing", async () => {
  const { ctx, create, asKey } = await world(HELD_OUT);
  const { id: evaluationId } = await create();
  trainer.sample = () => ({ content: "Yes" });
  await toEnd(ctx, evaluationId);
  const { row } = await nextBlindRow(ctx, { evaluationId });
  const { row: other } = await nextBlindRow(ctx, { evaluationId, after: String(row!.n) });
  expect(other!.n).not.toBe(row!.n);
  const stranger = await world(HELD_OUT);
  const review = { evaluationId, n: row!.n, choice: "both" as const };
  await expect(nextBlindRow(stranger.ctx, { evaluationId })).rejects.toMatchObject({ code: "not_found" });
  await expect(reviewEvaluationRow(stranger.ctx, review)).rejects.toMatchObject({ code: "not_found" });
  const key = asKey("workspace:read", "models:manage");
  await expect(reviewEvaluationRow(key, review)).rejects.toMatchObject(refused(/signed-in person/));
});

test("stored answers are reviewed without a trainer", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  const { id: evaluationId } = await create();
  await toEnd(ctx, evaluationId);
  await db().delete(trainers);
  const { row } = await nextBlindRow(ctx, { evaluationId });
  await reviewEvaluationRow(ctx, { evaluationId, n: row!.n, choice: "both" });
  expect(await nextBlindRow(ctx, { evaluationId })).toMatchObject({ reviewed: 1, total: 3 });
  expect(await read(evaluationId)).toMatchObject({ status: "succeeded", done: 3 });
  await expect(create()).rejects.toMatchObject({ code: "not_implemented" });
});

test("a proof from before answers were judged proves nothing", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  const { findingId } = await findingOf(ctx, 10);
  const { id } = await create({ kind: "finding", findingId });
  const old = {
    n: 10,
    foundBefore: 4,
    foundAfter: 0,
    fixed: 4,
    broken: 0,
    before: null,
    after: null,
    difference: null,
  };
  await ctx.db
    .update(evaluations)
    .set({ status: "succeeded", finishedAt: 1, verdict: "proven", summary: { proof: { ...old, replaysNeeded: 10 } } })
    .where(eq(evaluations.id, id));
  expect(await read(id)).toMatchObject({
    verdict: "not_enough",
    proof: { fixed: 4, right: null, because: "measured_before" },
  });
});

const NEAR = {
  question: "Can I send back the blue winter jacket that I bought in May?",
  answer: "Yes, within thirty days, with the label that came in the parcel.",
};

test("Examples with a near copy, the same user or the same answer in training are not held out", async () => {
  const { create } = await world([
    { ...NEAR, split: "train", userId: "usr_1" },
    { ...NEAR, question: NEAR.question.replace("blue", "red"), answer: "Yes.", split: "test" },
    { question: "Is the tent dry again?", answer: NEAR.answer, split: "test" },
    { question: "How heavy is the lamp?", answer: "Light.", split: "test", userId: "usr_1" },
    { question: "Which stove burns longest on one cartridge?", answer: "The small one.", split: "test" },
  ]);
  const { total, selection } = await create();
  expect([total, selection]).toEqual([1, expect.objectContaining({ available: 4, nearCopies: 3, seenOnly: false })]);
});

test("where every held-out Example has a copy in training, they are compared and prove nothing", async () => {
  const { create } = await world([
    { ...NEAR, split: "train" },
    { ...NEAR, question: NEAR.question.replace("blue", "red"), split: "test" },
  ]);
  expect(await create()).toMatchObject({ total: 1, selection: { nearCopies: 1, seenOnly: true } });
});

test("conversations that were trained on are not replayed, and Findings that answers cannot show are refused", async () => {
  const { ctx, create, datasetId } = await world(HELD_OUT);
  const { findingId, conversations } = await findingOf(ctx, 2);
  await ctx.db
    .update(exampleRevisions)
    .set({ conversationId: conversations[0]! })
    .where(
      and(
        eq(exampleRevisions.projectId, ctx.projectId),
        eq(exampleRevisions.datasetId, datasetId),
        eq(exampleRevisions.split, "train"),
      ),
    );
  expect(await create({ kind: "finding", findingId })).toMatchObject({ total: 1, selection: { trainedOn: 1 } });
  await updateRule(ctx, {
    ruleId: "broken-response",
    configuration: { signalOverrides: { empty_response: { enabled: false } } },
  });
  await expect(create({ kind: "finding", findingId })).rejects.toMatchObject(
    refused(/1 were trained on or written with, in 1 the Rule no longer reports/),
  );
  const said = [
    { role: "user", text: "Where is my order?" },
    { role: "assistant", text: "", toolCalls: [{ id: "c", name: "find", arguments: "{}" }] },
    { role: "tool", text: "Error: timeout after 30 s", toolCallId: "c" },
    { role: "assistant", text: "I could not look that up." },
  ];
  const { id, lastActivityAt } = await storedConversation(ctx, said);
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const tool = (await listFindings(ctx, { ruleId: "tool-failure" })).findings[0]!;
  await expect(create({ kind: "finding", findingId: tool.id })).rejects.toMatchObject(
    refused(/a replay calls no tools/),
  );
  await expect(create({ kind: "finding", findingId: "fnd_1" })).rejects.toMatchObject({ code: "not_found" });
});

test("a Finding's rows and title need the right to read conversations", async () => {
  const { ctx, create, asKey } = await world(HELD_OUT);
  const { findingId } = await findingOf(ctx, 1);
  const { id } = await create({ kind: "finding", findingId });
  const key = asKey("workspace:read");
  await expect(listEvaluationRows(key, { evaluationId: id })).rejects.toMatchObject({ code: "forbidden" });
  expect((await getEvaluation(key, { evaluationId: id })).evaluation.findingTitle).toBeNull();
  const reader = asKey("workspace:read", "diagnostics:read");
  expect((await listEvaluationRows(reader, { evaluationId: id })).rows).toHaveLength(1);
  expect((await getEvaluation(reader, { evaluationId: id })).evaluation.findingTitle).toMatch(/An answer is empty/);
});

/** A database in whose process something fails, as if it had been killed there. */
const failingAt = (call: PropertyKey): Db =>
  new Proxy(db(), {
    get(target, name) {
      if (name === call) throw new Error("killed");
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
const rowsLeft = ({ db: on, projectId }: Ctx) => on.$count(evaluationRows, eq(evaluationRows.projectId, projectId));

test("deleting a conversation deletes its replays, even from a running evaluation, and no others", async () => {
  const { ctx, create, read } = await world(HELD_OUT);
  const other = await world(HELD_OUT);
  await other.create();
  const { findingId, conversations } = await findingOf(ctx, 3);
  trainer.samplesTakeTime = true;
  const { id } = await create({ kind: "finding", findingId });
  await runEvaluation(ctx, id);
  await deleteConversation(ctx, { conversationId: conversations[0]! });
  expect(await rowsLeft(ctx)).toBe(2);
  await toEnd(ctx, id);
  expect(await read(id)).toMatchObject({ status: "succeeded", total: 2, done: 2, proof: { n: 2 } });
  expect(await rowsLeft(other.ctx)).toBe(3);
});

test("deleting a user deletes the replays of their conversations and the rows of their Examples", async () => {
  const { ctx, create, read } = await world([
    ...HELD_OUT,
    { question: "Ann's question", answer: "Ann's answer", split: "test", userId: "ann" },
  ]);
  const { findingId } = await findingOf(ctx, 1, "ann");
  const [compared, replayed] = [await create(), await create({ kind: "finding", findingId })];
  await toEnd(ctx, compared.id);
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
  const left = await ctx.db.select().from(evaluationRows).where(eq(evaluationRows.projectId, ctx.projectId));
  expect(left).toHaveLength(3);
  expect(JSON.stringify(left)).not.toContain("Ann");
  expect(await read(compared.id)).toMatchObject({ done: 4, comparison: { tie: 4 } });
  expect(await toEnd(ctx, replayed.id)).toEqual({ done: true, waits: false });
  expect(await read(replayed.id)).toMatchObject({ total: 0, verdict: "not_enough", proof: { n: 0 } });
});

test("deleting a Dataset deletes the rows of its Examples and keeps the figures", async () => {
  const { ctx, create, read, datasetId } = await world(HELD_OUT);
  const { id } = await create();
  await toEnd(ctx, id);
  await deleteDataset(ctx, { datasetId });
  const deleted = { projectId: ctx.projectId, datasetId };
  while (!(await deleteDatasetRows(ctx.db, deleted, { forMs: 10_000, jobName: "test" })).done);
  expect(await rowsLeft(ctx)).toBe(0);
  expect(await read(id)).toMatchObject({ status: "succeeded", total: 3, comparison: { tie: 3 } });
});

test("deleting a checkpoint deletes its evaluations", async () => {
  const { ctx, create, checkpointId } = await world(HELD_OUT);
  await create();
  await ctx.db
    .delete(checkpoints)
    .where(and(eq(checkpoints.projectId, ctx.projectId), eq(checkpoints.id, checkpointId)));
  expect(await ctx.db.$count(evaluations, eq(evaluations.projectId, ctx.projectId))).toBe(0);
  expect(await rowsLeft(ctx)).toBe(0);
});
