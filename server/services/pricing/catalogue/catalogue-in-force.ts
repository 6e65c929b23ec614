import { eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { priceCatalogues } from "@/db/schema";
import { type Catalogue, catalogueFrom, SHIPPED } from "./default-prices";

/** Safe to cache, because an applied catalogue never changes. */
const CATALOGUES_MAX = 4;
const read = new LRUCache<string, Catalogue>({ max: CATALOGUES_MAX });

/** SQL expression for the date of the catalogue that was applied last; `null` when none was. */
export const APPLIED_DATE = sql<string | null>`(
  select ${priceCatalogues.date} from ${priceCatalogues} where ${priceCatalogues.appliedAt} is not null
  order by ${priceCatalogues.appliedAt} desc, ${priceCatalogues.date} desc limit 1)`;

/** Returns the date of the last applied catalogue, or of the shipped one if that is newer. */
export const dateInForce = (applied: string | null) =>
  applied !== null && applied > SHIPPED.date ? applied : SHIPPED.date;

/** Returns the shipped or an applied catalogue by date, or `null` when this installation has none of that date. */
export async function catalogueOf(db: Db, date: string): Promise<Catalogue | null> {
  if (date === SHIPPED.date) return SHIPPED;
  const cached = read.get(date);
  if (cached) return cached;
  const [row] = await db.select().from(priceCatalogues).where(eq(priceCatalogues.date, date));
  if (!row?.appliedAt) return null;
  const catalogue = catalogueFrom(row.content);
  read.set(date, catalogue);
  return catalogue;
}

/** Returns the default prices currently in force in this installation. */
export async function catalogueInForce(db: Db): Promise<Catalogue> {
  const [row] = await db.execute<{ applied: string | null }>(sql`select ${APPLIED_DATE} as applied`);
  return (await catalogueOf(db, dateInForce(row?.applied ?? null))) ?? SHIPPED;
}
