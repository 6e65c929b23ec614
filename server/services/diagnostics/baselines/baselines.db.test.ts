import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { callBaselines } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { findConversation } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { createRuleRuns, deleteBaselinesBefore, executeRuleRuns, listFindings, listRuleRuns, updateRule } from "..";

const DAY = Date.UTC(2026, 9, 20);
const NOON = DAY + DAY_MS / 2;
let calls = 0;

/** One model call in its own conversation. */
function call(startMs: number, durationMs: number, tokens: [number, number], model = "gpt-4o") {
  const id = (++calls).toString(16);
  const ids = { traceId: id.padStart(32, "0"), spanId: id.padStart(16, "0") };
  const span = { ...ids, startMs, durationMs, attributes: { "gen_ai.conversation.id": `call-${calls}` } };
  return { id: `call-${calls}`, span: chatSpan(span, { model, tokens }) };
}
/** Sixty calls on the day before, each of about a second and $0.00045. */
const usual = (of = 60) =>
  Array.from({ length: of }, (_, at) => call(DAY - DAY_MS / 2 + at * 60_000, 900 + at * 5, [100, 20]).span);
const SLOW: [number, [number, number]] = [60_000, [100, 20]];
const COSTLY: [number, [number, number]] = [1_000, [400_000, 2_000]];

async function diagnose(ctx: Ctx, externalId: string) {
  const { id, lastActivityAt } = await findConversation(ctx, externalId);
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  return runs;
}
const signals = async (ctx: Ctx) =>
  (await listFindings(ctx, { ruleId: "provider-health" })).findings.map(({ signal }) => signal).sort();

/** Reports every match, because no confidence has been measured for these Signals. */
const withoutThreshold = async (ctx: Ctx) => {
  await updateRule(ctx, {
    ruleId: "provider-health",
    configuration: { minDiagnosticConfidence: 0, minSignalScore: 0 },
  });
};

test("slow and costly conversations are detected against the project's calls before their day", async () => {
  const { ctx } = await testProject();
  await withoutThreshold(ctx);
  const [slow, costly, normal] = [call(NOON, ...SLOW), call(NOON, ...COSTLY), call(NOON, 1000, [100, 20])];
  await ingest(ctx, [...usual(), slow.span, costly.span, normal.span]);
  await diagnose(ctx, normal.id);
  expect(await signals(ctx)).toEqual([]);
  await diagnose(ctx, slow.id);
  await diagnose(ctx, costly.id);
  expect(await signals(ctx)).toEqual(["cost_spike", "slow_response"]);
});

test("another project's calls do not count towards a baseline", async () => {
  const [one, other] = [await testProject(), await testProject()];
  await withoutThreshold(other.ctx);
  await ingest(one.ctx, usual());
  const slow = call(NOON, ...SLOW);
  await ingest(other.ctx, [...usual(40), slow.span]);
  await diagnose(other.ctx, slow.id);
  expect(await signals(other.ctx)).toEqual([]);
  const rows = await one.ctx.db.select().from(callBaselines).where(eq(callBaselines.projectId, other.ctx.projectId));
  expect(rows).toMatchObject([{ day: DAY, models: [], conversationCost: null }]);
});

test("a day's baseline stays as first computed, so that a repeated Run returns the same result", async () => {
  const { ctx } = await testProject();
  await withoutThreshold(ctx);
  const slow = call(NOON, ...SLOW);
  await ingest(ctx, [...usual(), slow.span]);
  await diagnose(ctx, slow.id);
  const before = await ctx.db.select().from(callBaselines).where(eq(callBaselines.projectId, ctx.projectId));
  // A hundred slow calls of the day before arrive late, so that a minute is usual by the next day.
  const late = Array.from({ length: 100 }, (_, at) => call(DAY - at * 1000 - 90_000, 60_000, [100, 20]).span);
  await ingest(ctx, late);
  await updateRule(ctx, { ruleId: "provider-health", configuration: { keywords: ["nothing"] } });
  await diagnose(ctx, slow.id);
  expect(await signals(ctx)).toEqual(["slow_response"]);
  expect(await ctx.db.select().from(callBaselines).where(eq(callBaselines.projectId, ctx.projectId))).toEqual(before);

  const next = call(NOON + DAY_MS, ...SLOW);
  await ingest(ctx, [next.span]);
  await diagnose(ctx, next.id);
  const { runs } = await listRuleRuns(ctx, { conversationId: next.id, ruleId: "provider-health" });
  expect(runs).toMatchObject([{ status: "completed", resultCount: 0 }]);
});

test("a Run of an earlier snapshot uses the costs of its calls", async () => {
  const { ctx } = await testProject();
  await withoutThreshold(ctx);
  const costly = call(NOON, ...COSTLY);
  const later = chatSpan(
    {
      traceId: "f".repeat(32),
      spanId: "f".repeat(16),
      startMs: NOON + 60_000,
      durationMs: 1000,
      attributes: { "gen_ai.conversation.id": costly.id },
    },
    { tokens: null },
  );
  await ingest(ctx, [...usual(), costly.span, later]);
  const { id } = await findConversation(ctx, costly.id);
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt: NOON + 2000 });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  expect(await signals(ctx)).toEqual(["cost_spike"]);
});

test("baselines of days before the given time are deleted, and later ones and other projects' are kept", async () => {
  const [one, other] = [await testProject(), await testProject()];
  for (const { ctx } of [one, other]) {
    const calls = [call(NOON, 1000, [1, 1]), call(NOON + DAY_MS, 1000, [1, 1])];
    await ingest(
      ctx,
      calls.map(({ span }) => span),
    );
    for (const { id } of calls) await diagnose(ctx, id);
  }
  await deleteBaselinesBefore(one.ctx, DAY + 1);
  const daysOf = async ({ ctx }: typeof one) =>
    (await ctx.db.select().from(callBaselines).where(eq(callBaselines.projectId, ctx.projectId)))
      .map(({ day }) => day)
      .sort();
  expect(await daysOf(one)).toEqual([DAY + DAY_MS]);
  expect(await daysOf(other)).toEqual([DAY, DAY + DAY_MS]);
});
