import { and, eq, inArray, notExists, or, sql } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import {
  checkpoints,
  deployments,
  evaluations,
  modelExports,
  trainingArtifacts,
  trainingJobs,
  trainingManifests,
} from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { markContentForErasure } from "@/server/services/files";
import { isJob, type JobRow } from "../jobs/read-jobs";

/** Deletes checkpoints with the ended deployments, exports, evaluations and certificates of them, and what was built. */
export async function deleteCheckpointRows({ db, projectId }: Ctx, ids: readonly string[]): Promise<void> {
  await db.delete(evaluations).where(and(eq(evaluations.projectId, projectId), isOneOf(evaluations.checkpointId, ids)));
  await db
    .delete(modelExports)
    .where(and(eq(modelExports.projectId, projectId), isOneOf(modelExports.checkpointId, ids)));
  await db.delete(deployments).where(and(eq(deployments.projectId, projectId), isOneOf(deployments.checkpointId, ids)));
  await db
    .delete(trainingArtifacts)
    .where(and(eq(trainingArtifacts.projectId, projectId), isOneOf(trainingArtifacts.checkpointId, ids)));
  await db.delete(checkpoints).where(and(eq(checkpoints.projectId, projectId), isOneOf(checkpoints.id, ids)));
}

/** Deletes a job with its log and charts, and the frozen Examples that no other job trains on. */
export async function deleteJobRows(tx: Ctx, job: JobRow): Promise<void> {
  await tx.db.delete(trainingJobs).where(isJob(tx, job.id));
  const hashes = [job.manifestSha256, ...(job.validationManifestSha256 ? [job.validationManifestSha256] : [])];
  const gone = await tx.db
    .delete(trainingManifests)
    .where(
      and(
        eq(trainingManifests.projectId, tx.projectId),
        inArray(trainingManifests.sha256, hashes),
        notExists(
          tx.db
            .select({ one: sql`1` })
            .from(trainingJobs)
            .where(
              and(
                eq(trainingJobs.projectId, tx.projectId),
                or(
                  eq(trainingJobs.manifestSha256, trainingManifests.sha256),
                  eq(trainingJobs.validationManifestSha256, trainingManifests.sha256),
                ),
              ),
            ),
        ),
      ),
    )
    .returning({ fileId: trainingManifests.fileId });
  await markContentForErasure(
    tx,
    gone.flatMap(({ fileId }) => fileId ?? []),
  );
}
