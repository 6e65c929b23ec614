import { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { unixMs } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { type DraftInput, draftInput, storedFields } from "../definitions/definition-input";
import { resolveDefinitionTarget } from "../definitions/definition-target";
import { definitionById, definitionOf } from "../definitions/stored-definition";
import { currentPriceBook, priceBookAsOf } from "../matching/load-price-book";
import { matchOf } from "../matching/match-model-price";
import { modelName, priceEstimate, usage } from "../schemas";
import { chooseTier } from "./choose-tier";
import { costOf } from "./cost-of";

const BUCKETS_MAX = 64;

export const estimateModelPrice = verb(
  {
    name: "modelPrices.estimate",
    summary: "Estimate the cost of a model call with this usage.",
    description:
      "`usage` has the format of a stored model call: disjoint buckets, and details with any name. `match` and `cost` have the format that is stored " +
      "with a call; both are `null` when no price is known. `at` (Unix ms) prices it as a call at that time, with the project's " +
      "price versions and the default prices in effect then; the default is now. With a `draft` the estimate assumes that this definition " +
      "is in effect, replacing `modelPriceId` if given; its `pricesVersion` ends in `@0`. Nothing is stored.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.strictObject({
      model: modelName.max(500),
      provider: z.string().max(100).nullish(),
      usage: usage.refine((given) => Object.keys(given).length <= BUCKETS_MAX, {
        message: `Usage can have at most ${BUCKETS_MAX} buckets and details.`,
      }),
      at: unixMs.optional(),
      draft: draftInput.optional(),
    }),
    reply: z.object({ estimate: priceEstimate }),
  },
  async (ctx, { model, provider, usage, at, draft }) => {
    const inForce = at === undefined ? await currentPriceBook(ctx) : await priceBookAsOf(ctx, at);
    const book = draft ? inForce.with(await draftDefinition(ctx, draft)) : inForce;
    const price = book.resolve(model, provider || null, at);
    const tier = price && chooseTier(price.tiers, usage);
    if (!price || !tier) return { estimate: { match: null, cost: null } };
    return { estimate: { match: matchOf(price, tier), cost: costOf(price.pricesOf(tier), usage).cost } };
  },
);

/** Returns the definition that a draft would become if it were stored. */
async function draftDefinition(ctx: Ctx, { modelPriceId, ...draft }: DraftInput) {
  const edited = modelPriceId === undefined ? undefined : await definitionById(ctx, modelPriceId);
  const place = edited
    ? {
        id: edited.id,
        baseModelPriceId: edited.baseModelPriceId ?? undefined,
        matchPattern: draft.matchPattern ?? edited.matchPattern,
      }
    : await resolveDefinitionTarget(ctx, draft);
  return definitionOf({
    id: place.id ?? modelPriceId ?? "draft",
    baseModelPriceId: place.baseModelPriceId ?? null,
    ...storedFields({ ...draft, ...place }),
  });
}
