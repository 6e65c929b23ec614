import { and, eq } from "drizzle-orm";
import { checkpoints, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";

/** Returns a checkpoint with its job, or throws a 404. */
export async function requireCheckpoint({ db, projectId }: Ctx, id: string) {
  const [found] = await db
    .select({ checkpoint: checkpoints, job: trainingJobs })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, id)));
  if (!found) throw notFound("The checkpoint");
  return found;
}

/** Returns a checkpoint whose files its trainer still has, with its job; throws 404 and 422. */
export async function requireStoredCheckpoint(ctx: Ctx, id: string) {
  const found = await requireCheckpoint(ctx, id);
  if (found.checkpoint.state !== "pruned") return found;
  throw unprocessable("/checkpointId", "The files of this checkpoint were deleted, per the settings of its job.");
}
