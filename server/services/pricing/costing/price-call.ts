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
 * it, because gateways may report their own names. The requested one comes first where the response names only its family.
 */
export function priceCall(
  book: PriceBook,
  { requestedModel, responseModel, provider, usage, at }: CallToPrice,
): PricedCall {
  if (usage === null) return UNPRICED;
  const [first, second] = isFamilyOf(responseModel, requestedModel, provider)
    ? [requestedModel, responseModel]
    : [responseModel, requestedModel];
  const price =
    (first ? book.resolve(first, provider, at) : null) ?? (second ? book.resolve(second, provider, at) : null);
  const tier = price && chooseTier(price.tiers, usage);
  return tier ? costOf(price.pricesOf(tier), usage) : UNPRICED;
}

const AZURE = /^\W*(?:az\b|azure|microsoft)/i;

/**
 * Returns whether a response names only the family of the requested model, as Azure does: `ada` of `text-embedding-ada-002`,
 * `gpt-4` of `gpt-4-32k` and, there, of `gpt-4o`.
 */
function isFamilyOf(response: string | null, requested: string | null, provider: string | null): boolean {
  if (!response || !requested || response.length >= requested.length) return false;
  const [stem, name] = [response.toLowerCase(), requested.toLowerCase()];
  return `-${name}-`.includes(`-${stem}-`) || (provider !== null && AZURE.test(provider) && name.startsWith(stem));
}
