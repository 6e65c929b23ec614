import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { datasetImports, datasetVersions } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { lockDataset } from "../examples/lock-dataset";
import { closeVersion } from "../versions/open-version";
import { type ImportRow, isImport } from "./read-imports";
import { takeBackRows } from "./take-back";

async function versionOf(tx: Ctx, row: ImportRow): Promise<number | null> {
  const [found] = await tx.db
    .select({ number: datasetVersions.number })
    .from(datasetVersions)
    .where(
      and(
        eq(datasetVersions.projectId, tx.projectId),
        eq(datasetVersions.datasetId, row.datasetId),
        eq(datasetVersions.kind, "import"),
        eq(datasetVersions.causeId, row.id),
      ),
    );
  return found?.number ?? null;
}

/** Locks an import, and returns whether it has not been cancelled or continued since `row` was read. */
async function isUnchanged(tx: Ctx, row: ImportRow): Promise<boolean> {
  const { status, rowsDone } = datasetImports;
  const [now] = await tx.db
    .select({ status, rowsDone })
    .from(datasetImports)
    .where(isImport(tx, row.id))
    .for("no key update");
  return now?.status === row.status && now.rowsDone === row.rowsDone;
}

const statusOf = (row: ImportRow) => {
  if (row.status === "cancelling") return row.error === null ? ("cancelled" as const) : ("failed" as const);
  return row.rejected > 0 ? ("completed_with_errors" as const) : ("completed" as const);
};

/**
 * Ends an import whose rows are all read, or that was cancelled or has failed: closes its version, or takes back what it
 * stored, some rows per call. The import is unfinished until then. Does nothing if the import has changed since `row` was read.
 */
export const endImport = (ctx: Ctx, row: ImportRow): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const dataset = await lockDataset(tx, row.datasetId);
    if (!(await isUnchanged(tx, row))) return;
    const version = await versionOf(tx, row);
    const isTakenBack = row.status === "cancelling" && row.onError === "all_or_nothing";
    if (isTakenBack && version !== null) {
      await takeBackRows(tx, dataset, version);
      return;
    }
    if (version !== null) await closeVersion(tx, dataset, row.id);
    await tx.db
      .update(datasetImports)
      .set({
        status: statusOf(row),
        version,
        finishedAt: NOW,
        ...(row.status === "storing" && { bytesDone: row.bytesTotal }),
        ...(isTakenBack && { rowsDone: 0, created: 0, updated: 0, duplicate: 0 }),
      })
      .where(isImport(tx, row.id));
  });
