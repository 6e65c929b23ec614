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
 * The prices that hold in the caller's project. Asks the database for the project's revision only (one row by primary
 * key); the book itself is kept in memory until that changes, so a change is in effect at the next call, in every process.
 */
export async function currentPriceBook(ctx: Project): Promise<PriceBook> {
  const { revision, catalogue: date } = await revisionOf(ctx);
  const kept = books.get(ctx.projectId);
  if (kept?.revision === revision) return kept.book;

  const catalogue = (await catalogueOf(ctx.db, date)) ?? SHIPPED;
  const book = createPriceBook(catalogue.models, await projectPrices(ctx, IN_FORCE), catalogue.version);
  books.set(ctx.projectId, { revision, book });
  return book;
}

/** Which prices hold: the revision of the project's own, and the day of the catalogue. */
export type PriceRevision = { pricingVersion: number; catalogue: string };

export async function currentPriceRevision({ db, projectId }: Project): Promise<PriceRevision> {
  const [row] = await db
    .select({ pricingVersion: projects.pricingVersion, applied: APPLIED_DATE })
    .from(projects)
    .where(eq(projects.id, projectId));
  return { pricingVersion: row?.pricingVersion ?? 0, catalogue: dateInForce(row?.applied ?? null) };
}

/** The prices as they held then. `null` where this installation does not have that catalogue any more. */
export async function priceBookAtRevision(
  ctx: Project,
  { pricingVersion, catalogue: date }: PriceRevision,
): Promise<PriceBook | null> {
  const key = `${ctx.projectId} ${pricingVersion} ${date}`;
  const kept = pastBooks.get(key);
  if (kept) return kept;
  const catalogue: Catalogue | null = await catalogueOf(ctx.db, date);
  if (!catalogue) return null;
  const { sinceRevision, untilRevision } = modelPriceDefinitions;
  const then = and(lte(sinceRevision, pricingVersion), or(isNull(untilRevision), gt(untilRevision, pricingVersion)));
  const book = createPriceBook(catalogue.models, await projectPrices(ctx, then), catalogue.version);
  pastBooks.set(key, book);
  return book;
}

/**
 * The prices as they were at a moment (Unix ms): the project's versions that were in force then. What a default cost
 * then, the catalogue of today says (`at` of `resolve`): it knows its prices over time.
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
  const kept = pastBooks.get(key);
  if (kept) return kept;
  const catalogue = (await catalogueOf(ctx.db, date)) ?? SHIPPED;
  const then = and(lte(effectiveFrom, at), or(isNull(supersededAt), gt(supersededAt, at)));
  const book = createPriceBook(catalogue.models, await projectPrices(ctx, then), catalogue.version);
  pastBooks.set(key, book);
  return book;
}

/**
 * `xmin` is the transaction that wrote the row: without it, a version number seen inside a transaction that is then
 * rolled back would come again with other prices behind it.
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
