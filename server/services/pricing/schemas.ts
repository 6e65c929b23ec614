import { z } from "zod";
import { CONDITION_OPERATORS, PRICE_PROVIDERS } from "@/db/schema/enumerations";
import type { CatalogueFile, PricingTier, TierCondition } from "@/db/schema/json";

export type { CatalogueFile, PricingTier, TierCondition };
export { CONDITION_OPERATORS, PRICE_PROVIDERS };
export type PriceProvider = (typeof PRICE_PROVIDERS)[number];

/** A model name as reported by a client. */
export const modelName = z.string().regex(/\S/, "Name a model.");

/** Returns a pattern that matches exactly this name, ignoring case like every pattern. */
export const patternOfName = (name: string) => `^${name.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")}$`;

/**
 * Tokens by known bucket, and every other detail under the client's own name (`web_searches`, `audio_seconds`). Counts are
 * disjoint: a detail that is part of a bucket, such as `input_audio_tokens`, is not included in the bucket's count.
 */
export const usage = z.record(z.string(), z.number().min(0));
export type Usage = z.infer<typeof usage>;

export const PRICE_SOURCES = ["default", "project_override", "project_custom"] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** Compares the sum of all buckets and details whose name matches `usageDetailPattern` (RE2, case-insensitive) with `value`. */
export const tierCondition = z.object({
  usageDetailPattern: z.string(),
  operator: z.enum(CONDITION_OPERATORS),
  value: z.number(),
}) satisfies z.ZodType<TierCondition>;

/** Prices are US dollars per unit (per single token, not per million). */
export const pricingTier = z.object({
  id: z.string(),
  name: z.string(),
  isDefault: z.boolean(),
  priority: z.number(),
  conditions: z.array(tierCondition),
  prices: z.record(z.string(), z.number().min(0)),
}) satisfies z.ZodType<PricingTier>;

export const priceDefinition = z.object({
  id: z.string(),
  provider: z.enum(PRICE_PROVIDERS),
  modelName: z.string(),
  matchPattern: z.string(),
  pricingTiers: z.array(pricingTier).min(1),
  source: z.enum(PRICE_SOURCES),
  editable: z.boolean(),
  resettable: z.boolean(),
});
export type PriceDefinition = z.infer<typeof priceDefinition>;

/** A definition as it was stored. `warnings` name what is allowed but hardly meant; absent when there is nothing. */
export const changedPriceReply = z.object({ model: priceDefinition, warnings: z.array(z.string()).optional() });

/** The definition and tier that a model name resolves to. */
export const priceMatch = z.object({
  model: z.object({ id: z.string(), provider: z.enum(PRICE_PROVIDERS), modelName: z.string() }),
  pricingTier: z.object({ id: z.string(), name: z.string() }),
  source: z.enum(PRICE_SOURCES),
});
export type PriceMatch = z.infer<typeof priceMatch>;

/**
 * Cost of one model call in US dollars. `breakdown` has every bucket and detail with usage. A known bucket without a price is
 * `null` and listed in `unpriced`, and makes `total` `null`. A detail without its own price is listed in `unpricedDetails`:
 * if it is part of a bucket it costs the bucket's price, otherwise it is `null` and does not affect the total. `prices` are
 * the tier's prices that were applied, by bucket or detail; `pricesVersion` is their origin (`default@<catalogue date>` or
 * `<definition id>@<version>`).
 */
export const cost = z.object({
  total: z.number().nullable(),
  currency: z.literal("USD"),
  breakdown: z.record(z.string(), z.number().nullable()),
  unpriced: z.array(z.string()),
  unpricedDetails: z.array(z.string()),
  model: z.object({ id: z.string(), provider: z.enum(PRICE_PROVIDERS), modelName: z.string() }),
  tier: z.object({ id: z.string(), name: z.string() }),
  source: z.enum(PRICE_SOURCES),
  prices: z.record(z.string(), z.number()),
  pricesVersion: z.string(),
});
export type Cost = z.infer<typeof cost>;

export const removedReply = z.object({ ok: z.literal(true) });

/** What a call would cost, in the form that is stored with calls. Both are `null` when no price is known. */
export const priceEstimate = z.object({ match: priceMatch.nullable(), cost: cost.nullable() });

/**
 * A definition as it was from `effectiveFrom` until `supersededAt` (Unix ms; `null` while in force). `version` is the
 * number after the `@` in stored costs; catalogue prices have none because they are identified by date. `changedBy` and
 * `supersededBy` are ids of a person or a key, with their name while they exist.
 */
export const priceVersion = priceDefinition.pick({ modelName: true, matchPattern: true, pricingTiers: true }).extend({
  version: z.int().nullable(),
  provider: z.enum(PRICE_PROVIDERS),
  source: z.enum(PRICE_SOURCES),
  effectiveFrom: z.number().nullable(),
  supersededAt: z.number().nullable(),
  changedBy: z.string().nullable(),
  changedByName: z.string().nullable(),
  supersededBy: z.string().nullable(),
  supersededByName: z.string().nullable(),
});
export type PriceVersion = z.infer<typeof priceVersion>;

/** A catalogue of default prices, as written by `npm run prices:update`. `date` is when its prices were published. */
export const catalogueFile = z.object({
  catalogue: z.object({ package: z.string(), version: z.string(), date: z.iso.date() }),
  definitions: z
    .array(
      z.object({
        provider: z.enum(PRICE_PROVIDERS).exclude(["external"]),
        modelName: z.string().min(1),
        aliases: z.array(z.string()),
        matchPattern: z.string().min(1),
        priceSets: z
          .array(z.object({ effectiveFrom: z.int().nullable(), pricingTiers: z.array(pricingTier).min(1) }))
          .min(1),
      }),
    )
    .min(1),
}) satisfies z.ZodType<CatalogueFile>;

const tiersOrNone = z.array(pricingTier).nullable();
/** A default price that an update adds, changes or removes; `before` and `after` are the prices effective today. */
export const changedDefault = priceDefinition.pick({ id: true, provider: true, modelName: true }).extend({
  change: z.enum(["added", "changed", "removed"]),
  before: tiersOrNone,
  after: tiersOrNone,
  /** Whether matched names or prices at other times differ. */
  namesChanged: z.boolean(),
  timelineChanged: z.boolean(),
  /** Whether the project overrides this default. */
  overridden: z.boolean(),
});
export type ChangedDefault = z.infer<typeof changedDefault>;

export const catalogueReply = z.object({
  catalogue: z.object({
    /** When the default prices in force were published. */
    date: z.string(),
    /** `shipped` with the release, or `loaded` by the operator. */
    source: z.enum(["shipped", "loaded"]),
    definitions: z.int(),
    /** When the operator applied it (Unix ms); `null` for a shipped catalogue that was never applied. */
    appliedAt: z.number().nullable(),
  }),
  /** The newest catalogue that is loaded but not yet applied; `null` when there is none. */
  update: z
    .object({
      date: z.string(),
      loadedAt: z.number(),
      added: z.int(),
      changed: z.int(),
      removed: z.int(),
      changes: z.array(changedDefault),
      /** Ids of the project's overrides of defaults that the update changes or removes. */
      overrides: z.array(z.string()),
    })
    .nullable(),
});
