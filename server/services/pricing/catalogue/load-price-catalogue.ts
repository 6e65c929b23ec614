import { desc, eq, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { priceCatalogues } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import { transact } from "@/server/platform/database/transact";
import { notFound, ServiceError } from "@/server/platform/errors";
import { compilePattern, isPattern } from "../matching/pattern";
import { type CatalogueFile, catalogueFile } from "../schemas";
import { catalogueInForce } from "./catalogue-in-force";
import { compareCatalogues } from "./compare-catalogues";
import { type Catalogue, catalogueFrom, SHIPPED, SHIPPED_FILE } from "./default-prices";

export type CatalogueDifference = {
  date: string;
  against: string;
  added: number;
  changed: number;
  removed: number;
};

/**
 * Loads a catalogue file (as written by `npm run prices:update`) as a candidate, which is not used until it is applied. A
 * candidate of the same date is replaced, but not a catalogue that was in force, because stored costs refer to it.
 */
export const loadPriceCatalogue = (database: Db, given: unknown): Promise<CatalogueDifference> =>
  transact(database, async (db) => {
    const content = parseCatalogueFile(given);
    const { date } = content.catalogue;
    const current = await catalogueInForce(db);
    if (date <= SHIPPED.date) {
      throw new ServiceError(
        "conflict",
        `This release ships with prices dated ${SHIPPED.date}; the file's prices are dated ${date}.`,
      );
    }
    const stored = await db
      .insert(priceCatalogues)
      .values({ date, content })
      .onConflictDoUpdate({
        target: priceCatalogues.date,
        set: { content, loadedAt: NOW },
        setWhere: isNull(priceCatalogues.appliedAt),
      })
      .returning({ date: priceCatalogues.date });
    if (stored.length === 0) {
      throw new ServiceError(
        "conflict",
        `Prices dated ${date} have already been in effect, and stored costs refer to them.`,
      );
    }
    await auditCatalogue(db, "priceCatalogues.load", date);
    return difference(current, catalogueFrom(content));
  });

/**
 * Puts a loaded catalogue, or the shipped one, in force from the next call on in every process. Stored costs change only by
 * a repricing.
 */
export const applyPriceCatalogue = (database: Db, date: string): Promise<CatalogueDifference> =>
  transact(database, async (db) => {
    const current = await catalogueInForce(db);
    if (date === SHIPPED.date) {
      await db.insert(priceCatalogues).values({ date, content: SHIPPED_FILE }).onConflictDoNothing();
    } else if (date < SHIPPED.date) {
      throw new ServiceError("conflict", `This release ships with newer prices, dated ${SHIPPED.date}.`);
    }
    const [row] = await db
      .update(priceCatalogues)
      .set({ appliedAt: NOW })
      .where(eq(priceCatalogues.date, date))
      .returning();
    if (!row) throw notFound(`A loaded catalogue dated ${date}`);
    await auditCatalogue(db, "priceCatalogues.apply", date);
    return difference(current, catalogueFrom(row.content));
  });

/** Returns all catalogues of the installation, newest first. */
export async function listPriceCatalogues(db: Db) {
  const { date: inForce } = await catalogueInForce(db);
  const { date, loadedAt, appliedAt } = priceCatalogues;
  const rows = await db.select({ date, loadedAt, appliedAt }).from(priceCatalogues).orderBy(desc(date));
  const shipped = rows.some((row) => row.date === SHIPPED.date)
    ? []
    : [{ date: SHIPPED.date, loadedAt: null, appliedAt: null }];
  return [...rows, ...shipped].map((row) => ({
    ...row,
    shipped: row.date === SHIPPED.date,
    inForce: row.date === inForce,
  }));
}

const auditCatalogue = (db: Db, action: string, date: string) =>
  recordAudit(db, {
    action,
    projectId: null,
    actor: { kind: "operator", id: null },
    target: { type: "priceCatalogue", id: date },
  });

function parseCatalogueFile(given: unknown): CatalogueFile {
  const parsed = catalogueFile.safeParse(given);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    throw new ServiceError("invalid", `Not a price catalogue: ${first?.path.join("/")}: ${first?.message}`);
  }
  const ids = new Set<string>();
  for (const { provider, modelName, matchPattern } of parsed.data.definitions) {
    const id = `${provider}:${modelName}`;
    const pattern = compilePattern(matchPattern);
    if (!isPattern(pattern)) throw new ServiceError("invalid", `Invalid pattern for ${id}: ${pattern.error}`);
    if (ids.has(id)) throw new ServiceError("invalid", `Duplicate definition ${id}.`);
    ids.add(id);
  }
  return parsed.data;
}

function difference(current: Catalogue, next: Catalogue): CatalogueDifference {
  const changes = compareCatalogues(current, next, Date.now());
  const count = (kind: string) => changes.filter(({ change }) => change === kind).length;
  return {
    date: next.date,
    against: current.date,
    added: count("added"),
    changed: count("changed"),
    removed: count("removed"),
  };
}
