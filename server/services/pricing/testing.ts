import { DEFAULT_MODELS, DEFAULTS_VERSION } from "./catalogue/default-prices";
import { createPriceBook, type ProjectPrice } from "./matching/resolve-price";
import type { PriceDefinition, PricingTier } from "./schemas";

/** Returns a tier with these prices, the default one unless it has conditions. */
export const tier = (prices: Record<string, number>, fields: Partial<PricingTier> = {}): PricingTier => ({
  id: fields.name ?? "standard",
  name: "Standard",
  isDefault: fields.conditions === undefined,
  priority: 0,
  conditions: [],
  prices,
  ...fields,
});

const PER_TOKEN = { input_tokens: 1e-6, output_tokens: 2e-6 };

/** Returns a custom definition that matches exactly its own name, unless overridden by `fields`. */
export function projectPrice(fields: Partial<PriceDefinition> & { modelName: string }, version = 1): ProjectPrice {
  const definition: PriceDefinition = {
    id: `mp_${fields.modelName}`,
    provider: "external",
    matchPattern: `^${fields.modelName}$`,
    pricingTiers: [tier(PER_TOKEN)],
    source: "project_custom",
    editable: true,
    resettable: false,
    ...fields,
  };
  return { definition, version };
}

/** Returns a book of the shipped defaults and these definitions of a project. */
export const bookWith = (...own: ProjectPrice[]) => createPriceBook(DEFAULT_MODELS, own, DEFAULTS_VERSION);
