import { and, eq, isNotNull } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { db } from "@/db/pool";
import { evaluationJudgements, evaluationRows, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { createConnection } from "@/server/services/connections";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { startModel } from "@/server/services/diagnostics/adjudicator/testing";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { createEvaluation, createVariant, getEvaluation, judgeEvaluation, proveVariant } from "@/server/services/proof";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { inngest } from "../../client";
import { functions } from "..";
import { killRepeatedly } from "../testing/kill-repeatedly";

/** These tests may call services on loopback, and so may the processes that they start. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let trainer: ScriptedTrainer;
let engine: Engine | undefined;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.samples.clear();
  trainer.sampled = 0;
  trainer.samplesTakeTime = true;
  trainer.sample = (prompt, target) => ({ content: target.base === undefined ? prompt : "I do not know." });
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
});

/** A queued comparison on `rows` held-out Examples. */
async function world(rows: number) {
  const { ctx } = await testProject();
  const [attached] = await ctx.db.select().from(trainers);
  const datasetId = await storedDataset(ctx);
  const changes = Array.from({ length: rows }, (_, n) => creating(`Question ${n}`, { split: "test" }));
  await write(ctx, datasetId, changes);
  const jobId = await storedJob(ctx, { datasetId, trainerId: attached!.id });
  const checkpointId = await storedCheckpoint(ctx, jobId);
  const { evaluation } = await createEvaluation(ctx, { checkpointId, kind: "examples", maxRows: rows });
  const read = async () => (await getEvaluation(ctx, { evaluationId: evaluation.id })).evaluation;
  return { ctx, evaluationId: evaluation.id, read };
}

test("a comparison completes in the background", async () => {
  const { read } = await world(3);
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await until(async () => (await read()).status === "succeeded");
  expect(await read()).toMatchObject({ done: 3, total: 3 });
}, 60_000);

const KILLS = amount(3, 4);
const ROWS = 200;
/** Rows per request. */
const BATCH = 25;

test("a worker that is killed repeatedly compares every row once", async () => {
  const { ctx, evaluationId, read } = await world(ROWS);
  const isRunning = async () => (await read()).finishedAt === null;
  const ofThis = and(eq(evaluationRows.projectId, ctx.projectId), eq(evaluationRows.evaluationId, evaluationId));
  const answered = () => ctx.db.$count(evaluationRows, and(ofThis, isNotNull(evaluationRows.after)));
  const args = ["evaluation", ctx.projectId, evaluationId];
  expect(await killRepeatedly({ args, isRunning, progress: answered, withinMs: 40 }, KILLS)).toBeGreaterThan(0);
  const ended = await read();
  expect(ended).toMatchObject({ status: "succeeded", done: ROWS, total: ROWS });
  const { win, tie, loss } = ended.comparison!;
  expect(win + tie + loss).toBe(ROWS);
  const rows = await ctx.db.select().from(evaluationRows).where(ofThis);
  expect(rows.filter(({ after, prompt }) => after?.content !== prompt[0]?.content)).toEqual([]);
  // A kill costs at most the request that its process had not recorded yet.
  expect(trainer.sampled).toBeLessThanOrEqual(ROWS / BATCH + KILLS);
}, 120_000);

test("a worker that is killed repeatedly stores one judgement per question, and asks only those in progress again", async () => {
  const model = await startModel(() => ({ content: '{"reason": "By the day.", "verdict": "right"}' }));
  onTestFinished(model.stop);
  const { ctx } = await testProject();
  await createConnection(ctx, {
    kind: "model",
    name: "Judge",
    baseUrl: model.url,
    secret: "sk-judge",
    settings: { defaultModel: "judge-1" },
  });
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { datasetId: await storedDataset(ctx) }));
  const evaluationId = await storedEvaluation(ctx, checkpointId, { status: "succeeded", finishedAt: 1 });
  const rows = Array.from({ length: 60 }, (_, n) => ({
    projectId: ctx.projectId,
    evaluationId,
    n: n + 1,
    prompt: [{ role: "user", content: `Question ${n}` }],
    reference: `Order ${n} is in Bern.`,
    before: { content: `Bern is where order ${n} is.`, finishReason: "stop" },
    after: { content: `It is in Bern, order ${n}.`, finishReason: "stop" },
    reason: "equally_close",
  }));
  await ctx.db.insert(evaluationRows).values(rows);
  await judgeEvaluation(ctx, { evaluationId, preference: false });
  const judging = async () => (await getEvaluation(ctx, { evaluationId })).evaluation.judging!;
  const ofThis = and(
    eq(evaluationJudgements.projectId, ctx.projectId),
    eq(evaluationJudgements.evaluationId, evaluationId),
  );
  const progress = () => ctx.db.$count(evaluationJudgements, ofThis);
  const isRunning = async () => (await judging()).finishedAt === null;
  const args = ["judging", ctx.projectId, evaluationId];
  const kills = await killRepeatedly({ args, isRunning, progress, withinMs: 40 }, KILLS);
  expect(kills).toBeGreaterThan(0);
  const questions = 2 * rows.length;
  expect(await judging()).toMatchObject({ status: "done", questions, answered: questions, asked: questions });
  const AT_ONCE = 4;
  expect(model.asked.length).toBeLessThanOrEqual(questions + kills * AT_ONCE);
}, 120_000);

