import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { getCosts } from "@/server/services/costs";
import { compareVersions, createRuleRuns, executeRuleRuns, listFindings } from "@/server/services/diagnostics";
import { countConversations, createFeedback, getConversation, listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest, type TestSpan } from "@/server/services/telemetry/testing";
import { createPrompt, createPromptVersion, listPrompts, promptUsage } from ".";

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const RANGE = { from: TODAY - 7 * DAY_MS, to: TODAY + DAY_MS };
const promptName = "refund";
const refund = (version: number | string) => ({ "gen_ai.prompt.name": promptName, "gen_ai.prompt.version": version });

let spans = 0;
const hex = (length: number) => spans.toString(16).padStart(length, "0");

/** Stores a conversation of one call, and returns the client's id of it. */
async function call(ctx: Ctx, attributes: Record<string, unknown>, { at = TODAY - DAY_MS, model = "gpt-4o" } = {}) {
  const session = `session-${++spans}`;
  const traceId = hex(32);
  const own = { "session.id": session, ...attributes };
  const sent: TestSpan[] = [chatSpan({ traceId, spanId: hex(16), startMs: at + spans, attributes: own }, { model })];
  await ingest(ctx, sent);
  return session;
}

async function project() {
  const { ctx, asKey } = await testProject();
  await createPrompt(ctx, { name: promptName, content: "One" });
  await createPromptVersion(ctx, { promptName, content: "Two" });
  return { ctx, asKey };
}

test("each version has the calls, cost, conversations and feedback of the other pages", async () => {
  const [{ ctx, asKey }, { ctx: other }] = [await project(), await project()];
  const liked = await call(ctx, refund(1));
  const disliked = await call(ctx, refund(2));
  await call(ctx, refund(2), { at: TODAY - 2 * DAY_MS });
  await call(ctx, refund(2), { at: TODAY - 40 * DAY_MS });
  await call(ctx, { "langfuse.observation.prompt.name": promptName, "langfuse.observation.prompt.version": 7 });
  await call(ctx, { "langsmith.metadata.lc_hub_repo": promptName }, { model: "nobody-knows" });
  await call(ctx, { "gen_ai.prompt.name": "another" }, { model: "gpt-4o-mini" });
  await call(ctx, {}, { model: "gpt-4o-mini" });
  await call(other, refund(2));
  await createFeedback(ctx, { conversationId: liked, kind: "thumb", value: "up" });
  await createFeedback(ctx, { conversationId: disliked, kind: "thumb", value: "down" });

  const { versions, sampled } = await promptUsage(ctx, { promptName, ...RANGE });
  expect(sampled).toBe(false);
  const of = (version: string | null) => versions.find((one) => one.version === version)!;
  expect(versions.map(({ version }) => version).sort()).toEqual(["1", "2", "7", null]);
  expect(of("1")).toMatchObject({ calls: 1, conversations: 1, withFeedback: 1, thumbsDown: 0, unpricedCalls: 0 });
  expect(of("2")).toMatchObject({ calls: 2, conversations: 2, withFeedback: 1, thumbsDown: 1, findings: [] });
  expect(of("7")).toMatchObject({ calls: 1, withFeedback: 0 });
  expect(of(null)).toMatchObject({ calls: 1, cost: null, unpricedCalls: 1 });

  const window = { startedAfter: RANGE.from, startedBefore: RANGE.to };
  for (const version of ["1", "2", "7"]) {
    const filter = { prompt: [`${promptName} ${version}`], ...window };
    expect(of(version).conversations).toBe((await countConversations(ctx, filter)).count);
    const { conversations } = await listConversations(ctx, filter);
    expect(of(version).calls).toBe(conversations.reduce((sum, one) => sum + one.modelCallCount, 0));
    expect(of(version).cost).toBeCloseTo(
      conversations.reduce((sum, one) => sum + (one.cost ?? 0), 0),
      12,
    );
  }
  const { costs } = await getCosts(ctx, { ...RANGE, groupBy: "model" });
  expect(costs.rows.find(({ key }) => key === "gpt-4o")!.cost).toBeCloseTo(
    versions.reduce((sum, one) => sum + (one.cost ?? 0), 0),
    12,
  );

  expect((await listPrompts(ctx, {})).prompts[0]?.recentCalls).toEqual({ count: 5, more: false });
  const limited = await promptUsage(asKey("project:data:read"), { promptName, ...RANGE });
  expect(limited.versions.map(({ cost, findings }) => [cost, findings])).toEqual(versions.map(() => [null, null]));
});

test("the Findings of a version are those that occurred in its conversations", async () => {
  const { ctx } = await project();
  const failing = async (version: number) => {
    const session = await call(ctx, refund(version));
    const tool = {
      "session.id": session,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.result": "Error: order not found",
    };
    const traceId = hex(32);
    await ingest(ctx, [
      { traceId, spanId: `f${hex(15)}`, startMs: TODAY - DAY_MS + 60_000, error: "order not found", attributes: tool },
    ]);
    const { conversation } = await getConversation(ctx, { conversationId: session });
    const { runs } = await createRuleRuns(ctx, {
      conversationId: conversation.id,
      lastActivityAt: conversation.lastActivityAt,
    });
    await executeRuleRuns(
      ctx,
      runs.map(({ id }) => id),
    );
  };
  await failing(1);
  await failing(2);
  await failing(2);
  const { findings } = await listFindings(ctx, {});
  const { versions } = await promptUsage(ctx, { promptName, ...RANGE });
  const counts = versions.map(({ version, findings: found }) => [
    version,
    found?.find(({ id }) => id === findings[0]!.id)?.conversations,
  ]);
  expect(Object.fromEntries(counts)).toEqual({ 1: 1, 2: 2 });
  const { comparison } = await compareVersions(ctx, { by: "prompt", baseline: "refund 1", compared: "refund 2" });
  expect([comparison.baseline.conversations, comparison.compared.conversations]).toEqual([1, 2]);
  await ctx.db.execute(sql`update findings set review_status = 'dismissed' where project_id = ${ctx.projectId}`);
  const after = await promptUsage(ctx, { promptName, ...RANGE });
  expect(after.versions.flatMap((one) => one.findings)).toEqual([]);
});

test("a conversation's call says which prompt it was made from", async () => {
  const { ctx } = await project();
  const session = await call(ctx, refund(2), { at: TODAY - HOUR_MS });
  const { conversation } = await getConversation(ctx, { conversationId: session });
  expect(conversation.modelCalls[0]?.prompt).toEqual({ name: promptName, version: "2" });
});
