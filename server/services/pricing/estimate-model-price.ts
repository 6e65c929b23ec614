import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { chooseTier } from "./choose-tier";
import { costOf } from "./cost-of";
import { priceBookOf } from "./load-price-book";
import { matchOf } from "./match-model-price";
import { priceEstimate, usage } from "./schemas";

const BUCKETS_MAX = 64;

export const estimateModelPrice = verb(
  {
    name: "modelPrices.estimate",
    summary: "Say what a call of a model with this usage would cost, without sending anything.",
    description:
      "`usage` has disjoint buckets, as a stored model call has. `match` and `cost` are in exactly the form that is stored " +
      "with a call; both are `null` when no price is known. Nothing is stored.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.strictObject({
      model: z.string().max(500),
      provider: z.string().max(100).nullish(),
      usage: usage.refine((given) => Object.keys(given).length <= BUCKETS_MAX, {
        message: `Usage has at most ${BUCKETS_MAX} buckets.`,
      }),
    }),
    reply: z.object({ estimate: priceEstimate }),
  },
  async (ctx, { model, provider, usage }) => {
    const price = (await priceBookOf(ctx)).resolve(model, provider || null);
    const tier = price && chooseTier(price.tiers, usage);
    if (!price || !tier) return { estimate: { match: null, cost: null } };
    return { estimate: { match: matchOf(price, tier), cost: costOf(price.pricesOf(tier), usage).cost } };
  },
);
