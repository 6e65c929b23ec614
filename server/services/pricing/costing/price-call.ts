import type { PriceBook } from "../matching/resolve-price";
import type { Usage } from "../schemas";
import { chooseTier } from "./choose-tier";
import { costOf, type PricedCall, UNPRICED } from "./cost-of";

/** The properties of a model call that determine its price. `at` is when it was made (Unix ms), because prices change. */
export type CallToPrice = {
  requestedModel: string | null;
  responseModel: string | null;
  provider: string | null;
  usage: Usage | null;
  at?: number;
};

/**
 * Returns the cost of a model call. Prices the response model; falls back to the requested one when the book does not know
 * it, because gateways may report their own names.
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
