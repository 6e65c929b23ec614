/** A price in the catalogue: flat, or by total input (`start` exclusive: a request above it is entirely at `price`). */
export type CataloguePrice = number | { base: number; tiers: { start: number; price: number }[] };
export type CataloguePrices = Record<string, CataloguePrice | undefined>;
