import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { chooseTier } from "../costing/choose-tier";
import { modelName, type PriceMatch, type PricingTier, priceMatch } from "../schemas";
import { currentPriceBook } from "./load-price-book";
import type { ResolvedPrice } from "./resolve-price";

/** A call without usage: what remains is the tier that applies unless a condition holds. */
const NO_USAGE = {};

export const matchModelPrice = verb(
  {
    name: "modelPrices.match",
    summary: "Find the price definition that calls of a model are priced with.",
    description:
      "`model` is the name as a client reports it: prefixes of gateways and clouds, dates and case are understood. " +
      "`provider` may be a vendor, or a cloud, router or framework that serves any vendor's models; with any other word, " +
      "`external` among them, only definitions of `external` apply. `match` is `null` when no price is known, which " +
      "is not an error. The tier is the one that applies when no condition on usage holds.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.object({ model: modelName, provider: z.string().optional() }),
    reply: z.object({ match: priceMatch.nullable() }),
  },
  async (ctx, { model, provider }) => {
    const price = (await currentPriceBook(ctx)).resolve(model, provider || null);
    const tier = price && (price.tiers.fallback ?? chooseTier(price.tiers, NO_USAGE));
    return { match: price && tier ? matchOf(price, tier) : null };
  },
);

export function matchOf({ definition }: ResolvedPrice, tier: PricingTier): PriceMatch {
  const { id, provider, modelName, source } = definition;
  return { model: { id, provider, modelName }, pricingTier: { id: tier.id, name: tier.name }, source };
}
