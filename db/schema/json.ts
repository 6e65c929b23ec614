import type { CONDITION_OPERATORS, PRICE_PROVIDERS, SEVERITIES } from "./enumerations";

/** Shapes of JSON columns; the services' zod schemas satisfy them. */

/**
 * Where a Signal shows: a quote from `messages[messageIndex]` at `[start, end)` of its text (`textOf`). `spanId` names the
 * span that contains it; without `messageIndex`, the offsets refer to what that span recorded.
 */
export type Evidence = {
  messageIndex: number | null;
  start: number;
  end: number;
  quote: string;
  spanId: string | null;
};

/** Quantiles of `n` values. */
export type Quantiles = { n: number; p50: number; p95: number; p99: number };

/** How calls of one model went before a day. `msPerToken` is per output token. */
export type ModelBaseline = {
  provider: string | null;
  model: string;
  durationMs: Quantiles;
  /** Null when too few calls have a known number of output tokens. */
  msPerToken: Quantiles | null;
};

/** What one cause said in an occurrence with several. `evidence`: how many of the occurrence's quotes are its own, in order. */
export type OccurrencePart = {
  causeId: string;
  severity: (typeof SEVERITIES)[number];
  score: number;
  confidence: number;
  title: string;
  summary: string;
  evidence: number;
};

/** Holds when the sum of all buckets and details matching `usageDetailPattern` (RE2, case-insensitive) compares so. */
export type TierCondition = {
  usageDetailPattern: string;
  operator: (typeof CONDITION_OPERATORS)[number];
  value: number;
};

/** Prices are US dollars per unit (per single token, not per million). */
export type PricingTier = {
  id: string;
  name: string;
  isDefault: boolean;
  priority: number;
  conditions: TierCondition[];
  prices: Record<string, number>;
};

/** A catalogue of default prices as `npm run prices:update` writes it. `date`: when its prices were published. */
export type CatalogueFile = {
  catalogue: { package: string; version: string; date: string };
  definitions: {
    provider: Exclude<(typeof PRICE_PROVIDERS)[number], "external">;
    modelName: string;
    aliases: string[];
    matchPattern: string;
    priceSets: { effectiveFrom: number | null; pricingTiers: PricingTier[] }[];
  }[];
};
