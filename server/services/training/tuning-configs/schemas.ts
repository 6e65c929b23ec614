import { z } from "zod";
import { ACTOR_KINDS, TRIGGER_OUTCOMES } from "@/db/schema/enumerations";
import { changing, filledText, idInput, pageInput } from "@/server/platform/schemas";
import { deploymentName } from "@/server/services/serving/deployments/schemas";
import { trainingChoice } from "../settings/schemas";

const trigger = {
  enabled: z.boolean(),
  /** Number of Examples added since its last training. */
  minNewExamples: z.int().min(1).max(1_000_000),
  /** Five fields in UTC, such as `0 3 * * 1`; `null`: as soon as there are enough Examples. */
  cron: z.string().min(1).max(100).nullable(),
  /** Minutes after the start of one of its jobs before the next may start. */
  cooldownMinutes: z.int().min(0).max(525_600),
  /** Maximum jobs that it may start per day (UTC). */
  dailyCap: z.int().min(1).max(100),
};
const TRIGGER_OFF = { enabled: false, minNewExamples: 100, cron: null, cooldownMinutes: 60, dailyCap: 1 };
const triggerInput = z.strictObject({
  enabled: trigger.enabled.default(TRIGGER_OFF.enabled),
  minNewExamples: trigger.minNewExamples.default(TRIGGER_OFF.minNewExamples),
  cron: trigger.cron.default(TRIGGER_OFF.cron),
  cooldownMinutes: trigger.cooldownMinutes.default(TRIGGER_OFF.cooldownMinutes),
  dailyCap: trigger.dailyCap.default(TRIGGER_OFF.dailyCap),
});

/** When the checkpoint of a successful job is deployed automatically. */
const deployment = {
  enabled: z.boolean(),
  /** The name that applications call; `null`: derived from the configuration's name, and changes with it. */
  name: deploymentName.nullable(),
  /** The fraction by which its validation loss may exceed that of the deployed checkpoint. */
  maxLossIncrease: z.number().min(0).max(10),
  /**
   * The margin of a test of non-inferiority, 0 to 1: by how much right answers to held-out Examples may become rarer. It must be
   * shown, so a smaller margin takes more Examples: 0.05 takes 52 without a loss, 0.1 takes 25.
   */
  maxPreserveDrop: z.number().min(0).max(1),
};
const DEPLOYMENT_OFF = { enabled: false, name: null, maxLossIncrease: 0, maxPreserveDrop: 0.05 };
const deploymentInput = z.strictObject({
  enabled: deployment.enabled.default(DEPLOYMENT_OFF.enabled),
  name: deployment.name.default(DEPLOYMENT_OFF.name),
  maxLossIncrease: deployment.maxLossIncrease.default(DEPLOYMENT_OFF.maxLossIncrease),
  maxPreserveDrop: deployment.maxPreserveDrop.default(DEPLOYMENT_OFF.maxPreserveDrop),
});

const name = filledText(200, "Enter a name.");
export const createTuningConfigInput = z.strictObject({
  name,
  datasetId: idInput,
  ...trainingChoice,
  trigger: triggerInput.default(TRIGGER_OFF),
  deployment: deploymentInput.default(DEPLOYMENT_OFF),
});
const { baseModel, engine, method, adapter, training, lora, evaluation, output, limits } = trainingChoice;
/** Omitted fields stay unchanged; `training`, `lora` and the other parts are replaced as a whole. */
export const updateTuningConfigInput = changing(
  z.strictObject({
    configId: idInput,
    name: name.optional(),
    datasetId: idInput.optional(),
    baseModel: baseModel.optional(),
    engine: engine.removeDefault().optional(),
    method: method.optional(),
    adapter: adapter.optional(),
    training: training.removeDefault().optional(),
    lora: lora.removeDefault().optional(),
    evaluation: evaluation.removeDefault().optional(),
    output: output.removeDefault().optional(),
    limits: limits.removeDefault().optional(),
    trigger: z.strictObject(trigger).partial().optional(),
    deployment: z.strictObject(deployment).partial().optional(),
  }),
  ["configId"],
);
export const tuningConfigIdInput = z.strictObject({ configId: idInput });
export const listTuningConfigsInput = z.strictObject(pageInput);
export const listTriggerDecisionsInput = z.strictObject({ configId: idInput, ...pageInput });

/** One decision of the trigger, with the reason. Times are Unix ms. */
export const triggerDecision = z.object({
  id: z.string(),
  outcome: z.enum(TRIGGER_OUTCOMES),
  reason: z.string(),
  message: z.string(),
  jobId: z.string().nullable(),
  /** How often in a row it made the same decision, most recently at `lastAt`. */
  times: z.int(),
  createdAt: z.number(),
  lastAt: z.number(),
});
export const tuningConfig = z.object({
  id: z.string(),
  name: z.string(),
  datasetId: z.string(),
  ...trainingChoice,
  trigger: z.object(trigger),
  deployment: z.object(deployment),
  /** When the trigger is checked next; `null` while it is off. */
  nextCheckAt: z.number().nullable(),
  lastDecision: triggerDecision.nullable(),
  /** Number of the Dataset's Examples added since its last training. */
  newExamples: z.int(),
  lastJobId: z.string().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type TuningConfig = z.infer<typeof tuningConfig>;
export const tuningConfigReply = z.object({ tuningConfig });
export const tuningConfigsReply = z.object({ tuningConfigs: z.array(tuningConfig), nextCursor: z.string().nullable() });
export const triggerDecisionsReply = z.object({
  decisions: z.array(triggerDecision),
  nextCursor: z.string().nullable(),
});
/** The reply for callers who may change configurations but not read them. */
export const requestedTuningConfigReply = z.object({
  tuningConfig: tuningConfig.pick({ id: true, createdAt: true, updatedAt: true }),
});
