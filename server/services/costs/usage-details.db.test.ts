import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createModelPrice, estimateModelPrice } from "@/server/services/pricing";
import { foldDailyCosts, getConversation } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { createRepricing, exportCosts, getCosts, previewRepricing } from ".";
import { runToCompletion, storedAndRecomputedCosts } from "./testing";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 86_400_000 };
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
const PRICES = { input_tokens: 0.000001, output_tokens: 0.000002 };

const priced = (ctx: Ctx, prices: Record<string, number>) =>
  createModelPrice(ctx, {
    provider: "external",
    modelName: "acme-1",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { ...PRICES, ...prices } }],
  });

/** Returns a call with the given usage and no other usage attributes. */
const sent = (attributes: Record<string, unknown>, n = 1) =>
  chatSpan(
    { traceId: hex(n, 32), spanId: hex(n, 16), startMs: DAY + n, attributes: { "session.id": "s", ...attributes } },
    { model: "acme-1", tokens: null },
  );
const flat = (figures: Record<string, number>, prefix = "gen_ai.usage.") =>
  Object.fromEntries(Object.entries(figures).map(([name, count]) => [`${prefix}${name}`, count]));
const asObject = (figures: Record<string, number>) => ({
  "langfuse.observation.usage_details": JSON.stringify(figures),
});

const read = async (ctx: Ctx) => (await getConversation(ctx, { conversationId: "s" })).conversation;
const estimateOf = async (ctx: Ctx, usage: Record<string, number> | null) =>
  (await estimateModelPrice(ctx, { model: "acme-1", usage: usage ?? {} })).estimate.cost;

describe("a detail that a definition prices", () => {
  const KNOWN = { input_tokens: 10, output_tokens: 1 };
  test.each<[string, Record<string, unknown>]>([
    ["a usage object", asObject({ input: 10, output: 1, web_searches: 2 })],
    ["a flat name", flat({ ...KNOWN, web_searches: 2 })],
    ["details", { ...flat(KNOWN), "gen_ai.usage.details.web_searches": 2 }],
  ])("costs what the estimate shows when it is sent as %s", async (_, attributes) => {
    const { ctx } = await testProject();
    await priced(ctx, { web_searches: 0.01 });
    await ingest(ctx, [sent(attributes)]);
    const { cost, usage, modelCalls } = await read(ctx);
    expect(cost).toBe(0.020012);
    expect(usage).toEqual({ ...KNOWN, web_searches: 2 });
    expect(modelCalls[0]!.cost).toEqual(await estimateOf(ctx, { ...KNOWN, web_searches: 2 }));
  });

  test("is not also charged as part of its bucket", async () => {
    const { ctx } = await testProject();
    await priced(ctx, { input_audio_tokens: 0.00001 });
    await ingest(ctx, [sent(asObject({ input_tokens: 10, output_tokens: 1, input_audio_tokens: 4 }))]);
    const { cost, usage, modelCalls } = await read(ctx);
    expect(usage).toEqual({ input_tokens: 6, output_tokens: 1, input_audio_tokens: 4 });
    expect(cost).toBe(0.000048);
    expect(modelCalls[0]!.cost).toEqual(await estimateOf(ctx, modelCalls[0]!.usage));
  });

  test("selects the tier with a condition on it", async () => {
    const { ctx } = await testProject();
    await createModelPrice(ctx, {
      provider: "external",
      modelName: "acme-1",
      pricingTiers: [
        { name: "Standard", isDefault: true, priority: 0, prices: PRICES },
        {
          name: "With searches",
          isDefault: false,
          priority: 1,
          conditions: [{ usageDetailPattern: "^web_searches$", operator: "gte", value: 2 }],
          prices: { ...PRICES, input_tokens: 0.1 },
        },
      ],
    });
    await ingest(ctx, [sent(flat({ ...KNOWN, web_searches: 2 }))]);
    expect((await read(ctx)).modelCalls[0]!.cost).toMatchObject({
      tier: { name: "With searches" },
      total: 1.000002,
      unpricedDetails: ["web_searches"],
    });
  });
});

