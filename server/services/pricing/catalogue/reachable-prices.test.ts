import { describe, expect, test } from "vitest";
import { spanOf } from "@/server/services/telemetry/otlp/testing/conversations";
import { resolveUsage } from "@/server/services/telemetry/otlp/usage/resolve-usage";
import { chooseTier, tierChooser } from "../costing/choose-tier";
import { costOf, tierPrices } from "../costing/cost-of";
import type { PricingTier } from "../schemas";
import { DEFAULT_MODELS } from "./default-prices";

const definitions = DEFAULT_MODELS.flatMap(({ timeline }) => timeline.map(({ definition }) => definition));

/** More input than the tier requires, and some of everything that it prices, as counted by a client. */
function figuresFor(tier: PricingTier) {
  const over = Math.max(0, ...tier.conditions.map(({ operator, value }) => (operator === "gt" ? value : 0)));
  const details = Object.keys(tier.prices).filter((key) => !["input_tokens", "output_tokens"].includes(key));
  return {
    input_tokens: over + 1_000,
    ...("output_tokens" in tier.prices ? { output_tokens: 1_000 } : {}),
    ...Object.fromEntries(details.map((key) => [key, key.startsWith("cache_read_input_") ? 3 : 20])),
    ...("cache_creation_1h_input_tokens" in tier.prices ? { cache_creation_1h_input_tokens: 5 } : {}),
    ...("cache_read_input_tokens" in tier.prices ? { cache_read_input_tokens: 20 } : {}),
  };
}

/** Returns how a client says that a call was served in this tier. */
const servedAs = (tier: PricingTier): Record<string, string> => {
  const served = tier.conditions.flatMap(
    ({ usageDetailPattern }) => /^\^service_tier_(\w+)\$$/.exec(usageDetailPattern)?.[1] ?? [],
  );
  return served.length > 0 ? { "openai.response.service_tier": served[0]! } : {};
};

const WAYS_TO_SEND = {
  "langfuse.observation.usage_details": (figures: object) => ({
    "langfuse.observation.usage_details": JSON.stringify(figures),
  }),
  "gen_ai.usage.*": (figures: object) =>
    Object.fromEntries(Object.entries(figures).map(([name, count]) => [`gen_ai.usage.${name}`, count])),
  "gen_ai.usage.details.*": ({ input_tokens, output_tokens, ...details }: Record<string, number>) => ({
    "gen_ai.usage.input_tokens": input_tokens,
    ...(output_tokens === undefined ? {} : { "gen_ai.usage.output_tokens": output_tokens }),
    ...Object.fromEntries(Object.entries(details).map(([name, count]) => [`gen_ai.usage.details.${name}`, count])),
  }),
};

describe.each(Object.entries(WAYS_TO_SEND))("usage sent as %s", (_, attributesOf) => {
  test("reaches every built-in tier and each of its prices", () => {
    const missed: string[] = [];
    for (const definition of definitions) {
      const chooser = tierChooser(definition);
      for (const tier of definition.pricingTiers) {
        const attributes = { ...attributesOf(figuresFor(tier)), ...servedAs(tier) } as Record<string, number | string>;
        const { usage } = resolveUsage(spanOf(attributes).attributes, definition.provider);
        const chosen = chooseTier(chooser, usage ?? {});
        const { cost } = costOf(tierPrices(definition, tier, "v@1"), usage);
        if (chosen !== tier) missed.push(`${definition.id}: ${tier.name}`);
        if (cost?.total == null || cost.unpricedDetails.length > 0)
          missed.push(`${definition.id}: ${JSON.stringify(cost)}`);
        for (const key of Object.keys(tier.prices)) {
          if (!((cost?.breakdown[key] ?? -1) >= 0)) missed.push(`${definition.id}: ${key}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });
});
