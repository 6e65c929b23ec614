import { and, desc, eq, gt, isNull } from "drizzle-orm";
import { z } from "zod";
import { modelPriceDefinitions, priceCatalogues } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { catalogueReply } from "../schemas";
import { catalogueInForce } from "./catalogue-in-force";
import { compareCatalogues } from "./compare-catalogues";
import { type Catalogue, catalogueFrom, SHIPPED } from "./default-prices";

export const getPriceCatalogue = verb(
  {
    name: "modelPrices.catalogue",
    summary: "Read the date of the default prices, and what a pending update would change.",
    description:
      "Default prices are shipped with the release; the operator can load newer ones (`cli prices load`) and, after reviewing the changes here, apply them (`cli prices apply`). Stored costs do not change; `overrides` are the project's prices that continue to override a changed default.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.object({}),
    reply: catalogueReply,
  },
  async (ctx) => {
    const current = await catalogueInForce(ctx.db);
    const [applied] = await ctx.db
      .select({ appliedAt: priceCatalogues.appliedAt })
      .from(priceCatalogues)
      .where(eq(priceCatalogues.date, current.date));
    return {
      catalogue: {
        date: current.date,
        source: current === SHIPPED ? ("shipped" as const) : ("loaded" as const),
        definitions: current.models.length,
        appliedAt: applied?.appliedAt ?? null,
      },
      update: await updateOf(ctx, current),
    };
  },
);

async function updateOf(ctx: Ctx, current: Catalogue) {
  const [pending] = await ctx.db
    .select()
    .from(priceCatalogues)
    .where(and(isNull(priceCatalogues.appliedAt), gt(priceCatalogues.date, current.date)))
    .orderBy(desc(priceCatalogues.date))
    .limit(1);
  if (!pending) return null;
  const own = await ctx.db
    .select({ id: modelPriceDefinitions.baseModelPriceId })
    .from(modelPriceDefinitions)
    .where(and(eq(modelPriceDefinitions.projectId, ctx.projectId), isNull(modelPriceDefinitions.supersededAt)));
  const overridden = new Set(own.map(({ id }) => id));
  const changes = compareCatalogues(current, catalogueFrom(pending.content), Date.now()).map((change) => ({
    ...change,
    overridden: overridden.has(change.id),
  }));
  const count = (kind: string) => changes.filter(({ change }) => change === kind).length;
  return {
    date: pending.date,
    loadedAt: pending.loadedAt,
    added: count("added"),
    changed: count("changed"),
    removed: count("removed"),
    changes,
    overrides: changes.filter((one) => one.overridden && one.change !== "added").map(({ id }) => id),
  };
}
