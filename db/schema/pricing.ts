import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import type { CatalogueFile, PricingTier } from "./json";
import { owningProjectId } from "./projects";

/**
 * A project's own price definitions, all versions; the one in force has no `superseded_at`. Defaults are not stored here:
 * they ship with the code or a catalogue. An override uses the id of the default it replaces, which is also its
 * `base_model_price_id`; its version numbers continue after a reset, so that a cost's version stays unambiguous.
 */
export const modelPriceDefinitions = pgTable(
  "model_price_definitions",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    version: integer("version").notNull(),
    baseModelPriceId: text("base_model_price_id"),
    provider: text("provider").notNull(),
    modelName: text("model_name").notNull(),
    matchPattern: text("match_pattern").notNull(),
    pricingTiers: jsonb("pricing_tiers").$type<PricingTier[]>().notNull(),
    effectiveFrom: unixMs("effective_from").notNull(),
    supersededAt: unixMs("superseded_at"),
    /** A person or a key. */
    createdBy: text("created_by"),
    supersededBy: text("superseded_by"),
    /** In force from this revision of the project's prices (`projects.pricing_version`) up to but excluding the other one. */
    sinceRevision: integer("since_revision").notNull().default(0),
    untilRevision: integer("until_revision"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id, t.version] }),
    uniqueIndex("model_price_definitions_in_force")
      .on(t.projectId, t.provider, t.modelName)
      .where(sql`superseded_at is null`),
  ],
);

/**
 * Catalogues of default prices that an operator has loaded besides the one shipped with the code, for the whole installation.
 * Never deleted, because stored costs refer to them. The last one applied is in force until a release ships a newer one.
 */
export const priceCatalogues = pgTable("price_catalogues", {
  /** The day on which its prices were published, such as `2026-09-23`. */
  date: text("date").primaryKey(),
  /** The file's content as `npm run prices:update` writes it. */
  content: jsonb("content").$type<CatalogueFile>().notNull(),
  loadedAt: createdAt(),
  /** Null while it is a candidate. */
  appliedAt: unixMs("applied_at"),
});
