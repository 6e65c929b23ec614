import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { chooseTier } from "../costing/choose-tier";
import { modelName, type PriceMatch, type PricingTier, priceMatch } from "../schemas";
import { currentPriceBook } from "./load-price-book";
import type { ResolvedPrice } from "./resolve-price";

/** Without a default tier, the tier of a call without usage is returned. */
const NO_USAGE = {};

export const matchModelPrice = verb(
  {
    name: "modelPrices.match",
    summary: "Find the price definition for calls of a model.",
    description:
      "`model` is the name as reported by a client: gateway and cloud prefixes, dates and letter case are normalised. " +
      "`provider` may be a vendor, or a cloud, router or framework that serves any vendor's models; with any other value, " +
      "including `external`, only definitions of `external` apply. `match` is `null` when no price is known, which " +
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
