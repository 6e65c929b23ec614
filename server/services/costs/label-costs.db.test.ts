import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { deleteConversation } from "@/server/services/deletion";
import { createModelPrice } from "@/server/services/pricing";
import { conversationFacets, foldDailyCosts, getConversation, listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest, type TestSpan } from "@/server/services/telemetry/testing";
import { createRepricing, exportCosts, getCosts, previewRepricing, undoRepricing } from ".";
import { runToCompletion, storedAndRecomputedCosts } from "./testing";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 2 * DAY_MS };
/** Cost of `call`: 100 input and 20 output tokens of gpt-4o. */
const CALL = 0.00045;
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

let spans = 0;
type Sent = { tags?: string[]; session?: string; trace?: number; day?: number; model?: string };

/** Returns a call in a new trace, or in `trace`. */
function call({ tags, session, trace, day = DAY, model = "gpt-4o" }: Sent): TestSpan {
  const n = ++spans;
  const attributes = {
    ...(tags && { "langfuse.trace.tags": tags }),
    ...(session !== undefined && { "session.id": session }),
  };
  return chatSpan({ traceId: hex(trace ?? n, 32), spanId: hex(n, 16), startMs: day + n, attributes }, { model });
}

const byLabel = async (ctx: Ctx, range = RANGE) => (await getCosts(ctx, { ...range, groupBy: "label" })).costs;
const callsByLabel = async (ctx: Ctx) => (await byLabel(ctx)).rows.map(({ key, calls }) => [key, calls]);
const idOf = async (ctx: Ctx, externalId: string) =>
  (await getConversation(ctx, { conversationId: externalId })).conversation.id;

async function addsUp(ctx: Ctx) {
  const { stored, recomputed } = await storedAndRecomputedCosts(ctx);
  expect(stored).toEqual(recomputed);
}

test("a call counts in each label of its conversation and once in the totals, and other projects' calls do not", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await ingest(ctx, [
    call({ session: "a", tags: ["web", "beta"] }),
    call({ session: "a", day: DAY + DAY_MS }),
    call({ session: "b", tags: ["web"], model: "nobody-knows" }),
    call({ session: "c" }),
  ]);
  await ingest(theirs.ctx, [call({ session: "a", tags: ["web", "secret"] })]);
  for (const folded of [false, true]) {
    if (folded) while ((await foldDailyCosts(db())) > 0);
    const costs = await byLabel(ctx);
    expect(costs.rows).toMatchObject([
      { key: "web", calls: 3, unpricedCalls: 1, cost: 2 * CALL, usage: { input_tokens: 300, output_tokens: 60 } },
      { key: "beta", calls: 2, unpricedCalls: 0, cost: 2 * CALL, usage: { input_tokens: 200, output_tokens: 40 } },
      { key: null, calls: 1, unpricedCalls: 0, cost: CALL },
    ]);
    expect(costs.series).toEqual([
      { key: "web", others: false, values: [CALL, CALL], unpricedCalls: [1, 0] },
      { key: "beta", others: false, values: [CALL, CALL], unpricedCalls: [0, 0] },
      { key: null, others: false, values: [CALL, null], unpricedCalls: [0, 0] },
    ]);
    expect(costs.totals).toEqual([2 * CALL, CALL]);
    expect(costs.total).toMatchObject({ calls: 4, unpricedCalls: 1, usage: { input_tokens: 400, output_tokens: 80 } });
    const { costs: byModel } = await getCosts(ctx, RANGE);
    expect({ totals: byModel.totals, total: byModel.total }).toEqual({ totals: costs.totals, total: costs.total });
    await addsUp(ctx);
    await addsUp(theirs.ctx);
  }
});

test("conversations have labels, and can be filtered and counted by them", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await ingest(ctx, [
    call({ session: "a", tags: ["web", "beta", " web "] }),
    call({ session: "b", tags: ["web"] }),
    call({ session: "c" }),
  ]);
  await ingest(theirs.ctx, [call({ session: "a", tags: ["beta"] })]);
  expect((await getConversation(ctx, { conversationId: "a" })).conversation.labels).toEqual(["beta", "web"]);
  expect((await getConversation(ctx, { conversationId: "c" })).conversation.labels).toEqual([]);
  const found = async (label: string, more = {}) =>
    (await listConversations(ctx, { label, ...more })).conversations.map(({ externalId }) => externalId);
  expect(await found("web")).toEqual(["b", "a"]);
  expect(await found("beta")).toEqual(["a"]);
  expect(await found("Beta")).toEqual([]);
  expect(await found("web", { externalId: "b" })).toEqual(["b"]);
  expect(await found("beta", { externalId: "b" })).toEqual([]);
  expect((await conversationFacets(ctx, {})).facets.labels).toEqual([
    { value: "web", count: 2 },
    { value: "beta", count: 1 },
  ]);
});

