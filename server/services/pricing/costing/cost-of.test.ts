import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cost as costSchema, type Usage } from "../schemas";
import { projectPrice, tier } from "../testing";
import { costOf, tierPrices } from "./cost-of";

const { definition } = projectPrice({ modelName: "acme-4" });
const at = (prices: Record<string, number>) => tierPrices(definition, tier(prices), "mp_acme-4@3");
const PRICES = { input_tokens: 2.5e-6, cache_read_input_tokens: 1.25e-6, output_tokens: 1e-5 };

describe("the cost of a call in another service tier", () => {
  const usage = { input_tokens: 1_000, output_tokens: 100, service_tier_flex: 1 };
  const flex = { usageDetailPattern: "^service_tier_flex$", operator: "gt" as const, value: 0 };

  test("is unknown at the standard price", () => {
    expect(costOf(at(PRICES), usage).cost).toMatchObject({
      total: null,
      breakdown: { input_tokens: null, output_tokens: null },
      unpriced: ["input_tokens", "output_tokens"],
      unpricedDetails: [],
    });
  });

  test("is that of a tier whose conditions refer to it", () => {
    const priced = tierPrices(definition, tier(PRICES, { conditions: [flex] }), "mp_acme-4@3");
    expect(costOf(priced, usage).cost).toMatchObject({ total: 0.0035, unpriced: [] });
    expect(costOf(priced, { ...usage, service_tier_geo_us: 1 }).cost).toMatchObject({ total: null });
  });
});

describe("media in a default", () => {
  const of = (prices: Record<string, number>) =>
    tierPrices({ ...definition, source: "default" as const }, tier(prices), "default@2026-01-01");

  test("without a price make the cost unknown", () => {
    expect(costOf(of(PRICES), { input_tokens: 100, input_audio_tokens: 1_000 }).cost).toMatchObject({
      total: null,
      breakdown: { input_tokens: 0.00025, input_audio_tokens: null },
      unpriced: ["input_audio_tokens"],
    });
  });

  test("that are billed like text are so when they come from the cache, too", () => {
    const like = of({ ...PRICES, input_video_tokens: PRICES.input_tokens });
    expect(costOf(like, { cache_read_input_video_tokens: 100 }).cost).toMatchObject({ total: 0.000125 });
    expect(costOf(like, { output_video_tokens: 100 }).cost).toMatchObject({ total: null });
  });
});

