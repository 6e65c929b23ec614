import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { DAY_MS } from "@/server/platform/durations";
import { createModelPrice } from "@/server/services/pricing";
import { foldDailyCosts } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { downloadCosts, exportCosts, getCosts, previewModelPattern, priceUsage } from ".";
import { storedAndRecomputedCosts } from "./testing";

const DAY = Date.UTC(2026, 10, 1);
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

let spans = 0;
const call = (model: string, { day = DAY, tokens = [100, 20] as [number, number], attributes = {} } = {}) => {
  const n = ++spans;
  return chatSpan({ traceId: hex(n, 32), spanId: hex(n, 16), startMs: day + n, attributes }, { model, tokens });
};

test("costs by day and group are exact, count unknown ones separately, include every day and exclude other projects", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await createModelPrice(ctx, {
    provider: "external",
    modelName: "acme-1",
    pricingTiers: [
      { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 0.1, output_tokens: 0.2 } },
    ],
  });
  await ingest(ctx, [
    call("gpt-4o"),
    call("gpt-4o", { day: DAY + 2 * DAY_MS }),
    call("acme-1", { tokens: [1, 1] }),
    call("acme-1", { tokens: [2, 0] }),
    call("nobody-knows"),
  ]);
  await ingest(theirs.ctx, [call("gpt-4o")]);
  const range = { from: DAY + 5, to: DAY + 2 * DAY_MS + 5 };
  for (const folded of [false, true]) {
    if (folded) while ((await foldDailyCosts(db())) > 0);
    const { costs } = await getCosts(ctx, range);
    expect(costs).toMatchObject({ from: DAY, to: DAY + 3 * DAY_MS, days: [DAY, DAY + DAY_MS, DAY + 2 * DAY_MS] });
    expect(costs.series).toEqual([
      { key: "acme-1", others: false, values: [0.5, null, null], unpricedCalls: [0, 0, 0] },
      { key: "gpt-4o", others: false, values: [0.00045, null, 0.00045], unpricedCalls: [0, 0, 0] },
      { key: "nobody-knows", others: false, values: [null, null, null], unpricedCalls: [1, 0, 0] },
    ]);
    expect(costs.rows).toEqual([
      {
        key: "acme-1",
        calls: 2,
        unpricedCalls: 0,
        cost: 0.5,
        exactCost: "0.5",
        costComplete: true,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
      {
        key: "gpt-4o",
        calls: 2,
        unpricedCalls: 0,
        cost: 0.0009,
        exactCost: "0.0009",
        costComplete: true,
        usage: { input_tokens: 200, output_tokens: 40 },
      },
      {
        key: "nobody-knows",
        calls: 1,
        unpricedCalls: 1,
        cost: null,
        exactCost: null,
        costComplete: false,
        usage: { input_tokens: 100, output_tokens: 20 },
      },
    ]);
    expect(costs.total).toMatchObject({ calls: 5, unpricedCalls: 1, exactCost: "0.5009", costComplete: false });
    expect(costs).toMatchObject({ totals: [0.50045, null, 0.00045], totalsUnpricedCalls: [1, 0, 0] });
    expect((await getCosts(ctx, { ...range, groupBy: "vendor" })).costs.rows.map(({ key }) => key)).toEqual([
      "external",
      "openai",
      null,
    ]);
    const { costs: few } = await getCosts(ctx, { ...range, top: 1 });
    expect(few.series).toEqual([
      { key: "acme-1", others: false, values: [0.5, null, null], unpricedCalls: [0, 0, 0] },
      { key: null, others: true, values: [0.00045, null, 0.00045], unpricedCalls: [1, 0, 0] },
    ]);
    const { stored, recomputed } = await storedAndRecomputedCosts(ctx);
    expect(stored).toEqual(recomputed);
  }
  const rows = await db().execute(sql`select 1 from daily_costs where project_id = ${ctx.projectId}`);
  expect(rows.length).toBe(4); // two days of gpt-4o
  expect((await getCosts(ctx, { from: 0, to: 1 })).costs.total).toMatchObject({ calls: 0, cost: null });
  await expect(getCosts(ctx, { from: 2, to: 1 })).rejects.toMatchObject({ errors: [{ path: "/to" }] });
  await expect(exportCosts(ctx, { from: 0, to: Date.now() * 2 })).rejects.toMatchObject({ code: "unprocessable" });
});

