import { and, eq, inArray } from "drizzle-orm";
import { checkpoints, datasets } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { addBaseModel } from "@/server/services/models";
import { playEvaluation } from "@/server/services/proof";
import { playTraining } from "@/server/services/training";
import { findingOf, SAMPLE_DATASET } from "./make-examples";
import { PLANTED } from "./story/plan";

/** The sample's base model: `scripts/sample-training/base_model.py` trains it from scratch on the shop's catalogues and questions. */
export const SAMPLE_BASE = {
  id: "/models/shop-tiny",
  source: "local",
  name: "Shop tiny, 0.7 million weights",
  license: "mit",
} as const;

/** The settings with which the sample's model was trained. A change requires a new recording: `npm run sample:record`. */
export const SAMPLE_TRAINING = {
  name: "Answer in the customer's language (recorded run)",
  baseModel: { id: SAMPLE_BASE.id, source: SAMPLE_BASE.source },
  method: "sft",
  adapter: "full",
  training: {
    numTrainEpochs: 4,
    learningRate: 0.001,
    warmupRatio: 0.25,
    perDeviceTrainBatchSize: 8,
    gradientAccumulationSteps: 1,
    gradientCheckpointing: false,
  },
  evaluation: { evalSteps: 8 },
} as const;

/** Adds the base model of the training, once. */
export async function addSampleBase(ctx: Ctx): Promise<void> {
  try {
    await addBaseModel(ctx, SAMPLE_BASE);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === "conflict")) throw error;
  }
}

/**
 * Trains the tiny model on the Examples and compares it with its base model, on the held-out Examples and on the Finding's
 * conversations. A trainer did both once; here its recording is replayed through the same steps, without a trainer.
 */
export async function trainAndProve(ctx: Ctx): Promise<boolean> {
  const [dataset] = await ctx.db
    .select({ id: datasets.id })
    .from(datasets)
    .where(and(eq(datasets.projectId, ctx.projectId), eq(datasets.name, SAMPLE_DATASET)));
  const finding = await findingOf(ctx, PLANTED.englishInstead);
  // A user has deleted them in the meantime.
  if (!dataset || !finding) return true;
  await addSampleBase(ctx);
  const checkpointId = await playTraining(ctx, { ...SAMPLE_TRAINING, datasetId: dataset.id });
  const early = await firstCheckpoint(ctx, checkpointId);
  if (early !== undefined) await playEvaluation(ctx, { checkpointId: early, kind: "finding", findingId: finding.id });
  await playEvaluation(ctx, { checkpointId, kind: "examples" });
  await playEvaluation(ctx, { checkpointId, kind: "finding", findingId: finding.id });
  return true;
}

/** Returns the first checkpoint of a checkpoint's job, which was tried before and had learned too little. */
export async function firstCheckpoint({ db, projectId }: Ctx, checkpointId: string): Promise<string | undefined> {
  const final = db
    .select({ jobId: checkpoints.jobId })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, checkpointId)));
  const [first] = await db
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), inArray(checkpoints.jobId, final)))
    .orderBy(checkpoints.stepNumber)
    .limit(1);
  return first?.id === checkpointId ? undefined : first?.id;
}