test("a worker that is killed repeatedly proves a variant on every row, and asks only questions in progress again", async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
  const model = await startModel(({ system, user }) => ({ content: system === "" ? "I do not know." : user, usage }));
  onTestFinished(model.stop);
  const { ctx } = await testProject();
  const provider = { kind: "model", name: "A provider", baseUrl: model.url, secret: "sk-provider" } as const;
  const { connection } = await createConnection(ctx, provider);
  const datasetId = await storedDataset(ctx);
  const questions = Array.from({ length: 60 }, (_, n) => `Question ${n}`);
  await write(
    ctx,
    datasetId,
    questions.map((question) => creating(question, { split: "test" })),
  );
  const change = { name: "Kind", connectionId: connection.id, model: "gpt-5-mini", systemPrompt: "Be kind." };
  const { variant } = await createVariant(ctx, change);
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, datasetId, maxCost: 1 });
  const read = async () => (await getEvaluation(ctx, { evaluationId: evaluation.id })).evaluation;
  const ofThis = and(eq(evaluationRows.projectId, ctx.projectId), eq(evaluationRows.evaluationId, evaluation.id));
  const progress = () => ctx.db.$count(evaluationRows, and(ofThis, isNotNull(evaluationRows.after)));
  const isRunning = async () => (await read()).finishedAt === null;
  const args = ["evaluation", ctx.projectId, evaluation.id];
  const kills = await killRepeatedly({ args, isRunning, progress, withinMs: 40 }, KILLS);
  expect(kills).toBeGreaterThan(0);
  const ended = await read();
  expect(ended).toMatchObject({ status: "succeeded", done: questions.length, total: questions.length });
  const rows = await ctx.db.select().from(evaluationRows).where(ofThis);
  const answers = rows.map(({ before, after }) => [before?.content, after?.content]);
  expect(answers.toSorted()).toEqual(questions.map((question) => ["I do not know.", question]).toSorted());
  const AT_ONCE = 4;
  expect(model.asked.length).toBeGreaterThanOrEqual(2 * questions.length);
  expect(model.asked.length).toBeLessThanOrEqual(2 * questions.length + kills * AT_ONCE);
  // What a killed process had reserved stays spent, and nothing is forgotten.
  expect(ended.cost).toBeGreaterThanOrEqual(2 * questions.length * (1_000 * 0.25e-6 + 100 * 2e-6) - 1e-9);
  expect(ended.cost).toBeLessThanOrEqual(1);
}, 120_000);
