import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { chooseTier } from "./choose-tier";
import { priceBookOf } from "./load-price-book";
import type { ResolvedPrice } from "./resolve-price";
import { type PriceMatch, type PricingTier, priceMatch } from "./schemas";

/** A call without usage: what remains is the tier that applies unless a condition holds. */
const NO_USAGE = {};

export const matchModelPrice = verb(
  {
    name: "modelPrices.match",
    summary: "Find the price definition that calls of a model are priced with.",
    description:
      "`model` is the name as a client reports it: prefixes of gateways and clouds, dates and case are understood. " +
      "`provider` may be a vendor, a cloud, a router or any other word. `match` is `null` when no price is known, which " +
      "is not an error (an empty name is a model nobody knows). The tier is the one that applies when no condition on usage holds.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.object({ model: z.string(), provider: z.string().optional() }),
    reply: z.object({ match: priceMatch.nullable() }),
  },
  async (ctx, { model, provider }) => {
    const price = (await priceBookOf(ctx)).resolve(model, provider || null);
    const tier = price && (price.tiers.fallback ?? chooseTier(price.tiers, NO_USAGE));
    return { match: price && tier ? matchOf(price, tier) : null };
  },
);

export function matchOf({ definition }: ResolvedPrice, tier: PricingTier): PriceMatch {
  const { id, provider, modelName, source } = definition;
  return { model: { id, provider, modelName }, pricingTier: { id: tier.id, name: tier.name }, source };
}
