import "server-only";

export { completeCost } from "./complete-cost";
export type { PricedCall } from "./cost-of";
export { createModelPrice } from "./create-model-price";
export { deleteModelPrice } from "./delete-model-price";
export { estimateModelPrice } from "./estimate-model-price";
export { getPriceCatalogue } from "./get-price-catalogue";
export { listModelPriceVersions } from "./list-model-price-versions";
export { listModelPrices } from "./list-model-prices";
export { type PricesOfAMoment, priceBookAt, priceBookOf, pricesOfNow } from "./load-price-book";
export {
  applyPriceCatalogue,
  type CatalogueDifference,
  listPriceCatalogues,
  loadPriceCatalogue,
} from "./load-price-catalogue";
export { matchModelPrice } from "./match-model-price";
export { previewMatcher } from "./preview-matcher";
export { type CallToPrice, priceCall } from "./price-call";
export { resetModelPrice } from "./reset-model-price";
export type { PriceBook } from "./resolve-price";
export type { Cost, PriceDefinition, PriceMatch, PriceProvider, PriceSource, PricingTier, Usage } from "./schemas";
export { requirePricingWrites } from "./stored-definition";
export { updateModelPrice } from "./update-model-price";
