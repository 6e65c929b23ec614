import "server-only";

export { getPriceCatalogue } from "./catalogue/get-price-catalogue";
export {
  applyPriceCatalogue,
  type CatalogueDifference,
  listPriceCatalogues,
  loadPriceCatalogue,
} from "./catalogue/load-price-catalogue";
export { completeCost } from "./costing/complete-cost";
export type { PricedCall } from "./costing/cost-of";
export { estimateModelPrice } from "./costing/estimate-model-price";
export { type CallToPrice, priceCall } from "./costing/price-call";
export { createModelPrice } from "./definitions/create-model-price";
export { deleteModelPrice } from "./definitions/delete-model-price";
export { listModelPriceVersions } from "./definitions/list-model-price-versions";
export { listModelPrices } from "./definitions/list-model-prices";
export { resetModelPrice } from "./definitions/reset-model-price";
export { requirePricingWrites } from "./definitions/stored-definition";
export { updateModelPrice } from "./definitions/update-model-price";
export {
  currentPriceBook,
  currentPriceRevision,
  type PriceRevision,
  priceBookAtRevision,
} from "./matching/load-price-book";
export { matchModelPrice } from "./matching/match-model-price";
export { previewMatcher } from "./matching/preview-matcher";
export type { PriceBook } from "./matching/resolve-price";
export type { Cost, PriceDefinition, PriceMatch, PriceProvider, PriceSource, PricingTier, Usage } from "./schemas";