test("a detail without a price is listed and does not affect the total until a repricing finds a price", async () => {
  const { ctx } = await testProject();
  await priced(ctx, {});
  await ingest(ctx, [
    sent(flat({ input_tokens: 10, output_tokens: 1, "audio.input_tokens": 4, "details.web_searches": 2 })),
  ]);
  const before = await read(ctx);
  expect(before.cost).toBe(0.000012);
  expect(before.unpricedCallCount).toBe(0);
  expect(before.modelCalls[0]!.cost).toMatchObject({
    unpriced: [],
    unpricedDetails: ["input_audio_tokens", "web_searches"],
    breakdown: { web_searches: null },
  });

  await priced(ctx, { input_audio_tokens: 0.00001, web_searches: 0.01 });
  expect((await previewRepricing(ctx, RANGE)).preview.total).toMatchObject({ changed: 1, costAfter: 0.020048 });
  const { repricing } = await createRepricing(ctx, RANGE);
  await runToCompletion(ctx, repricing.id);
  const after = await read(ctx);
  expect(after.cost).toBe(0.020048);
  expect(after.modelCalls[0]!.cost).toEqual(await estimateOf(ctx, after.modelCalls[0]!.usage));
});

test("a cost stored without unpriced details reads as having none, and is not repriced for that reason", async () => {
  const { ctx } = await testProject();
  await priced(ctx, {});
  await ingest(ctx, [sent(flat({ input_tokens: 10, output_tokens: 1 }))]);
  await ctx.db.execute(sql`update model_calls set cost = cost - 'unpricedDetails' where project_id = ${ctx.projectId}`);
  expect((await read(ctx)).modelCalls[0]!.cost!.unpricedDetails).toEqual([]);
  expect((await previewRepricing(ctx, RANGE)).preview.total).toMatchObject({ calls: 1, changed: 0 });
});

test("daily costs and exports have every detail, and fractional units add up", async () => {
  const { ctx } = await testProject();
  await priced(ctx, {});
  await ingest(ctx, [
    sent(flat({ input_tokens: 10, output_tokens: 1, audio_seconds: 0.1 }), 1),
    sent(flat({ input_tokens: 10, output_tokens: 1, audio_seconds: 0.2, web_searches: 3 }), 2),
  ]);
  const usage = { input_tokens: 20, output_tokens: 2, audio_seconds: 0.3, web_searches: 3 };
  expect((await read(ctx)).usage).toEqual(usage);
  expect((await getCosts(ctx, RANGE)).costs.total.usage).toEqual(usage);
  const { csv } = await exportCosts(ctx, RANGE);
  expect(csv.text).toContain('"{""web_searches"":3,""audio_seconds"":0.3}"');
  while ((await foldDailyCosts(db())) > 0);
  expect((await getCosts(ctx, RANGE)).costs.total.usage).toEqual(usage);
  const counted = await storedAndRecomputedCosts(ctx);
  expect(counted.stored).toEqual(counted.recomputed);
});

test("a client that sends unlimited detail names does not grow a row without limit", async () => {
  const { ctx } = await testProject();
  const calls = Array.from({ length: 20 }, (_, call) =>
    sent(
      flat({
        input_tokens: 1_000,
        ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`made_up_${call}_${n}`, 1])),
      }),
      call + 1,
    ),
  );
  await ingest(ctx, calls);
  while ((await foldDailyCosts(db())) > 0);
  const { usage } = await read(ctx);
  expect(Object.keys(usage)).toHaveLength(1 + 200);
  const { total } = (await getCosts(ctx, RANGE)).costs;
  expect(Object.keys(total.usage)).toHaveLength(500);
  expect([usage.input_tokens, total.usage.input_tokens]).toEqual([20_000, 20_000]);
});
