import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { markContentForErasure } from "@/server/services/files";
import { queueManifestRemovals } from "@/server/services/trainers";

/**
 * Erases, in the caller's transaction, what trainings froze and quoted from a Dataset that is being deleted, here and on
 * trainers. Its Examples are what links these texts to users, so without them a later deletion of a user could not find the
 * texts. Jobs and checkpoints stay.
 */
export async function eraseFrozen(tx: Ctx, datasetId: string): Promise<void> {
  const manifests = await tx.db.execute<{ sha256: string; file_id: string }>(sql`
    with held as (
      select sha256, file_id from training_manifests
      where project_id = ${tx.projectId} and dataset_id = ${datasetId} and file_id is not null
    )
    update training_manifests m set erased_at = ${NOW}, file_id = null
    from held h where m.project_id = ${tx.projectId} and m.sha256 = h.sha256
    returning m.sha256, h.file_id`);
  await markContentForErasure(
    tx,
    manifests.map(({ file_id }) => file_id),
  );
  await queueManifestRemovals(
    tx,
    manifests.map(({ sha256 }) => sha256),
  );
  await tx.db.execute(sql`
    delete from evaluation_rows where project_id = ${tx.projectId} and dataset_id = ${datasetId}`);
  await tx.db.execute(sql`
    delete from training_events e using training_jobs j
    where j.project_id = ${tx.projectId} and j.dataset_id = ${datasetId}
      and e.project_id = j.project_id and e.job_id = j.id and e.type in ('sample', 'dataset.report')`);
}
