import { and, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { modelPriceDefinitions, projects } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { APPLIED_DATE, catalogueOf, dateInForce } from "../catalogue/catalogue-in-force";
import { type Catalogue, SHIPPED } from "../catalogue/default-prices";
import { definitionOf } from "../definitions/stored-definition";
import { createPriceBook, type PriceBook, type ProjectPrice } from "./resolve-price";

type Project = Pick<Ctx, "db" | "projectId">;

const BOOKS_MAX = 100;
const books = new LRUCache<string, { revision: string; book: PriceBook }>({ max: BOOKS_MAX });
const PAST_BOOKS_MAX = 4;
const pastBooks = new LRUCache<string, PriceBook>({ max: PAST_BOOKS_MAX });

/**
 * Returns the prices in force in the caller's project. Reads only the project's revision from the database (one row by
 * primary key); the book is cached until that changes, so a change takes effect with the next call in every process.
 */
export async function currentPriceBook(ctx: Project): Promise<PriceBook> {
  const { revision, catalogue: date } = await revisionOf(ctx);
  const cached = books.get(ctx.projectId);
  if (cached?.revision === revision) return cached.book;

  const catalogue = (await catalogueOf(ctx.db, date)) ?? SHIPPED;
  const book = createPriceBook(catalogue.models, await projectPrices(ctx, IN_FORCE), catalogue.version);
  books.set(ctx.projectId, { revision, book });
  return book;
}

/** Identifies a set of prices: the revision of the project's own and the date of the catalogue. */
export type PriceRevision = { pricingVersion: number; catalogue: string };

export async function currentPriceRevision({ db, projectId }: Project): Promise<PriceRevision> {
  const [row] = await db
    .select({ pricingVersion: projects.pricingVersion, applied: APPLIED_DATE })
    .from(projects)
    .where(eq(projects.id, projectId));
  return { pricingVersion: row?.pricingVersion ?? 0, catalogue: dateInForce(row?.applied ?? null) };
}

/** Returns the prices of a revision, or `null` when this installation does not have its catalogue. */
export async function priceBookAtRevision(
  ctx: Project,
  { pricingVersion, catalogue: date }: PriceRevision,
): Promise<PriceBook | null> {
  const key = `${ctx.projectId} ${pricingVersion} ${date}`;
  const cached = pastBooks.get(key);
  if (cached) return cached;
  const catalogue: Catalogue | null = await catalogueOf(ctx.db, date);
  if (!catalogue) return null;
  const { sinceRevision, untilRevision } = modelPriceDefinitions;
  const then = and(lte(sinceRevision, pricingVersion), or(isNull(untilRevision), gt(untilRevision, pricingVersion)));
  const book = createPriceBook(catalogue.models, await projectPrices(ctx, then), catalogue.version);
  pastBooks.set(key, book);
  return book;
}

/**
 * Returns a book with the project's price versions that were in force at a moment (Unix ms). Past default prices come from
 * the current catalogue, which has its price history (`at` of `resolve`).
 */
export async function priceBookAsOf(ctx: Project, at: number): Promise<PriceBook> {
  const { projectId, effectiveFrom, supersededAt } = modelPriceDefinitions;
  const moment = sql`${at}::bigint`;
  const [changes] = await ctx.db
    .select({
      last: sql<string | null>`greatest(
        max(${effectiveFrom}) filter (where ${effectiveFrom} <= ${moment}),
        max(${supersededAt}) filter (where ${supersededAt} <= ${moment}))`,
      since: sql<boolean>`coalesce(bool_or(${effectiveFrom} > ${moment} or ${supersededAt} > ${moment}), false)`,
    })
    .from(modelPriceDefinitions)
    .where(eq(projectId, ctx.projectId));
  if (!changes?.since) return currentPriceBook(ctx);

  const { revision, catalogue: date } = await revisionOf(ctx);
  const key = `${ctx.projectId} ${revision} as of ${changes.last}`;
  const cached = pastBooks.get(key);
  if (cached) return cached;
  const catalogue = (await catalogueOf(ctx.db, date)) ?? SHIPPED;
  const then = and(lte(effectiveFrom, at), or(isNull(supersededAt), gt(supersededAt, at)));
  const book = createPriceBook(catalogue.models, await projectPrices(ctx, then), catalogue.version);
  pastBooks.set(key, book);
  return book;
}

/**
 * Includes `xmin`, the transaction that wrote the row: a version number that is read in a transaction and then rolled back
 * is reused for other prices.
 */
async function revisionOf({ db, projectId }: Project) {
  const [row] = await db
    .select({
      revision: sql<string>`${projects.pricingVersion} || '/' || ${projects}.xmin::text`,
      applied: APPLIED_DATE,
    })
    .from(projects)
    .where(eq(projects.id, projectId));
  const catalogue = dateInForce(row?.applied ?? null);
  return { revision: `${row?.revision ?? "none"}/${catalogue}`, catalogue };
}

const IN_FORCE = isNull(modelPriceDefinitions.supersededAt);

async function projectPrices({ db, projectId }: Project, which: SQL | undefined): Promise<ProjectPrice[]> {
  const rows = await db
    .select()
    .from(modelPriceDefinitions)
    .where(and(eq(modelPriceDefinitions.projectId, projectId), which));
  return rows.map((row) => ({ version: row.version, definition: definitionOf(row) }));
}
