import { eq } from "drizzle-orm";
import { datasets } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { addBaseModel } from "@/server/services/models";
import { playEvaluation } from "@/server/services/proof";
import { playTraining } from "@/server/services/training";
import { findingOf } from "./make-examples";
import { PLANTED } from "./story/plan";

/** The sample's base model: `scripts/sample-training/base_model.py` trains it from scratch on what the shop said in English. */
export const SAMPLE_BASE = {
  id: "/models/shop-tiny",
  source: "local",
  name: "Shop tiny, 0.4 million weights",
  license: "mit",
} as const;

/** The settings with which the sample's model was trained. A change requires a new recording: `npm run sample:record`. */
export const SAMPLE_TRAINING = {
  name: "Answer in the customer's language (recorded run)",
  baseModel: { id: SAMPLE_BASE.id, source: SAMPLE_BASE.source },
  method: "sft",
  adapter: "full",
  training: {
    numTrainEpochs: 12,
    learningRate: 0.001,
    perDeviceTrainBatchSize: 4,
    gradientAccumulationSteps: 1,
    gradientCheckpointing: false,
  },
  evaluation: { evalSteps: 36 },
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
    .where(eq(datasets.projectId, ctx.projectId));
  const finding = await findingOf(ctx, PLANTED.englishInstead);
  // A user has deleted them in the meantime.
  if (!dataset || !finding) return true;
  await addSampleBase(ctx);
  const checkpointId = await playTraining(ctx, { ...SAMPLE_TRAINING, datasetId: dataset.id });
  await playEvaluation(ctx, { checkpointId, kind: "examples" });
  await playEvaluation(ctx, { checkpointId, kind: "finding", findingId: finding.id });
  return true;
}
