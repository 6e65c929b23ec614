import type { PriceBook } from "../matching/resolve-price";
import type { Usage } from "../schemas";
import { chooseTier } from "./choose-tier";
import { costOf, type PricedCall, UNPRICED } from "./cost-of";

/** A model call as far as its price goes. `at` is when it was made (Unix milliseconds): prices change. */
export type CallToPrice = {
  requestedModel: string | null;
  responseModel: string | null;
  provider: string | null;
  usage: Usage | null;
  at?: number;
};

/**
 * What a model call cost. The model that answered is priced; where the book does not know it, the one that was asked
 * for (a gateway may answer with a name of its own).
 */
export function priceCall(
  book: PriceBook,
  { requestedModel, responseModel, provider, usage, at }: CallToPrice,
): PricedCall {
  if (usage === null) return UNPRICED;
  const price =
    (responseModel ? book.resolve(responseModel, provider, at) : null) ??
    (requestedModel ? book.resolve(requestedModel, provider, at) : null);
  const tier = price && chooseTier(price.tiers, usage);
  return tier ? costOf(price.pricesOf(tier), usage) : UNPRICED;
}
