import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { ruleRuns } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { createFeedback } from "@/server/services/telemetry";
import { storedConversation } from "../testing";
import { compareEvaluator } from "./compare-evaluator";
import { listEvaluators } from "./list-evaluators";
import { updateEvaluator } from "./update-evaluator";

type Judged = { name?: string; value: number | string; found?: boolean | null };

/** Stores a conversation with a result of an evaluator and a Run of the Rule, if `found` says what it found. */
async function judged(ctx: Ctx, { name = "relevance", value, found = null }: Judged) {
  const { id, lastActivityAt } = await storedConversation(ctx, [{ role: "user", text: "Where is my order?" }]);
  const kind = typeof value === "number" ? "score" : "comment";
  await createFeedback(ctx, { conversationId: id, kind, value, name, evaluatorKind: "model" });
  if (found !== null) await ran(ctx, id, { lastActivityAt, resultCount: found ? 1 : 0 });
  return id;
}

const ran = (ctx: Ctx, conversationId: string, run: Partial<typeof ruleRuns.$inferInsert>) =>
  ctx.db.insert(ruleRuns).values({
    projectId: ctx.projectId,
    id: newId("run"),
    ruleId: "tool-failure",
    ruleVersion: 1,
    conversationId,
    lastActivityAt: 1,
    origin: "automatic",
    status: "completed",
    ...run,
  });

const compare = async (ctx: Ctx, name = "relevance") => (await compareEvaluator(ctx, { name })).comparison;

test("evaluators are listed with the range and the labels of their results, without what users said", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  const id = await judged(ctx, { value: 0.25 });
  await judged(ctx, { value: 0.75 });
  for (const label of ["factual", "hallucinated", "factual"])
    await judged(ctx, { name: "hallucination", value: label });
  await createFeedback(ctx, { conversationId: id, kind: "thumb", value: "down", name: "thumbs" });
  await judged(other, { name: "theirs", value: 1 });

  expect((await listEvaluators(ctx, {})).evaluators).toMatchObject([
    { name: "hallucination", results: 3, lowest: null, highest: null, labels: ["factual", "hallucinated"] },
    { name: "relevance", evaluatorKind: "model", results: 2, lowest: 0.25, highest: 0.75, labels: [], failsWhen: null },
  ]);
});

test("an evaluator is compared with a Rule over the conversations that both judged", async () => {
  const { ctx } = await testProject();
  for (const [count, value, found] of [
    [4, 0.1, true],
    [2, 0.1, false],
    [1, 0.9, true],
    [3, 0.9, false],
    // Not read by the Rule.
    [5, 0.1, null],
  ] as const) {
    for (let n = 0; n < count; n++) await judged(ctx, { value, found });
  }
  expect(await compare(ctx)).toMatchObject({ failsWhen: null, conversations: 0, rules: [] });

  await updateEvaluator(ctx, { name: "relevance", failsWhen: { below: 0.5 } });
  const { rules, ...whole } = await compare(ctx);
  expect(whole).toMatchObject({ failsWhen: { below: 0.5 }, conversations: 15, failed: 11, sampled: false });
  expect(rules).toMatchObject([
    {
      rule: { id: "tool-failure" },
      ...{ conversations: 10, both: 4, onlyEvaluator: 2, onlyRule: 1, neither: 3 },
      agreement: 0.7,
      kappa: { value: expect.closeTo(0.4, 6) },
    },
  ]);

  await updateEvaluator(ctx, { name: "relevance", failsWhen: { above: 0.5 } });
  expect((await compare(ctx)).rules).toMatchObject([{ both: 1, onlyEvaluator: 3, onlyRule: 4, neither: 2 }]);
});

test("the conversations that an evaluator faults and no Rule found anything in are named, the newest first", async () => {
  const { ctx } = await testProject();
  const missed = [await judged(ctx, { value: "bad", found: false }), await judged(ctx, { value: "bad", found: false })];
  const found = await judged(ctx, { value: "bad", found: false });
  await ran(ctx, found, { ruleId: "user-correction", resultCount: 2 });
  await judged(ctx, { value: "good", found: false });
  await updateEvaluator(ctx, { name: "relevance", failsWhen: { labels: ["bad"] } });

  expect((await compare(ctx)).missed).toEqual({ count: 2, conversationIds: missed.reverse() });
});

test("a Rule says what its newest version found, and what somebody ran by hand does not count", async () => {
  const { ctx } = await testProject();
  const id = await judged(ctx, { value: 0.1, found: true });
  await ran(ctx, id, { ruleVersion: 2, resultCount: 0 });
  await ran(ctx, id, { ruleVersion: 3, origin: "on_demand", resultCount: 1 });
  await updateEvaluator(ctx, { name: "relevance", failsWhen: { below: 0.5 } });

  expect((await compare(ctx)).rules).toMatchObject([{ conversations: 1, both: 0, onlyEvaluator: 1 }]);
});

test("another project's evaluator does not exist, and what is said of one of the same name stays its own", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  await judged(ctx, { value: 0.1, found: true });
  await updateEvaluator(ctx, { name: "relevance", failsWhen: { below: 0.5 } });
  for (const asked of [
    () => compareEvaluator(other, { name: "relevance" }),
    () => updateEvaluator(other, { name: "relevance", failsWhen: { above: 0 } }),
  ]) {
    await expect(asked()).rejects.toMatchObject({ code: "not_found" });
  }
  await judged(other, { value: 0.1 });
  await updateEvaluator(other, { name: "relevance", failsWhen: { above: 0.5 } });
  expect((await compare(ctx)).failsWhen).toEqual({ below: 0.5 });
  expect(await compare(other)).toMatchObject({ failsWhen: { above: 0.5 }, conversations: 1, failed: 0, rules: [] });

  await updateEvaluator(ctx, { name: "relevance", failsWhen: null });
  expect((await listEvaluators(ctx, {})).evaluators).toMatchObject([{ failsWhen: null }]);
});

test("the newest results are listed and compared, however many there are", async () => {
  const { ctx } = await testProject();
  await ctx.db.execute(sql`
    insert into feedback (project_id, id, kind, name, value, given_by_user, source, identity, given_at)
    select ${ctx.projectId}, 'f' || n, 'score', 'evaluator ' || n % 3, to_jsonb(n), false, 'otlp', 'i' || n, n
    from generate_series(1, 6000) n`);
  await ctx.db.execute(sql`
    insert into conversations (project_id, id, key, models, traits, started_at, last_activity_at, received_at)
    select ${ctx.projectId}, 'c' || n, 'c' || n, '{}', '{}', n, n, n from generate_series(1, 5001) n`);
  await ctx.db.execute(sql`
    insert into feedback (project_id, id, conversation_id, kind, name, value, given_by_user, source, identity, given_at)
    select ${ctx.projectId}, 'many' || n, 'c' || n, 'score', 'many', to_jsonb(n), false, 'otlp', 'many' || n, n
    from generate_series(1, 5001) n`);
  const { evaluators } = await listEvaluators(ctx, {});
  expect(evaluators).toMatchObject(
    [...[0, 1, 2].map((n) => `evaluator ${n}`), "many"].map((name) => ({ name, results: 1000 })),
  );
  expect(Math.min(...evaluators.slice(0, 3).map(({ lowest }) => lowest!))).toBe(3001);
  await updateEvaluator(ctx, { name: "many", failsWhen: { below: 10 } });
  expect(await compare(ctx, "many")).toMatchObject({ sampled: true, conversations: 5000, failed: 8 });
});
