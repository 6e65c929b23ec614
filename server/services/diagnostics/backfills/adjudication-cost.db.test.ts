import { beforeEach, expect, test } from "vitest";
import { databaseNow } from "@/db/database-now";
import { adjudications, adjudicatorUsage } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";
import { createModelPrice } from "@/server/services/pricing";
import { createRuleRuns, executeRuleRuns, previewBackfill, updateRule } from "..";
import { storedConversation } from "../testing";

const START = Date.UTC(2020, 0, 1);
const ALL = { ruleId: "tool-failure", startMs: START, endMs: Date.UTC(2040, 0, 1), maxConversations: 1_000 };
const PRICES = { input_tokens: 0.000_005, output_tokens: 0.000_01 };

/** Of the stored conversations, one in four leaves one question. */
const healthy = (n: number) => [
  { role: "user", text: `Hello, number ${n}` },
  { role: "assistant", text: "Hello!" },
];
const unsure = (n: number) => [
  { role: "user", text: `How fast is line ${n}?` },
  { role: "assistant", text: "", toolCalls: [{ id: "call_1", name: "run_speed_test", arguments: "{}" }] },
  { role: "tool", text: "Speed test failed: No Connection.", toolCallId: "call_1" },
];

let ctx: Ctx;
beforeEach(async () => {
  ({ ctx } = await testProject());
  for (let n = 0; n < 8; n++) await storedConversation(ctx, n % 4 === 0 ? unsure(n) : healthy(n));
});

const auto = () => updateRule(ctx, { ruleId: "tool-failure", configuration: { adjudicationMode: "auto" } });
const connect = async (settings: object = {}) =>
  (
    await createConnection(ctx, {
      kind: "model",
      name: "Adjudicator",
      baseUrl: "https://models.example.com/v1",
      settings: { defaultModel: "judge-1", ...settings },
    })
  ).connection;
const price = () =>
  createModelPrice(ctx, {
    provider: "external",
    modelName: "judge-1",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: PRICES }],
  });
const preview = async () => (await previewBackfill(ctx, ALL)).preview;

const VERDICT = { verdict: "no_match", quotes: [], reason: "The tool works.", confidence: 0.9 };

/** Stores answers as if the model had answered `count` times with these tokens. */
async function answered(count: number, input: number, output: number, answer: object = VERDICT) {
  const { id: conversationId } = await storedConversation(ctx, healthy(99));
  await ctx.db.insert(adjudications).values(
    Array.from({ length: count }, (_, n) => ({
      projectId: ctx.projectId,
      id: `earlier ${n} ${input}`,
      conversationId,
      answer,
      model: "judge-1",
      inputTokens: input,
      outputTokens: output,
    })),
  );
}

test("a Rule without adjudication costs nothing, and otherwise the preview explains why the cost is unknown", async () => {
  expect(await preview()).toMatchObject({ adjudicationCost: 0, adjudication: { reason: "deterministic-only" } });
  await auto();
  expect(await preview()).toMatchObject({ adjudicationCost: null, adjudication: { reason: "no-adjudicator" } });
  await connect({ defaultModel: null });
  expect(await preview()).toMatchObject({ adjudicationCost: null, adjudication: { reason: "no-model" } });
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { adjudicationModel: "nobodys-model" } });
  expect(await preview()).toMatchObject({
    adjudicationCost: null,
    adjudication: { reason: "no-price", model: "nobodys-model", questions: 2, cost: null, conversationsSampled: 8 },
  });
});

test("questions are counted on a sample, and priced with the tokens of the model's past answers in this project", async () => {
  await auto();
  await connect();
  await price();
  const first = await preview();
  expect(first.adjudication).toMatchObject({
    reason: null,
    model: "judge-1",
    conversationsSampled: 8,
    questions: 2,
    questionsAllowed: 2,
    limitedBy: null,
    tokensFrom: "estimate",
  });
  const { input, output } = first.adjudication.tokensPerQuestion!;
  expect(input).toBeGreaterThan(300);
  expect(input).toBeLessThan(1_000);
  expect(first.adjudicationCost).toBeCloseTo(2 * (input * PRICES.input_tokens + output * PRICES.output_tokens), 12);

  await answered(10, 800, 120);
  // What the model wrote for a Dataset says nothing about the tokens of a question.
  await answered(10, 5_000, 900, { answer: "It arrives on Friday." });
  expect(await preview()).toMatchObject({
    adjudicationCost: 2 * (800 * 0.000_005 + 120 * 0.000_01),
    adjudication: { tokensFrom: "project", tokensPerQuestion: { input: 800, output: 120 } },
  });
  const other = await testProject();
  expect((await previewBackfill(other.ctx, ALL)).preview.adjudication.tokensFrom).toBeNull();
});

test("the cost excludes questions beyond the day's budget", async () => {
  await auto();
  const { id } = await connect({ dailyUsd: 0.01 });
  await price();
  await answered(10, 800, 120);
  const perQuestion = 0.0052;
  expect(await preview()).toMatchObject({
    adjudicationCost: perQuestion,
    adjudication: { questions: 2, questionsAllowed: 1, limitedBy: "usd", cost: 2 * perQuestion },
  });
  const day = Math.floor((await databaseNow(ctx.db)) / 86_400_000);
  await ctx.db
    .insert(adjudicatorUsage)
    .values({ projectId: ctx.projectId, id, day, calls: 1, tokens: 10, usd: "0.009" });
  expect(await preview()).toMatchObject({
    adjudicationCost: 0,
    adjudication: { questionsAllowed: 0, limitedBy: "usd" },
  });
});

test("the number of questions excludes conversations that would be skipped", async () => {
  await auto();
  await connect();
  await price();
  const { id, lastActivityAt } = await storedConversation(ctx, unsure(100));
  const before = (await preview()).adjudication;
  expect(before).toMatchObject({ conversationsSampled: 9, questions: 3 });
  // The endpoint cannot be reached, so the Run completes without an answer; the question still counts as having a Run.
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  expect((await preview()).adjudication).toMatchObject({ conversationsSampled: 8, questions: 2 });
});
