import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations, jobEvents, ruleRuns } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { conversationsSelected, ruleRunsQueued } from "@/server/platform/jobs/events";
import { countConversations } from "@/server/services/telemetry";
import { createManyRuleRuns, queueSelected } from "..";
import { RULES } from "../rules";

const START = Date.UTC(2026, 10, 1);

async function store(ctx: Ctx, count: number, { failing = 0 } = {}) {
  const ids = Array.from({ length: count }, (_, at) => `conv_${ctx.projectId}_${at}`);
  await ctx.db.insert(conversations).values(
    ids.map((id, at) => ({
      projectId: ctx.projectId,
      id,
      key: id,
      startedAt: START + at,
      lastActivityAt: START + at,
      receivedAt: START,
      errorCount: at < failing ? 1 : 0,
    })),
  );
  return ids;
}

const runsOf = (ctx: Ctx) => ctx.db.$count(ruleRuns, eq(ruleRuns.projectId, ctx.projectId));
const eventsOf = async (ctx: Ctx, name: string) =>
  (await ctx.db.select().from(jobEvents).where(eq(jobEvents.name, name)))
    .map(({ data }) => data as { projectId: string; conversationIds?: string[]; bulk?: true })
    .filter(({ projectId }) => projectId === ctx.projectId);

test("a few conversations are queued immediately by id or by filter, and another project's are rejected", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const ids = await store(ctx, 5, { failing: 2 });
  const theirs = await store(other, 3, { failing: 3 });
  const { diagnosis } = await createManyRuleRuns(ctx, { filter: { hasErrors: true } });
  const rules = diagnosis.rules;
  expect(rules).toBeLessThanOrEqual(RULES.length);
  expect(diagnosis).toEqual({ conversations: 2, rules, queued: 2 * rules });
  expect((await createManyRuleRuns(ctx, { conversationIds: [...ids, ids[0]!] })).diagnosis).toEqual({
    conversations: 5,
    rules,
    queued: 3 * rules,
  });
  await expect(createManyRuleRuns(ctx, { conversationIds: [ids[0]!, theirs[0]!] })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(createManyRuleRuns(ctx, {})).rejects.toMatchObject({ code: "invalid" });
  expect(await runsOf(ctx)).toBe(5 * rules);
  expect(await runsOf(other)).toBe(0);
});

test("many conversations are queued as bulk by background jobs that can run twice", async () => {
  const { ctx } = await testProject();
  const ids = await store(ctx, 620);
  const { diagnosis } = await createManyRuleRuns(ctx, { filter: {} });
  expect(diagnosis).toMatchObject({ conversations: 620, queued: null });
  expect(await runsOf(ctx)).toBe(0);
  const selected = await eventsOf(ctx, conversationsSelected.name);
  expect(selected.map(({ conversationIds }) => conversationIds!.length).sort()).toEqual([120, 500]);
  await ctx.db
    .delete(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), eq(conversations.id, ids[0]!)));
  for (const { conversationIds } of selected) await queueSelected(ctx, conversationIds!);
  expect(await runsOf(ctx)).toBe(619 * diagnosis.rules);
  for (const { conversationIds } of selected) expect(await queueSelected(ctx, conversationIds!)).toBe(0);
  const queued = await eventsOf(ctx, ruleRunsQueued.name);
  expect(queued.length).toBeGreaterThan(0);
  expect(queued.every(({ bulk }) => bulk === true)).toBe(true);
});

test("conversations that match a filter are counted up to 10,000, and more are rejected", async () => {
  const { ctx } = await testProject();
  await store(ctx, 8, { failing: 3 });
  expect(await countConversations(ctx, { hasErrors: true })).toEqual({ count: 3, more: false });
  expect(await countConversations((await testProject()).ctx, {})).toEqual({ count: 0, more: false });
  const { ctx: large } = await testProject();
  for (let part = 0; part < 5; part++) {
    await large.db.insert(conversations).values(
      Array.from({ length: 2001 }, (_, at) => ({
        projectId: large.projectId,
        id: `conv_${part}_${at}`,
        key: `${part} ${at}`,
        startedAt: START + at,
        lastActivityAt: START + at,
        receivedAt: START,
      })),
    );
  }
  expect(await countConversations(large, {})).toEqual({ count: 10_000, more: true });
  await expect(createManyRuleRuns(large, { filter: {} })).rejects.toMatchObject({ code: "unprocessable" });
});
