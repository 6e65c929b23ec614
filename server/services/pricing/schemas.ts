import { z } from "zod";
import { CONDITION_OPERATORS, PRICE_PROVIDERS } from "@/db/schema/enumerations";
import type { CatalogueFile, PricingTier, TierCondition } from "@/db/schema/json";

export type { CatalogueFile, PricingTier, TierCondition };
export { CONDITION_OPERATORS, PRICE_PROVIDERS };
export type PriceProvider = (typeof PRICE_PROVIDERS)[number];

/** A model's name as a client reports it. */
export const modelName = z.string().regex(/\S/, "Name a model.");

/** Returns a pattern for exactly this name, letter case aside as everywhere. */
export const patternOfName = (name: string) => `^${name.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")}$`;

/**
 * Tokens by known bucket, and every other detail by the client's own name (`web_searches`, `audio_seconds`). No count contains
 * another: a detail that is part of a bucket, such as `input_audio_tokens` of the input, is not counted in it.
 */
export const usage = z.record(z.string(), z.number().min(0));
export type Usage = z.infer<typeof usage>;

export const PRICE_SOURCES = ["default", "project_override", "project_custom"] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** Holds when the sum of all buckets and details whose name matches `usageDetailPattern` (RE2, case-insensitive) compares so. */
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

/** Which definition and tier a model name came to. */
export const priceMatch = z.object({
  model: z.object({ id: z.string(), provider: z.enum(PRICE_PROVIDERS), modelName: z.string() }),
  pricingTier: z.object({ id: z.string(), name: z.string() }),
  source: z.enum(PRICE_SOURCES),
});
export type PriceMatch = z.infer<typeof priceMatch>;

/**
 * What one model call cost, US dollars. `breakdown` has every bucket and detail with usage. A known bucket without a price is
 * `null` and named in `unpriced`, and then `total` is `null`. A detail without a price of its own is named in
 * `unpricedDetails`: one that is part of a bucket costs what that costs, any other is `null` and leaves the total alone.
 * `prices` are those of the tier that were used, by what they were used for; `pricesVersion` says where they come from
 * (`default@<catalogue date>` or `<definition id>@<version>`).
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

/** What a call would cost: in the very form that is stored with one. Both are `null` where no price is known. */
export const priceEstimate = z.object({ match: priceMatch.nullable(), cost: cost.nullable() });

/**
 * A definition as it was from `effectiveFrom` until `supersededAt` (Unix ms; `null`: it is in force). `version` is
 * what stored costs name behind an `@`; prices of the catalogue have none, they go by its date. Who changed and ended
 * it are ids of a person or a key, with the name of one who is still there.
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

/** A catalogue of default prices, as `npm run prices:update` writes it. `date` is when its prices were published. */
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
/** A default price that an update brings, changes or removes; `before` and `after` are its prices in force today. */
export const changedDefault = priceDefinition.pick({ id: true, provider: true, modelName: true }).extend({
  change: z.enum(["added", "changed", "removed"]),
  before: tiersOrNone,
  after: tiersOrNone,
  /** What else is not the same: names that it answers to, or prices of another time. */
  namesChanged: z.boolean(),
  timelineChanged: z.boolean(),
  /** The project has its own price in the place of it. */
  overridden: z.boolean(),
});
export type ChangedDefault = z.infer<typeof changedDefault>;

export const catalogueReply = z.object({
  catalogue: z.object({
    /** The day on which the default prices in force were published. */
    date: z.string(),
    /** `shipped` with the release, or `loaded` by the operator. */
    source: z.enum(["shipped", "loaded"]),
    definitions: z.int(),
    /** When it was put in force, where the operator did that (Unix ms). */
    appliedAt: z.number().nullable(),
  }),
  /** The newest catalogue that is loaded and waits to be applied; `null` when none does. */
  update: z
    .object({
      date: z.string(),
      loadedAt: z.number(),
      added: z.int(),
      changed: z.int(),
      removed: z.int(),
      changes: z.array(changedDefault),
      /** Ids of the project's overrides whose default the update changes or removes. */
      overrides: z.array(z.string()),
    })
    .nullable(),
});
