import { type AnyColumn, and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { modelPriceDefinitions } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { pageInput, pagination } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { catalogueInForce } from "../catalogue/catalogue-in-force";
import type { DefaultModel } from "../catalogue/default-prices";
import { type PriceVersion, priceVersion } from "../schemas";
import { modelPriceIdInput } from "./definition-input";
import { definitionOf, type StoredDefinition } from "./stored-definition";

type Names = { changedBy: string | null; supersededBy: string | null };

const versionOf = (row: StoredDefinition, names: Names): PriceVersion => {
  const { provider, modelName, matchPattern, pricingTiers, source } = definitionOf(row);
  return {
    version: row.version,
    ...{ provider, modelName, matchPattern, pricingTiers, source },
    effectiveFrom: row.effectiveFrom,
    supersededAt: row.supersededAt,
    changedBy: row.createdBy,
    changedByName: names.changedBy,
    supersededBy: row.supersededBy,
    supersededByName: names.supersededBy,
  };
};

/** Returns the price history of a default according to the catalogue, newest first. */
const catalogueVersions = (model: DefaultModel | undefined): PriceVersion[] =>
  (model?.timeline ?? [])
    .map(({ effectiveFrom, definition: { provider, modelName, matchPattern, pricingTiers, source } }, index, all) => ({
      version: null,
      ...{ provider, modelName, matchPattern, pricingTiers, source },
      effectiveFrom: effectiveFrom || null,
      supersededAt: all[index + 1]?.effectiveFrom ?? null,
      changedBy: null,
      changedByName: null,
      supersededBy: null,
      supersededByName: null,
    }))
    .reverse();

/** Selects a person's name, not the email address, because everyone who may read prices sees it. */
function nameOf(column: AnyColumn) {
  // Qualified, because the tables of the subqueries have a column of the same name.
  const id = sql`${modelPriceDefinitions}.${sql.identifier(column.name)}`;
  return sql<
    string | null
  >`coalesce((select name from users where id = ${id}), (select name from api_keys where id = ${id}))`;
}

export const listModelPriceVersions = verb(
  {
    name: "modelPrices.versions",
    summary: "List the versions of a price, newest first, with when each was in effect and who changed it.",
    description:
      "`versions` are the project's own; `catalogue` is the known price history of the default, newest first. Versions of a price that was reset or deleted remain, because stored costs refer to them.",
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
      .select({
        row: modelPriceDefinitions,
        names: {
          changedBy: nameOf(modelPriceDefinitions.createdBy),
          supersededBy: nameOf(modelPriceDefinitions.supersededBy),
        },
      })
      .from(modelPriceDefinitions)
      .where(
        and(eq(modelPriceDefinitions.projectId, ctx.projectId), eq(modelPriceDefinitions.id, modelPriceId), list.after),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ row }) => [row.version, row.id]);
    const catalogue = catalogueVersions((await catalogueInForce(ctx.db)).byId.get(modelPriceId));
    if (cursor === undefined && rows.length + catalogue.length === 0) throw notFound("A price with this id");
    return {
      versions: rows.map(({ row, names }) => versionOf(row, names)),
      catalogue,
      pagination: { limit, nextCursor },
    };
  },
);