test("a late label applies to all earlier calls", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", trace: 900 }), call({ session: "a", day: DAY + DAY_MS })]);
  expect(await callsByLabel(ctx)).toEqual([[null, 2]]);
  await ingest(ctx, [
    { spanId: hex(0xabc, 16), traceId: hex(900, 32), startMs: DAY + 5, attributes: { "tag.tags": '["late"]' } },
  ]);
  expect(await callsByLabel(ctx)).toEqual([["late", 2]]);
  expect((await listConversations(ctx, { label: "late" })).conversations).toHaveLength(1);
  await addsUp(ctx);
});

test("merged conversations have the labels of both", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] }), call({ trace: 901, tags: ["voice"] })]);
  expect(await callsByLabel(ctx)).toEqual([
    ["voice", 1],
    ["web", 1],
  ]);
  // A conversation id that assigns the trace to the other conversation.
  await ingest(ctx, [
    { spanId: hex(0xabd, 16), traceId: hex(901, 32), startMs: DAY, attributes: { "session.id": "a" } },
  ]);
  expect((await getConversation(ctx, { conversationId: "a" })).conversation.labels).toEqual(["voice", "web"]);
  expect(await callsByLabel(ctx)).toEqual([
    ["voice", 2],
    ["web", 2],
  ]);
  await addsUp(ctx);
});

test("deleted calls are removed from the costs of their labels, and unused labels disappear", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web", "ann"] }), call({ session: "b", tags: ["web"] })]);
  await foldDailyCosts(db());
  await deleteConversation(ctx, { conversationId: await idOf(ctx, "a") });
  expect(await callsByLabel(ctx)).toEqual([["web", 1]]);
  await addsUp(ctx);
  while ((await foldDailyCosts(db())) > 0);
  const { csv } = await exportCosts(ctx, { ...RANGE, groupBy: "label" });
  expect(csv.text).not.toContain("ann");
  const rows = await db().execute(
    sql`select label, calls::int from daily_label_costs where project_id = ${ctx.projectId}`,
  );
  expect([...rows]).toEqual([{ label: "web", calls: 1 }]);
});

test("a repricing and its undo update the costs of labels", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web", "beta"], model: "acme-1" }), call({ model: "acme-1" })]);
  await createModelPrice(ctx, {
    provider: "external",
    modelName: "acme-1",
    pricingTiers: [
      { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 0.01, output_tokens: 0 } },
    ],
  });
  expect((await byLabel(ctx)).rows.map(({ cost }) => cost)).toEqual([null, null, null]);
  const { preview } = await previewRepricing(ctx, RANGE);
  const { repricing } = await createRepricing(ctx, { ...RANGE, pricesVersion: preview.pricesVersion });
  await runToCompletion(ctx, repricing.id);
  expect((await byLabel(ctx)).rows.map(({ key, cost }) => [key, cost])).toEqual([
    [null, 1],
    ["beta", 1],
    ["web", 1],
  ]);
  expect((await byLabel(ctx)).total.cost).toBe(2);
  await addsUp(ctx);
  await undoRepricing(ctx, { repricingId: repricing.id });
  await runToCompletion(ctx, repricing.id);
  expect((await byLabel(ctx)).rows.map(({ cost }) => cost)).toEqual([null, null, null]);
  await addsUp(ctx);
});

test("the export by label has a row per day and label", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["=web,1", "beta"] }), call({ day: DAY + DAY_MS })]);
  const { csv } = await exportCosts(ctx, { ...RANGE, groupBy: "label" });
  expect(csv).toMatchObject({ fileName: "costs-by-label-2026-11-01-2026-11-02.csv", rows: 3, complete: true });
  expect(csv.text.split("\r\n")).toEqual([
    "day,label,calls,unpriced_calls,cost_usd,cost_complete,input_tokens,cache_read_input_tokens,cache_creation_input_tokens,output_tokens,reasoning_output_tokens,other_usage",
    `2026-11-01,"'=web,1",1,0,0.00045,true,100,0,0,20,0,`,
    "2026-11-01,beta,1,0,0.00045,true,100,0,0,20,0,",
    "2026-11-02,,1,0,0.00045,true,100,0,0,20,0,",
    "",
  ]);
});