describe("the cost of a call", () => {
  test("is the sum of each bucket's count times its price, with the prices and their origin", () => {
    const priced = costOf(at(PRICES), { input_tokens: 1_000, output_tokens: 100 });
    expect(priced).toEqual({
      totalDecimal: "0.0035",
      cost: {
        total: 0.0035,
        currency: "USD",
        breakdown: { input_tokens: 0.0025, output_tokens: 0.001 },
        unpriced: [],
        unpricedDetails: [],
        model: { id: "mp_acme-4", provider: "external", modelName: "acme-4" },
        tier: { id: "standard", name: "Standard" },
        source: "project_custom",
        prices: { input_tokens: 2.5e-6, output_tokens: 1e-5 },
        pricesVersion: "mp_acme-4@3",
      },
    });
    expect(costSchema.parse(priced.cost)).toEqual(priced.cost);
  });

  test("is unknown, not zero, when a known bucket has no price", () => {
    const { cost, totalDecimal } = costOf(at(PRICES), { input_tokens: 1_000, reasoning_output_tokens: 5 });
    expect(totalDecimal).toBeNull();
    expect(cost).toMatchObject({
      total: null,
      breakdown: { input_tokens: 0.0025, reasoning_output_tokens: null },
      unpriced: ["reasoning_output_tokens"],
      unpricedDetails: [],
    });
  });

  test("includes a detail with a price", () => {
    const { cost } = costOf(at({ ...PRICES, web_searches: 0.01 }), {
      input_tokens: 10,
      output_tokens: 1,
      web_searches: 2,
    });
    expect(cost).toMatchObject({
      total: 0.020035,
      breakdown: { web_searches: 0.02 },
      unpriced: [],
      unpricedDetails: [],
    });
  });

  test("lists a detail without a price and excludes it from the total", () => {
    const { cost, totalDecimal } = costOf(at(PRICES), { input_tokens: 1_000, web_searches: 2, audio_seconds: 1.5 });
    expect(totalDecimal).toBe("0.0025");
    expect(cost).toMatchObject({
      total: 0.0025,
      breakdown: { input_tokens: 0.0025, web_searches: null, audio_seconds: null },
      prices: { input_tokens: 2.5e-6 },
      unpriced: [],
      unpricedDetails: ["web_searches", "audio_seconds"],
    });
  });

  test("prices a part of a bucket at its own price, else at the bucket's", () => {
    const usage = { input_tokens: 80, input_audio_tokens: 20, output_tokens: 1 };
    const own = costOf(at({ ...PRICES, input_audio_tokens: 1e-4 }), usage).cost;
    expect(own).toMatchObject({ total: 0.00221, breakdown: { input_audio_tokens: 0.002 }, unpricedDetails: [] });
    const covered = costOf(at(PRICES), usage).cost;
    expect(covered).toMatchObject({
      total: 0.00026,
      breakdown: { input_tokens: 0.0002, input_audio_tokens: 0.00005 },
      prices: { input_tokens: 2.5e-6, input_audio_tokens: 2.5e-6 },
      unpriced: [],
      unpricedDetails: ["input_audio_tokens"],
    });
  });

  test("is unknown for a part of a bucket when neither has a price", () => {
    expect(costOf(at({ input_tokens: 1e-6 }), { input_tokens: 1, output_audio_tokens: 5 }).cost).toMatchObject({
      total: null,
      unpriced: ["output_audio_tokens"],
    });
  });

  test("is unknown when all usage is details without a price", () => {
    expect(costOf(at(PRICES), { web_searches: 2 })).toMatchObject({
      cost: { total: null, breakdown: { web_searches: null }, unpriced: [], unpricedDetails: ["web_searches"] },
      totalDecimal: null,
    });
  });

  test.each<[string, Usage | null]>([
    ["no usage", null],
    ["empty usage", {}],
    ["only a total", { total_tokens: 1_000 }],
    ["a total of zero", { total_tokens: 0 }],
    ["a detail of zero", { web_searches: 0 }],
    ["a thousand kinds of units", Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`unit_${n}`, 1]))],
  ])("is null with %s", (_, usage) => expect(costOf(at(PRICES), usage)).toEqual({ cost: null, totalDecimal: null }));

  test.each<[string, Usage]>([
    ["zeros", { input_tokens: 0, output_tokens: 0 }],
    ["zeros that have no price", { input_tokens: 0, cache_read_input_tokens: 0 }],
  ])("is 0 with nothing but %s", (_, usage) => {
    expect(costOf(at({ output_tokens: 1e-6 }), usage)).toMatchObject({
      cost: { total: 0, breakdown: usage, unpriced: [] },
      totalDecimal: "0",
    });
  });

  test("needs no price for an empty bucket or for a total", () => {
    const { cost } = costOf(at({ input_tokens: 1e-7 }), { input_tokens: 10, output_tokens: 0, total_tokens: 10 });
    expect(cost).toMatchObject({ total: 0.000001, breakdown: { input_tokens: 0.000001 }, unpriced: [] });
  });

  test("is 0 where the price is 0", () => {
    const { cost, totalDecimal } = costOf(at({ input_tokens: 0 }), { input_tokens: 1_000 });
    expect(cost?.total).toBe(0);
    expect(totalDecimal).toBe("0");
  });

  test("is unknown for invalid counts", () => {
    for (const count of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(costOf(at(PRICES), { input_tokens: count, output_tokens: 1 }).cost).toMatchObject({
        total: null,
        breakdown: { input_tokens: null, output_tokens: 1e-5 },
        unpriced: ["input_tokens"],
      });
    }
  });

  test("is unaffected by other buckets priced in the same tier", () => {
    const prices = at(PRICES);
    const first = costOf(prices, { input_tokens: 1, output_tokens: 1 });
    for (let n = 0; n < 20; n++) costOf(prices, { input_tokens: 1, [`unit_${n}`]: 1 });
    expect(costOf(prices, { input_tokens: 1, output_tokens: 1 })).toEqual(first);
    expect(costOf(prices, { output_tokens: 1, input_tokens: 1 }).cost?.total).toBe(first.cost?.total);
  });

  test("survives a bucket called __proto__", () => {
    const usage = JSON.parse('{"__proto__": 3, "input_tokens": 1}');
    expect(costOf(at(PRICES), usage).cost).toMatchObject({ total: 2.5e-6, unpricedDetails: ["__proto__"] });
  });
});

describe("money", () => {
  const price = fc.oneof(
    fc.integer({ min: 0, max: 99_999_999 }).map((n) => Number(`${n}e-12`)),
    fc.double({ min: 0, max: 1_000, noNaN: true }),
  );
  const count = fc.oneof(
    fc.integer({ min: 1, max: 10_000_000 }),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
  );
  const calls = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.record({ price, count }), { minKeys: 1 });
  const Wide = Decimal.clone({ precision: 1_000 });

  test("is exact to the last digit, and its number is the nearest double", () => {
    fc.assert(
      fc.property(calls, (call) => {
        const pick = <K extends "price" | "count">(key: K) =>
          Object.fromEntries(Object.entries(call).map(([bucket, value]) => [bucket, value[key]]));
        const exact = Object.values(call).reduce(
          (sum, each) => sum.plus(new Wide(each.count).times(each.price)),
          new Wide(0),
        );
        const { cost, totalDecimal } = costOf(at(pick("price")), pick("count"));
        expect(totalDecimal).toBe(exact.toFixed());
        expect(cost?.total).toBe(Number(exact.toFixed()));
        for (const [bucket, each] of Object.entries(call)) {
          expect(cost?.breakdown[bucket]).toBe(Number(new Wide(each.count).times(each.price).toFixed()));
        }
      }),
      { numRuns: 500 },
    );
  });
});
