import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { datasetImports, datasetVersions } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { lockDataset } from "../examples/lock-dataset";
import { closeVersion } from "../versions/open-version";
import type { ImportRow } from "./read-imports";
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

const statusOf = (row: ImportRow) => {
  if (row.status === "cancelling") return row.error === null ? ("cancelled" as const) : ("failed" as const);
  return row.rejected > 0 ? ("completed_with_errors" as const) : ("completed" as const);
};

/**
 * Ends an import whose rows are all read, or that is to stop: closes its version, or takes back what it stored, some rows in
 * each call. The import is unfinished until that is done.
 */
export const endImport = (ctx: Ctx, row: ImportRow): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const dataset = await lockDataset(tx, row.datasetId);
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
      .where(
        and(
          eq(datasetImports.projectId, tx.projectId),
          eq(datasetImports.id, row.id),
          eq(datasetImports.status, row.status),
          eq(datasetImports.rowsDone, row.rowsDone),
        ),
      );
  });
