import { eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { priceCatalogues } from "@/db/schema";
import { type Catalogue, catalogueFrom, SHIPPED } from "./default-prices";

/** An applied catalogue never changes, so what was read of one holds. */
const CATALOGUES_MAX = 4;
const read = new LRUCache<string, Catalogue>({ max: CATALOGUES_MAX });

/** Within another query: the day of the catalogue that was applied last; `null` when none was. */
export const APPLIED_DATE = sql<string | null>`(
  select ${priceCatalogues.date} from ${priceCatalogues} where ${priceCatalogues.appliedAt} is not null
  order by ${priceCatalogues.appliedAt} desc, ${priceCatalogues.date} desc limit 1)`;

/** The one applied last, unless the code has come with a newer one since. */
export const dateInForce = (applied: string | null) =>
  applied !== null && applied > SHIPPED.date ? applied : SHIPPED.date;

/** The catalogue of this day: applied at some time, or the code's. `null` when this installation has none such. */
export async function catalogueOf(db: Db, date: string): Promise<Catalogue | null> {
  if (date === SHIPPED.date) return SHIPPED;
  const kept = read.get(date);
  if (kept) return kept;
  const [row] = await db.select().from(priceCatalogues).where(eq(priceCatalogues.date, date));
  if (!row?.appliedAt) return null;
  const catalogue = catalogueFrom(row.content);
  read.set(date, catalogue);
  return catalogue;
}

/** The default prices that hold in this installation now. */
export async function catalogueInForce(db: Db): Promise<Catalogue> {
  const [row] = await db.execute<{ applied: string | null }>(sql`select ${APPLIED_DATE} as applied`);
  return (await catalogueOf(db, dateInForce(row?.applied ?? null))) ?? SHIPPED;
}
