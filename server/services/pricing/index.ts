import "server-only";

export type { PricedCall } from "./cost-of";
export { listModelPrices } from "./list-model-prices";
export { priceBookOf } from "./load-price-book";
export { matchModelPrice } from "./match-model-price";
export { type CallToPrice, priceCall } from "./price-call";
export type { PriceBook } from "./resolve-price";
export type { Cost, PriceDefinition, PriceMatch, PriceProvider, PriceSource, PricingTier, Usage } from "./schemas";
