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

/**
 * Where a value was taken from, and how its parts make it again: a text from `runs` of parts with their separators, a `list`
 * from one part of JSON an item, any other `value` from one part of JSON, and a `family` of attributes (`prefix.0.role`, …)
 * from one part an index, each the JSON of its names and values.
 */
export type ContentRecipe = {
  /** The attributes, those of the event at an index, or the body of a log record. */
  in: "attributes" | "body" | number;
  /** Of the attribute, the prefix of a family, or null for a body as a whole. */
  name: string | null;
} & (
  | { form: "text"; runs: readonly (readonly [parts: number, separator: string])[] }
  | { form: "list" | "value" | "family" }
);

/** What was taken out of a row: its length in characters, and the values, each made of so many of the row's chunks. */
export type TakenContent = { length: number; values: (ContentRecipe & { chunks: number })[] };
