import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { datasets, trainingJobs, tuningConfigs } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { datasetDeleted } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { eraseMarkedFiles } from "@/server/services/files";
import { lockDataset } from "../examples/lock-dataset";
import { eraseImportFiles } from "../imports/forget-imports";
import { eraseFrozen } from "./erase-frozen";
import { datasetJson, isDataset, readDatasetRow } from "./read-dataset";
import { datasetIdInput } from "./schemas";

export const deleteDataset = verb(
  {
    name: "datasets.delete",
    summary: "Delete a Dataset with its Examples and versions.",
    description:
      "It disappears immediately; its rows are deleted in the background, and so are imported files that contain Examples made from conversations. 409 while a training job that uses it is unfinished.",
    effect: "write",
    capability: "models:manage",
    input: datasetIdInput,
    reply: okReply,
  },
  async (ctx, { datasetId }) => {
    await lockDataset(ctx, datasetId);
    await requireUntrained(ctx, datasetId);
    await requireNoTuningConfig(ctx, datasetId);
    const { name, exampleCount } = datasetJson(await readDatasetRow(ctx, datasetId));
    await ctx.db.update(datasets).set({ deletedAt: NOW }).where(isDataset(ctx, datasetId));
    await emit(ctx.db, datasetDeleted.create({ projectId: ctx.projectId, datasetId }));
    auditNote(ctx, { before: { name, exampleCount }, after: null });
    return { ok: true as const };
  },
);

/**
 * Throws `conflict` while a training job uses the Dataset. Safe under the Dataset's lock, since jobs are queued under it too.
 */
async function requireUntrained({ db, projectId }: Ctx, datasetId: string) {
  const [job] = await db
    .select({ name: trainingJobs.name })
    .from(trainingJobs)
    .where(
      and(
        eq(trainingJobs.projectId, projectId),
        eq(trainingJobs.datasetId, datasetId),
        isNull(trainingJobs.finishedAt),
      ),
    )
    .limit(1);
  if (job) {
    throw new ServiceError(
      "conflict",
      `The training job “${job.name}” trains on this Dataset. Wait until it has ended, or cancel it.`,
    );
  }
}

async function requireNoTuningConfig({ db, projectId }: Ctx, datasetId: string) {
  const [config] = await db
    .select({ name: tuningConfigs.name })
    .from(tuningConfigs)
    .where(and(eq(tuningConfigs.projectId, projectId), eq(tuningConfigs.datasetId, datasetId)))
    .orderBy(asc(tuningConfigs.createdAt))
    .limit(1);
  if (!config) return;
  throw new ServiceError(
    "conflict",
    `The tuning configuration “${config.name}” trains on this Dataset. Delete it or give it another Dataset first.`,
  );
}

const ROWS_A_STATEMENT = 5_000;
/** Tables with many rows per Dataset; the others are deleted with the Dataset's own row. */
const LARGE_TABLES = ["example_revisions", "example_candidates"] as const;

/**
 * Deletes the rows of a deleted Dataset for about `forMs`, in batches that each commit, and at least one batch. Returns
 * whether all are gone.
 */
export async function deleteDatasetRows(
  db: Db,
  { projectId, datasetId }: { projectId: string; datasetId: string },
  { forMs, jobName }: { forMs: number; jobName: string },
): Promise<{ done: boolean }> {
  const ctx: Ctx = { db, projectId: projectId as ProjectId, actor: { kind: "job", name: jobName } };
  const until = performance.now() + forMs;
  const deleted = and(eq(datasets.projectId, projectId), eq(datasets.id, datasetId), isNotNull(datasets.deletedAt));
  if ((await db.$count(datasets, deleted)) === 0) return { done: true };
  // While its Examples still exist: until then, a deletion of a user finds both.
  await inTransaction(ctx, (tx) => eraseFrozen(tx, datasetId));
  for (const table of LARGE_TABLES) {
    for (let gone = ROWS_A_STATEMENT; gone === ROWS_A_STATEMENT; ) {
      gone = await deleteSome(ctx, table, datasetId);
      if (gone > 0 && performance.now() > until) return { done: false };
    }
  }
  await inTransaction(ctx, async (tx) => {
    await eraseImportFiles(tx, await importsWithSources(tx, datasetId));
    await tx.db.delete(datasets).where(deleted);
  });
  await eraseMarkedFiles(ctx);
  return { done: true };
}

/**
 * Returns the imports of a Dataset whose files contain Examples made from conversations. What is known about such a file is
 * deleted with the Dataset, so the file is deleted while it can still be found; one that another Dataset also imported stays.
 */
async function importsWithSources({ db, projectId }: Ctx, datasetId: string): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select i.id from dataset_imports i
    where i.project_id = ${projectId} and i.dataset_id = ${datasetId} and i.file_erased_at is null
      and exists (select 1 from dataset_import_sources s where s.project_id = i.project_id and s.import_id = i.id)
      and not exists (
        select 1 from dataset_imports o
        join dataset_import_sources s on s.project_id = o.project_id and s.import_id = o.id
        where o.project_id = i.project_id and o.file_id = i.file_id and o.dataset_id <> i.dataset_id)`);
  return [...rows].map(({ id }) => id);
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
