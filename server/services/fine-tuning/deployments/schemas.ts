import { z } from "zod";
import {
  ACTOR_KINDS,
  COMPRESSED_QUANTIZATIONS,
  DEPLOYMENT_PURPOSES,
  DEPLOYMENT_STATUSES,
  GGUF_QUANTIZATIONS,
  SERVE_BACKENDS,
} from "@/db/schema/enumerations";
import { idInput, oneOrSeveral, pageInput } from "@/server/platform/schemas";
import { trainerProblem } from "../jobs/schemas";

export const TIMEOUT_SECONDS = 1200;
const TIMEOUT_SECONDS_MIN = 10;
const TIMEOUT_SECONDS_MAX = 7200;
const NAME_CHARACTERS = 63;

/** The statuses of a deployment that has not ended. */
export const LIVE_DEPLOYMENT_STATUSES = [
  "pending",
  "preparing",
  "starting",
  "verifying",
  "running",
  "stopping",
] as const;

/** What a model is called by. It stands in an address beside the ids of deployments, which it must not look like. */
export const deploymentName = z
  .string()
  .min(1)
  .max(NAME_CHARACTERS)
  .regex(
    /^(?!dep_)[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/,
    "Use lower-case letters, digits, dots, hyphens and underscores, beginning and ending with a letter or digit.",
  )
  .meta({ examples: ["shop-agent"] });

/** How a model is served. Left open, the trainer chooses among what serves the form. */
const backend = z.enum(["auto", ...SERVE_BACKENDS]).default("auto");
const quantization = z.enum([...GGUF_QUANTIZATIONS, ...COMPRESSED_QUANTIZATIONS]).nullable();

export const deployCheckpointInput = z.strictObject({
  checkpointId: idInput,
  /** The name that applications call. Default: made of the name of its tuning configuration or job. */
  name: deploymentName.optional(),
  backend,
  quantization: quantization.default(null),
  timeoutSeconds: z.int().min(TIMEOUT_SECONDS_MIN).max(TIMEOUT_SECONDS_MAX).default(TIMEOUT_SECONDS),
  /** Serves it although its quantized or converted form answers differently from the checkpoint. */
  force: z.boolean().default(false),
});
export const startPlaygroundInput = z
  .strictObject({
    checkpointId: idInput.optional(),
    /** One of the list of base models. */
    baseModel: z
      .strictObject({
        id: z.string().min(1).max(500),
        revision: z.string().min(1).max(200).nullable().optional(),
        source: z.enum(["hub", "local"]).default("hub"),
      })
      .optional(),
  })
  .refine(({ checkpointId, baseModel }) => (checkpointId === undefined) !== (baseModel === undefined), {
    message: "Send either checkpointId or baseModel.",
    path: ["checkpointId"],
  })
  .meta({
    oneOf: [{ required: ["checkpointId"] }, { required: ["baseModel"] }],
    examples: [{ checkpointId: "ckpt_0199b2f0c0de7abc8def0123456789ab" }],
  });
export const deploymentIdInput = z.strictObject({ deploymentId: idInput });
export const listDeploymentsInput = z.strictObject({
  status: oneOrSeveral(z.enum(DEPLOYMENT_STATUSES)).optional(),
  purpose: z.enum(DEPLOYMENT_PURPOSES).optional(),
  checkpointId: idInput.optional(),
  name: z.string().min(1).max(200).optional(),
  ...pageInput,
});

/** A model that is served. Times are Unix ms. */
export const deployment = z.object({
  id: z.string(),
  purpose: z.enum(DEPLOYMENT_PURPOSES),
  /** The name in calls. One deployment of a name runs at a time. */
  model: z.string(),
  /** What is served: a checkpoint, or in a playground a base model. */
  checkpointId: z.string().nullable(),
  baseModel: z.object({ id: z.string(), revision: z.string().nullable() }).nullable(),
  /** `null` until it has been chosen. */
  backend: z.enum(SERVE_BACKENDS).nullable(),
  quantization: z.string().nullable(),
  status: z.enum(DEPLOYMENT_STATUSES),
  /** What it is doing, in words. */
  stageDetail: z.string().nullable(),
  /** The base URL for clients of the OpenAI interface; `null` unless it runs. */
  endpoint: z.string().nullable(),
  /** The same for whatever runs under this name: it follows to the next version. `null` unless it runs, and for playgrounds. */
  nameEndpoint: z.string().nullable(),
  error: trainerProblem.nullable(),
  /** Restarts after crashes. */
  restarts: z.int(),
  /** The comparison of answers that allowed it; `null` where it was forced or there is nothing to compare. */
  certificateId: z.string().nullable(),
  /** Whether it was deployed although the comparison failed or is missing. */
  isForced: z.boolean(),
  /** The deployment that it replaced when it began to run. */
  replacesId: z.string().nullable(),
  tuningConfigId: z.string().nullable(),
  timeoutSeconds: z.int(),
  /** Until when it has to run; a later success does not count. */
  deadlineAt: z.number(),
  /** Of a playground: stopped after this many seconds without a call. */
  idleSeconds: z.int().nullable(),
  lastCalledAt: z.number().nullable(),
  verifiedAt: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  /** Since when its trainer cannot be reached. It may serve all the same. */
  staleSince: z.number().nullable(),
  trainerId: z.string(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  /** When it began to run. */
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  updatedAt: z.number(),
});
export type Deployment = z.infer<typeof deployment>;
export const deploymentReply = z.object({ deployment });
export const deploymentsReply = z.object({ deployments: z.array(deployment), nextCursor: z.string().nullable() });
/** Reply to a caller who may deploy but not read. */
export const requestedDeploymentReply = z.object({
  deployment: deployment
    .pick({ id: true, status: true, endpoint: true, createdAt: true, startedAt: true, endedAt: true })
    .extend({ error: trainerProblem.pick({ code: true, retryable: true }).nullable() }),
});

/** Below `/v1`: the id of a deployment or the name under which it runs. */
export const gatewayInput = z.strictObject({ deploymentId: idInput });