test("the export has every digit, a row per day, and no formulas", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [
    call('=cmd|"/c calc"'),
    call("gpt-4o", { attributes: { "gen_ai.usage.cache_read.input_tokens": 50 } }),
  ]);
  const { csv } = await exportCosts(ctx, { from: DAY, to: DAY + DAY_MS });
  expect(csv).toMatchObject({ fileName: "costs-2026-11-01-2026-11-01.csv", rows: 2, complete: true });
  expect(await downloadCosts(ctx, { from: DAY, to: DAY + DAY_MS })).toEqual({
    mediaType: "text/csv",
    fileName: csv.fileName,
    body: csv.text,
  });
  const lines = csv.text.split("\r\n");
  expect(lines[0]).toBe(
    "day,model,provider,vendor,model_price_id,calls,unpriced_calls,cost_usd,cost_complete,input_tokens,cache_read_input_tokens,cache_creation_input_tokens,output_tokens,reasoning_output_tokens,other_usage",
  );
  expect(lines[1]).toBe(`2026-11-01,"'=cmd|""/c calc""",openai,,,1,1,,false,100,0,0,20,0,`);
  expect(lines[2]).toBe("2026-11-01,gpt-4o,openai,openai,openai:gpt-4o,1,0,0.0003875,true,50,50,0,20,0,");
});

test("prices have recent costs, and models without a price are listed with the definition that matches them now", async () => {
  const { ctx } = await testProject();
  const now = Date.now();
  await ingest(ctx, [
    call("gpt-4o", { day: now - 1000 }),
    call("acme-7", { day: now - 1000 }),
    call("acme-7", { day: now - 2 * DAY_MS }),
    call("acme-8", { day: now - 1000 }),
    call("gpt-4o", { day: now - 40 * DAY_MS }),
  ]);
  await createModelPrice(ctx, {
    provider: "external",
    modelName: "acme-8",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1 } }],
  });
  const used = await priceUsage(ctx, {});
  expect(used.prices).toMatchObject([{ modelPriceId: "openai:gpt-4o", calls: 1, cost: 0.00045 }]);
  expect(used.unpriced).toMatchObject([
    { model: "acme-7", provider: "openai", calls: 2, unpricedCalls: 2, modelPriceId: null },
    { model: "acme-8", unpricedCalls: 1, modelPriceId: expect.stringMatching(/^mp_/) },
  ]);
});

test("a pattern preview lists matching names and the definitions with precedence", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const day = Date.now() - 5000;
  await ingest(
    ctx,
    ["acme-1", "acme-2", "acme-2", "gpt-4o", "other"].map((model) => call(model, { day })),
  );
  await ingest(theirs.ctx, [call("acme-9", { day })]);
  const { model } = await createModelPrice(ctx, {
    provider: "external",
    modelName: "acme-1",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1 } }],
  });
  const preview = async (input: Parameters<typeof previewModelPattern>[1]) =>
    (await previewModelPattern(ctx, input)).preview;
  const { seen, models } = await preview({ matchPattern: "^(acme|gpt)-.*" });
  expect(seen).toBe(4);
  expect(models.map(({ model, calls, pricedBy, wins }) => [model, calls, pricedBy, wins])).toEqual([
    ["acme-2", 2, null, true],
    ["acme-1", 1, model.id, false],
    // The calls name OpenAI, whose own definition goes first.
    ["gpt-4o", 1, "openai:gpt-4o", false],
  ]);
  // Replacing the definition itself.
  const own = await preview({ matchPattern: "^acme-\\d$", modelPriceId: model.id });
  expect(own.models.map(({ model, wins }) => [model, wins])).toEqual([
    ["acme-2", true],
    ["acme-1", true],
  ]);
  // A vendor's definition does not apply to other vendors' calls.
  expect((await preview({ matchPattern: "^acme-\\d$", provider: "anthropic" })).models).toEqual([]);
  expect(await preview({ matchPattern: "(?=a)" })).toMatchObject({ models: [], error: expect.any(String) });
});

test("a table shows the most expensive groups and counts the others", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`
    insert into daily_label_costs (project_id, day, label, calls, unpriced_calls, cost, usage)
    select ${ctx.projectId}, ${DAY}::bigint, 'label ' || n, 1, 0, n, '{"input_tokens": 1}' from generate_series(1, 503) n`);
  const { costs } = await getCosts(ctx, { from: DAY, to: DAY + DAY_MS, groupBy: "label", top: 2 });
  expect(costs.rows).toHaveLength(500);
  expect(costs.rowsLeftOut).toBe(3);
  expect(costs.rows[0]).toMatchObject({ key: "label 503", exactCost: "503", usage: { input_tokens: 1 } });
  expect(costs.rows.at(-1)).toMatchObject({ key: "label 4" });
  const others = (501 * 502) / 2;
  expect(costs.series.map(({ key, values }) => [key, values])).toEqual([
    ["label 503", [503]],
    ["label 502", [502]],
    [null, [others]],
  ]);
});
