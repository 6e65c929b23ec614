import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CONDITION_OPERATORS, TierCondition } from "../schemas";
import { tier } from "../testing";
import { chooseTier, tierChooser } from "./choose-tier";

const when = (usageDetailPattern: string, operator: TierCondition["operator"], value: number) => ({
  usageDetailPattern,
  operator,
  value,
});
const special = (name: string, priority: number, ...conditions: TierCondition[]) =>
  tier({ input_tokens: 1 }, { name, priority, conditions });
const chosen = (tiers: ReturnType<typeof tier>[], usage: Record<string, number>) =>
  chooseTier(tierChooser({ pricingTiers: tiers }), usage)?.name ?? null;

const standard = tier({ input_tokens: 1 });

describe("the tier of a call", () => {
  test("is the first by priority whose conditions all hold, else the default", () => {
    const tiers = [
      special("huge", 1, when("^input", "gt", 500)),
      standard,
      special("large and cached", 2, when("^input", "gt", 100), when("^cache", "gt", 0)),
      special("large", 3, when("^input", "gt", 100)),
    ];
    expect(chosen(tiers, { input_tokens: 501 })).toBe("huge");
    expect(chosen(tiers, { input_tokens: 500 })).toBe("large");
    expect(chosen(tiers, { input_tokens: 500, cache_read_input_tokens: 1 })).toBe("large and cached");
    expect(chosen(tiers, { input_tokens: 100 })).toBe("Standard");
  });

  test("compares the sum of every bucket whose name matches, in any case", () => {
    const tiers = [standard, special("long", 1, when("^(?:input|CACHE_)", "gt", 272_000))];
    const usage = { input_tokens: 150_000, cache_creation_input_tokens: 100_000, cache_read_input_tokens: 50_000 };
    expect(chosen(tiers, usage)).toBe("long");
    expect(chosen(tiers, { input_tokens: 150_000, output_tokens: 900_000 })).toBe("Standard");
  });

  test("treats a sum without matching buckets as 0", () => {
    expect(chosen([standard, special("uncached", 1, when("^cache_", "eq", 0))], { input_tokens: 5 })).toBe("uncached");
  });

  test("adds fractions without floating-point error", () => {
    const tiers = [standard, special("exact", 1, when("seconds$", "eq", 0.3))];
    expect(chosen(tiers, { input_audio_seconds: 0.1, output_audio_seconds: 0.2 })).toBe("exact");
  });

  test("is never one without conditions or with a pattern that RE2 rejects", () => {
    expect(chosen([standard, special("always", 1)], { input_tokens: 5 })).toBe("Standard");
    expect(chosen([standard, special("broken", 1, when("(?=input)", "gte", 0))], { input_tokens: 5 })).toBe("Standard");
  });

  test("is none when no conditions are met and there is no default", () => {
    expect(chosen([special("large", 1, when("^input", "gt", 100))], { input_tokens: 5 })).toBeNull();
  });

  test("ignores a bucket whose name is too long", () => {
    const tiers = [standard, special("any", 1, when("a", "gt", 0))];
    expect(chosen(tiers, { ["a".repeat(1_000_000)]: 5 })).toBe("Standard");
  });
});

test("each operator compares as its name states", () => {
  const says: Record<(typeof CONDITION_OPERATORS)[number], (sum: number, value: number) => boolean> = {
    gt: (a, b) => a > b,
    gte: (a, b) => a >= b,
    lt: (a, b) => a < b,
    lte: (a, b) => a <= b,
    eq: (a, b) => a === b,
    neq: (a, b) => a !== b,
  };
  const small = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(says) as (keyof typeof says)[])),
      small,
      small,
      (operator, count, value) => {
        const holds = chosen([standard, special("held", 1, when("^x$", operator, value))], { x: count }) === "held";
        expect(holds).toBe(says[operator](count, value));
      },
    ),
  );
});
