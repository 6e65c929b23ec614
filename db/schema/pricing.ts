import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { PricingTier } from "@/server/services/pricing/schemas";
import { createdAt, projectId, unixMs } from "./columns";
import { projects } from "./projects";

/**
 * A project's own price definitions, every version kept: the one in force has no `superseded_at`. Defaults are not
 * here, they ship with the code. An override goes by the id of the default that it replaces, which is also its
 * `base_model_price_id`: its versions go on counting when it is reset and made again, so that a cost's version is one.
 */
export const modelPriceDefinitions = pgTable(
  "model_price_definitions",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
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
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id, t.version] }),
    uniqueIndex("model_price_definitions_in_force")
      .on(t.projectId, t.provider, t.modelName)
      .where(sql`superseded_at is null`),
  ],
);
