import { and, eq, isNull, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { modelPriceDefinitions, projects } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DEFAULT_MODELS, DEFAULTS_VERSION } from "./catalogue/default-prices";
import { createPriceBook, type PriceBook, type ProjectPrice } from "./resolve-price";
import { definitionOf } from "./stored-definition";

const BOOKS_KEPT = 100;
const books = new LRUCache<string, { revision: string; book: PriceBook }>({ max: BOOKS_KEPT });

/**
 * The prices that hold in the caller's project. Asks the database for the project's revision only (one row by primary
 * key); the book itself is kept in memory until that changes, so a change is in effect at the next call, in every process.
 */
export async function priceBookOf(ctx: Pick<Ctx, "db" | "projectId">): Promise<PriceBook> {
  const revision = await revisionOf(ctx);
  const kept = books.get(ctx.projectId);
  if (kept?.revision === revision) return kept.book;

  const book = createPriceBook(DEFAULT_MODELS, await projectPrices(ctx), DEFAULTS_VERSION);
  books.set(ctx.projectId, { revision, book });
  return book;
}

/**
 * `xmin` is the transaction that wrote the row: without it, a version number seen inside a transaction that is then
 * rolled back would come again with other prices behind it.
 */
async function revisionOf({ db, projectId }: Pick<Ctx, "db" | "projectId">): Promise<string> {
  const [row] = await db
    .select({ revision: sql<string>`${projects.pricingVersion} || '/' || ${projects}.xmin::text` })
    .from(projects)
    .where(eq(projects.id, projectId));
  return row?.revision ?? "none";
}

async function projectPrices({ db, projectId }: Pick<Ctx, "db" | "projectId">): Promise<ProjectPrice[]> {
  const rows = await db
    .select()
    .from(modelPriceDefinitions)
    .where(and(eq(modelPriceDefinitions.projectId, projectId), isNull(modelPriceDefinitions.supersededAt)));
  return rows.map((row) => ({ version: row.version, definition: definitionOf(row) }));
}
