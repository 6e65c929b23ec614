import { and, eq } from "drizzle-orm";
import { checkpoints, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { knownBaseModel } from "@/server/services/models";
import type { BaseModelChoice } from "../settings/schemas";
import type { Start } from "./job-spec";

/** Returns the starting point of a training; throws 422 for a model or a checkpoint that is unknown in the project. */
export async function resolveStart(ctx: Ctx, choice: BaseModelChoice): Promise<Start> {
  if ("checkpointId" in choice) return fromCheckpoint(ctx, choice.checkpointId);
  const known = await knownBaseModel(ctx, choice);
  if (!known) {
    throw unprocessable(
      "/baseModel",
      `The base model ${choice.id} is not known. Choose one from the list of base models, or add it to the project first.`,
    );
  }
  return { ...known, checkpoint: null, trainerId: null };
}

async function fromCheckpoint({ db, projectId }: Ctx, checkpointId: string): Promise<Start> {
  const [found] = await db
    .select({ checkpoint: checkpoints, trainerId: trainingJobs.trainerId, spec: trainingJobs.spec })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, checkpointId)));
  const path = "/baseModel/checkpointId";
  if (!found) throw unprocessable(path, "The checkpoint was not found in this project.");
  const { checkpoint, trainerId, spec } = found;
  if (checkpoint.state === "pruned") {
    throw unprocessable(
      path,
      "The files of this checkpoint were deleted, per the settings of its job. Choose another.",
    );
  }
  const base = spec.base_model as { trust_remote_code?: boolean } | undefined;
  return {
    ...checkpoint.baseModel,
    source: "checkpoint",
    trustRemoteCode: base?.trust_remote_code === true,
    checkpoint,
    trainerId,
  };
}
