import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { modelPriceDefinitions } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { pageInput, pagination } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { catalogueInForce } from "./catalogue/catalogue-in-force";
import type { DefaultModel } from "./catalogue/default-prices";
import { modelPriceIdInput } from "./definition-input";
import { type PriceVersion, priceVersion } from "./schemas";
import { definitionOf, type StoredDefinition } from "./stored-definition";

const versionOf = (row: StoredDefinition): PriceVersion => {
  const { provider, modelName, matchPattern, pricingTiers, source } = definitionOf(row);
  return {
    version: row.version,
    ...{ provider, modelName, matchPattern, pricingTiers, source },
    effectiveFrom: row.effectiveFrom,
    supersededAt: row.supersededAt,
    changedBy: row.createdBy,
    supersededBy: row.supersededBy,
  };
};

/** What the catalogue knows of a default's price over time, newest first. */
const catalogueVersions = (model: DefaultModel | undefined): PriceVersion[] =>
  (model?.timeline ?? [])
    .map(({ effectiveFrom, definition: { provider, modelName, matchPattern, pricingTiers, source } }, index, all) => ({
      version: null,
      ...{ provider, modelName, matchPattern, pricingTiers, source },
      effectiveFrom: effectiveFrom || null,
      supersededAt: all[index + 1]?.effectiveFrom ?? null,
      changedBy: null,
      supersededBy: null,
    }))
    .reverse();

export const listModelPriceVersions = verb(
  {
    name: "modelPrices.versions",
    summary: "List the versions of a price, newest first: what it was, from when to when, and who changed it.",
    description:
      "`versions` are the project's own; `catalogue` is what is known of the default's price over time, newest first. A price that was reset or deleted keeps its versions: stored costs name them.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.strictObject({ ...modelPriceIdInput.shape, ...pageInput }),
    reply: z.object({ versions: z.array(priceVersion), catalogue: z.array(priceVersion), pagination }),
  },
  async (ctx, { modelPriceId, limit, cursor }) => {
    const list = newestFirst({
      name: "model-price-versions",
      filters: { project: ctx.projectId, modelPriceId },
      time: modelPriceDefinitions.version,
      id: modelPriceDefinitions.id,
      limit,
      cursor,
    });
    const found = await ctx.db
      .select()
      .from(modelPriceDefinitions)
      .where(
        and(eq(modelPriceDefinitions.projectId, ctx.projectId), eq(modelPriceDefinitions.id, modelPriceId), list.after),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ version, id }) => [version, id]);
    const catalogue = catalogueVersions((await catalogueInForce(ctx.db)).byId.get(modelPriceId));
    if (cursor === undefined && rows.length + catalogue.length === 0) throw notFound("A price with this id");
    return { versions: rows.map(versionOf), catalogue, pagination: { limit, nextCursor } };
  },
);
