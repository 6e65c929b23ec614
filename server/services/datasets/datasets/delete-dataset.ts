import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { datasets } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { datasetDeleted } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { lockDataset } from "../examples/lock-dataset";
import { datasetJson, isDataset, readDatasetRow } from "./read-dataset";
import { datasetIdInput } from "./schemas";

export const deleteDataset = verb(
  {
    name: "datasets.delete",
    summary: "Delete a Dataset with its Examples and versions.",
    description: "It is gone at once for every reader; its rows are deleted in the background.",
    effect: "write",
    capability: "models:manage",
    input: datasetIdInput,
    reply: okReply,
  },
  async (ctx, { datasetId }) => {
    await lockDataset(ctx, datasetId);
    const { name, exampleCount } = datasetJson(await readDatasetRow(ctx, datasetId));
    await ctx.db.update(datasets).set({ deletedAt: NOW }).where(isDataset(ctx, datasetId));
    await emit(ctx.db, datasetDeleted.create({ projectId: ctx.projectId, datasetId }));
    auditNote(ctx, { before: { name, exampleCount }, after: null });
    return { ok: true as const };
  },
);

const ROWS_A_STATEMENT = 5_000;
/** Those with many rows; the others go with the Dataset's own row. */
const LARGE_TABLES = ["example_revisions", "example_candidates"] as const;

/** Deletes the rows of a deleted Dataset for about `forMs`, in batches that commit. Returns whether all are gone. */
export async function deleteDatasetRows(
  db: Db,
  { projectId, datasetId }: { projectId: string; datasetId: string },
  { forMs, jobName }: { forMs: number; jobName: string },
): Promise<{ done: boolean }> {
  const ctx: Ctx = { db, projectId: projectId as ProjectId, actor: { kind: "job", name: jobName } };
  const until = performance.now() + forMs;
  const deleted = and(eq(datasets.projectId, projectId), eq(datasets.id, datasetId), isNotNull(datasets.deletedAt));
  if ((await db.$count(datasets, deleted)) === 0) return { done: true };
  for (const table of LARGE_TABLES) {
    for (let gone = ROWS_A_STATEMENT; gone === ROWS_A_STATEMENT; ) {
      gone = await deleteSome(ctx, table, datasetId);
      if (performance.now() > until) return { done: false };
    }
  }
  await db.delete(datasets).where(deleted);
  return { done: true };
}

const deleteSome = (ctx: Ctx, table: (typeof LARGE_TABLES)[number], datasetId: string) =>
  inTransaction(ctx, async (tx) => {
    const name = sql.identifier(table);
    const rows = await tx.db.execute(sql`
      delete from ${name} where project_id = ${tx.projectId} and ctid = any(array(
        select ctid from ${name} where project_id = ${tx.projectId} and dataset_id = ${datasetId} limit ${ROWS_A_STATEMENT}))
      returning 1`);
    return rows.length;
  });

/** Returns the deleted Datasets of all projects that still have rows, oldest first. */
export const unfinishedDatasetDeletions = (db: Db) =>
  db
    .select({ id: datasets.id, projectId: datasets.projectId })
    .from(datasets)
    .where(isNotNull(datasets.deletedAt))
    .orderBy(datasets.deletedAt, datasets.id);
