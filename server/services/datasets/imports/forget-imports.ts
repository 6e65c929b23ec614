import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { importRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { markContentForErasure } from "@/server/services/files";
import { UNFINISHED_IMPORT_STATUSES } from "./schemas";

/** The error of an import whose file was deleted. */
export const FILE_ERASED = "The file contained Examples of a deleted user or conversation, and was deleted with them.";

/**
 * Marks the files of these imports, and others with the same content, for erasure. Each import of them records that its file is
 * gone; one in progress fails. After the commit, `eraseMarkedFiles` removes the content. Returns counts by table.
 */
export async function eraseImportFiles(
  tx: Ctx,
  importIds: readonly string[],
  why = FILE_ERASED,
): Promise<Record<string, number>> {
  if (importIds.length === 0) return {};
  const mine = sql`project_id = ${tx.projectId}`;
  const named = await tx.db.execute<{ file_id: string }>(sql`
    select distinct file_id from dataset_imports where ${mine} and id = any(${textArray(importIds)})`);
  const fileIds = [...named].map(({ file_id }) => file_id);
  const marked = await markContentForErasure(tx, fileIds);
  const isUnfinished = sql`status = any(${textArray(UNFINISHED_IMPORT_STATUSES)})`;
  const ended = await tx.db.execute<{ id: string; status: string }>(sql`
    update dataset_imports set file_erased_at = ${NOW},
      error = case when ${isUnfinished} then coalesce(error, ${why}) else error end,
      status = case when ${isUnfinished} then 'cancelling' else status end
    where ${mine} and file_erased_at is null and file_id = any(${textArray([...new Set([...fileIds, ...marked])])})
    returning id, status`);
  const unfinished = [...ended].filter(({ status }) => status === "cancelling");
  await emit(tx.db, ...unfinished.map(({ id }) => importRequested.create({ projectId: tx.projectId, importId: id })));
  const all = [...new Set([...importIds, ...[...ended].map(({ id }) => id)])];
  const sources = await tx.db.execute(sql`
    delete from dataset_import_sources where ${mine} and import_id = any(${textArray(all)}) returning 1`);
  return { files: marked.length, dataset_import_sources: sources.length };
}

/** Does the same for the imports whose files contain Examples that meet the condition (on conversation or user). */
export async function forgetImports(tx: Ctx, condition: SQL): Promise<Record<string, number>> {
  const found = await tx.db.execute<{ import_id: string }>(sql`
    select distinct import_id from dataset_import_sources where project_id = ${tx.projectId} and ${condition}`);
  return eraseImportFiles(
    tx,
    [...found].map(({ import_id }) => import_id),
  );
}
