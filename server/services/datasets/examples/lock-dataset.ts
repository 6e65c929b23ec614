import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { datasets } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";

/** A Dataset that the transaction writes to. Its writers keep the numbers up to date. */
export type LockedDataset = {
  readonly id: string;
  exampleCount: number;
  version: number;
  lastOrdinal: number;
  /** Unix ms, by the database's clock. */
  readonly now: number;
};

/**
 * Locks Datasets in a fixed order, including those being deleted, whose rows still exist. `ids` is a list or a query, as SQL.
 */
export const lockRowsOfDatasets = ({ db, projectId }: Ctx, ids: SQL) =>
  db.execute(sql`select 1 from datasets where project_id = ${projectId} and id = any(${ids}) order by id for update`);

/**
 * Locks a Dataset until the end of the transaction. Must come before any other row lock: every writer waits here, without
 * holding anything that another one needs.
 */
export async function lockDataset(tx: Ctx, datasetId: string): Promise<LockedDataset> {
  const [row] = await tx.db
    .select({
      id: datasets.id,
      exampleCount: datasets.exampleCount,
      version: datasets.version,
      lastOrdinal: datasets.lastOrdinal,
      now: NOW,
    })
    .from(datasets)
    .where(and(eq(datasets.projectId, tx.projectId), eq(datasets.id, datasetId), isNull(datasets.deletedAt)))
    .for("update");
  if (!row) throw notFound("The Dataset");
  return { ...row, now: Number(row.now) };
}

/**
 * Locks a Dataset until the end of the transaction, so that it is neither deleted nor changed; throws a 404 if it does not
 * exist.
 */
export const requireDataset = async (tx: Ctx, datasetId: string): Promise<void> =>
  void (await lockDataset(tx, datasetId));
