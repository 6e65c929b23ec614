import { findProvider } from "@pydantic/genai-prices";
import { Decimal } from "decimal.js";
import { describe, expect, test } from "vitest";
import { compilePattern, isPattern } from "../matching/pattern";
import { createPriceBook } from "../matching/resolve-price";
import { priceDefinition } from "../schemas";
import { DEFAULT_MODELS, DEFAULTS_VERSION } from "./default-prices";
import file from "./default-prices.generated.json";
import { CATALOGUE_PROVIDERS, type CatalogueProvider, defaultPricesFrom, SOURCES } from "./from-genai-prices";

const definitions = DEFAULT_MODELS.flatMap(({ timeline }) => timeline.map(({ definition }) => definition));
const named = (id: string) => definitions.filter((definition) => definition.id === id);

describe("the committed defaults", () => {
  test("equal the script's output for the installed catalogue", () => {
    const providers = new Map<string, CatalogueProvider>();
    for (const id of CATALOGUE_PROVIDERS) providers.set(id, findProvider({ providerId: id }) as CatalogueProvider);
    expect(file.definitions).toEqual(JSON.parse(JSON.stringify(defaultPricesFrom(providers))));
  });

  test("cover the expected number of models of each of the ten vendors, with unique ids", () => {
    const count = (vendor: string) =>
      DEFAULT_MODELS.filter(({ timeline }) => timeline[0]!.definition.provider === vendor).length;
    expect(Object.keys(SOURCES).map((vendor) => [vendor, count(vendor)])).toEqual([
      ["openai", 94],
      ["anthropic", 24],
      ["google", 37],
      ["xai", 18],
      ["mistral", 33],
      ["deepseek", 7],
      ["cohere", 9],
      ["moonshotai", 14],
      ["zai", 15],
      ["minimax", 9],
    ]);
    const ids = DEFAULT_MODELS.map(({ timeline }) => timeline[0]!.definition.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("match the schema, and each pattern is valid for a project", () => {
    for (const definition of definitions) {
      expect(priceDefinition.safeParse(definition).success).toBe(true);
      expect(isPattern(compilePattern(definition.matchPattern)), definition.id).toBe(true);
      expect(definition.matchPattern).toMatch(/^\(\?i\)\^.*\$$/);
    }
  });

  test("have one default tier, distinct priorities, and the same priced buckets in every tier", () => {
    for (const { id, pricingTiers } of definitions) {
      expect(pricingTiers.filter((tier) => tier.isDefault).length, id).toBe(1);
      expect(new Set(pricingTiers.map((tier) => tier.priority)).size, id).toBe(pricingTiers.length);
      const buckets = pricingTiers.map((tier) => Object.keys(tier.prices).sort().join());
      expect(new Set(buckets).size, id).toBe(1);
      for (const tier of pricingTiers) expect(tier.isDefault, id).toBe(tier.conditions.length === 0);
    }
  });

  test("price cached input like input and reasoning like output where the catalogue has no price", () => {
    for (const { id, pricingTiers } of definitions) {
      for (const { prices } of pricingTiers) {
        expect(prices.cache_read_input_tokens, id).toBeDefined();
        expect(prices.cache_creation_input_tokens, id).toBeDefined();
        expect("reasoning_output_tokens" in prices, id).toBe("output_tokens" in prices);
      }
    }
    const { prices } = named("openai:gpt-4o-2024-05-13")[0]!.pricingTiers[0]!;
    expect(prices.cache_read_input_tokens).toBe(prices.input_tokens);
  });

  test("price Gemini's image input like text, and the audio of OpenAI's older models at its own list price", () => {
    const { prices } = named("google:gemini-2.5-pro")[0]!.pricingTiers[0]!;
    expect(prices.input_image_tokens).toBe(prices.input_tokens);
    expect(named("google:gemini-2.5-flash")[0]!.pricingTiers[0]!.prices.input_audio_tokens).toBe(1e-6);
    expect(named("openai:gpt-4o-audio-preview")[0]!.pricingTiers[0]!.prices.input_audio_tokens).toBe(4e-5);
  });

  test("match their own name and every alias, and no two match the same name", () => {
    const book = createPriceBook(DEFAULT_MODELS, [], DEFAULTS_VERSION);
    for (const { aliases, timeline } of DEFAULT_MODELS) {
      const { id, provider, modelName } = timeline[0]!.definition;
      for (const name of [modelName, ...aliases]) {
        expect(book.resolve(name, provider)?.definition.id, name).toBe(id);
        expect(book.resolve(name.toUpperCase(), null)?.definition.id, name).toBe(id);
      }
    }
  });

  test("preserve every digit of a price per token", () => {
    const perMillion = new Decimal(
      named("deepseek:deepseek-v4-pro")[0]!.pricingTiers[0]!.prices.cache_read_input_tokens!,
    );
    expect(perMillion.times(1_000_000).toString()).toBe("0.003625");
  });
});

describe("a long-context price", () => {
  test("is a tier above the catalogue's boundary of all input, cached or not", () => {
    const tiers = named("openai:gpt-5.4")[0]!.pricingTiers.filter(({ name }) => /^(Standard|Input)/.test(name));
    expect(tiers.map(({ name, priority, conditions }) => ({ name, priority, conditions }))).toEqual([
      { name: "Standard", priority: 0, conditions: [] },
      {
        name: "Input over 271,999 tokens",
        priority: 7,
        conditions: [{ usageDetailPattern: "^(?:input|cache_(?:read|creation))", operator: "gt", value: 271_999 }],
      },
    ]);
    expect(tiers[1]!.prices.output_tokens).toBe(0.0000225);
  });
});

describe("a service tier", () => {
  const tier = (model: string, id: string) =>
    named(model)
      .at(-1)!
      .pricingTiers.find((candidate) => candidate.id === id);

  test("has its own prices, above a boundary too", () => {
    expect(tier("openai:gpt-5.4", "flex")?.prices.input_tokens).toBe(0.00000125);
    expect(tier("openai:gpt-5.4", "flex-input-over-271999")?.prices.input_tokens).toBe(0.0000025);
    expect(tier("anthropic:claude-opus-4-8", "batch")?.prices.output_tokens).toBe(0.0000125);
    expect(tier("anthropic:claude-opus-4-8", "fast")?.prices.output_tokens).toBe(0.00005);
  });

  test("ends where the catalogue has a standard price for longer input, but none of the tier", () => {
    expect(tier("openai:gpt-5.4", "priority")?.conditions).toEqual([
      { usageDetailPattern: "^service_tier_priority$", operator: "gt", value: 0 },
      { usageDetailPattern: "^(?:input|cache_(?:read|creation))", operator: "lte", value: 271_999 },
    ]);
    expect(tier("openai:gpt-5.4", "priority-input-over-271999")).toBeUndefined();
  });

  test("is left out beside other standard prices than those that it was listed with", () => {
    expect(tier("mistral:mistral-small-latest", "batch")).toBeUndefined();
    const ids = named("anthropic:claude-opus-4-6").map(({ pricingTiers }) => pricingTiers.map(({ id }) => id));
    expect(ids).toEqual([
      ["standard", "input-over-200000"],
      ["standard", "batch"],
    ]);
  });
});

describe("a price that changed", () => {
  test("is stored with the day from which it is effective", () => {
    const timeline = DEFAULT_MODELS.find(({ timeline }) => timeline[0]!.definition.id === "openai:o3")!.timeline;
    expect(timeline.map(({ effectiveFrom }) => effectiveFrom)).toEqual([0, Date.UTC(2025, 5, 10)]);
    expect(timeline.map(({ definition }) => definition.pricingTiers[0]!.prices.input_tokens)).toEqual([
      0.00001, 0.000002,
    ]);
  });

  test("is the one at noon UTC if it changes by the hour", () => {
    expect(named("deepseek:deepseek-chat")[0]!.pricingTiers[0]!.prices.input_tokens).toBe(2.7e-7);
    expect(named("deepseek:deepseek-v4-flash").at(-1)!.pricingTiers[0]!.prices.input_tokens).toBe(2.2e-7);
  });
});
