import { and, eq, isNotNull, sql } from "drizzle-orm";
import { checkpoints } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { attachedTrainers, openTrainer, readCapabilities, trainerFailure } from "@/server/services/trainers";
import { requireStoredCheckpoint } from "./require-checkpoint";

const PATH = "/tokenizerPre";
const OLDER =
  "The trainer that has this checkpoint is of an earlier version, which takes the pre-tokenizer only with a training. Update it.";

/**
 * Stores llama.cpp's name of a checkpoint's pre-tokenizer, on its trainer and here, before something is built from it. Must not
 * be called inside a transaction.
 */
export async function setTokenizerPre(ctx: Ctx, checkpointId: string, tokenizerPre: string): Promise<void> {
  const { checkpoint, job } = await requireStoredCheckpoint(ctx, checkpointId);
  if (checkpoint.inferenceProfile === null) {
    throw unprocessable(PATH, "This checkpoint has no inference profile yet, which would store the pre-tokenizer.");
  }
  if (checkpoint.inferenceProfile.tokenizer_pre === tokenizerPre) return;
  const trainer = (await attachedTrainers(ctx.db)).find(({ id }) => id === job.trainerId);
  if (!readCapabilities(trainer?.capabilities).features.includes("tokenizer_pre")) {
    throw trainer ? unprocessable(PATH, OLDER) : new ServiceError("unavailable", "The trainer is not attached.");
  }
  try {
    const client = await openTrainer(ctx.db, trainer?.id ?? "");
    await client.request({
      method: "PUT",
      path: `/checkpoints/${encodeURIComponent(checkpointId)}/tokenizer-pre`,
      json: { tokenizer_pre: tokenizerPre },
      projectId: ctx.projectId,
    });
  } catch (error) {
    throw trainerFailure(error);
  }
  const stored = JSON.stringify({ tokenizer_pre: tokenizerPre });
  await ctx.db
    .update(checkpoints)
    .set({ inferenceProfile: sql`${checkpoints.inferenceProfile} || ${stored}::jsonb` })
    .where(
      and(
        eq(checkpoints.projectId, ctx.projectId),
        eq(checkpoints.id, checkpointId),
        isNotNull(checkpoints.inferenceProfile),
      ),
    );
}
