import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { datasets, datasetVersions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { type Counted, FacetChanges } from "../examples/lists/facet-counts";
import type { LockedDataset } from "../examples/lock-dataset";

/** Rows per transaction. */
const CHUNK_ROWS = 2_000;

/**
 * Takes back some of what the newest, open version stored, and removes the version once nothing is left of it. Everything that
 * it created is deleted before what it replaced is restored, because another Example may now have the replaced content.
 */
export async function takeBackRows(tx: Ctx, dataset: LockedDataset, version: number): Promise<void> {
  if (version !== dataset.version) throw new Error(`Version ${version} of ${dataset.id} is not the newest one.`);
  const removed = await removeStored(tx, dataset, version);
  const returned = removed.length > 0 ? [] : await reopenReplaced(tx, dataset, version);
  if (removed.length + returned.length === 0) return removeVersion(tx, dataset, version);
  const facets = new FacetChanges();
  for (const row of removed) facets.add(row, -1);
  for (const row of returned) facets.add(row, 1);
  await facets.store(tx, dataset.id);
  const exampleCount = dataset.exampleCount + returned.length - removed.length;
  await tx.db
    .update(datasets)
    .set({ exampleCount, updatedAt: NOW })
    .where(and(eq(datasets.projectId, tx.projectId), eq(datasets.id, dataset.id)));
  await tx.db
    .update(datasetVersions)
    .set({ exampleCount })
    .where(theVersion(tx, dataset, version));
}

const theVersion = (tx: Ctx, { id }: LockedDataset, version: number) =>
  and(
    eq(datasetVersions.projectId, tx.projectId),
    eq(datasetVersions.datasetId, id),
    eq(datasetVersions.number, version),
  );

const COUNTED = sql`r.split, r.source_kind, r.objective, r.tags, r.tokens`;

const removeStored = (tx: Ctx, { id }: LockedDataset, version: number) =>
  tx.db.execute<Counted>(sql`
    delete from example_revisions r
    where r.project_id = ${tx.projectId} and r.dataset_id = ${id} and r.from_version = ${version}
      and r.example_id = any(array(
        select example_id from example_revisions
        where project_id = ${tx.projectId} and dataset_id = ${id} and from_version = ${version}
        limit ${CHUNK_ROWS}))
    returning ${COUNTED}`);

const reopenReplaced = (tx: Ctx, { id }: LockedDataset, version: number) =>
  tx.db.execute<Counted>(sql`
    update example_revisions r set to_version = null
    where r.project_id = ${tx.projectId} and r.dataset_id = ${id} and r.to_version = ${version}
      and r.example_id = any(array(
        select example_id from example_revisions
        where project_id = ${tx.projectId} and dataset_id = ${id} and to_version = ${version}
        limit ${CHUNK_ROWS}))
    returning ${COUNTED}`);

async function removeVersion(tx: Ctx, dataset: LockedDataset, version: number) {
  await tx.db.delete(datasetVersions).where(theVersion(tx, dataset, version));
  await tx.db
    .update(datasets)
    .set({ version: version - 1, updatedAt: NOW })
    .where(and(eq(datasets.projectId, tx.projectId), eq(datasets.id, dataset.id)));
}
