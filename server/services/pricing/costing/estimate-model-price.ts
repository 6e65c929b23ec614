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
    summary: "Say what a call of a model with this usage would cost, without sending anything.",
    description:
      "`usage` is as a stored model call has it: disjoint buckets, and details by any name. `match` and `cost` are in exactly the form that is stored " +
      "with a call; both are `null` when no price is known. `at` (Unix ms) prices it as a call of that moment, by the versions " +
      "of the project's prices that were in force then and by what a default cost then; without it, of now. With a `draft` the answer is what it would be if that definition " +
      "were in force, in the place of `modelPriceId` where one is named; its `pricesVersion` ends in `@0`. Nothing is stored.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.strictObject({
      model: modelName.max(500),
      provider: z.string().max(100).nullish(),
      usage: usage.refine((given) => Object.keys(given).length <= BUCKETS_MAX, {
        message: `Usage has at most ${BUCKETS_MAX} buckets and details.`,
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

/** Returns what would be in force with a definition that is not stored. */
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
