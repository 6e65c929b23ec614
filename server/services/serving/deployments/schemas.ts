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
import { trainerProblem } from "@/server/services/trainers/schemas";
import { tokenizerPre } from "@/server/services/training/settings/schemas";

export const TIMEOUT_SECONDS = 1200;
const TIMEOUT_SECONDS_MIN = 10;
const TIMEOUT_SECONDS_MAX = 7200;
const NAME_CHARACTERS = 63;

/** The statuses of an unfinished deployment. */
export const LIVE_DEPLOYMENT_STATUSES = [
  "pending",
  "preparing",
  "starting",
  "verifying",
  "running",
  "stopping",
] as const;

/** The name of a served model. It is used in URLs in place of a deployment id, so it must not look like one. */
export const deploymentName = z
  .string()
  .min(1)
  .max(NAME_CHARACTERS)
  .regex(
    /^(?!dep_)[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/,
    "Use lower-case letters, digits, dots, hyphens and underscores, beginning and ending with a letter or digit.",
  )
  .meta({ examples: ["shop-agent"] });

/** How a model is served. `auto`: the trainer chooses among the backends that can serve the form. */
const backend = z.enum(["auto", ...SERVE_BACKENDS]).default("auto");
const quantization = z.enum([...GGUF_QUANTIZATIONS, ...COMPRESSED_QUANTIZATIONS]).nullable();

export const deployCheckpointInput = z.strictObject({
  checkpointId: idInput,
  /** The name that applications call. Default: derived from the name of its tuning configuration or job. */
  name: deploymentName.optional(),
  backend,
  quantization: quantization.default(null),
  /** For a GGUF quantization. Stored with the checkpoint, for later builds too. */
  tokenizerPre: tokenizerPre.optional(),
  timeoutSeconds: z.int().min(TIMEOUT_SECONDS_MIN).max(TIMEOUT_SECONDS_MAX).default(TIMEOUT_SECONDS),
  /** Serves it even if its quantized or converted form answers differently from the checkpoint. */
  force: z.boolean().default(false),
});
/** From the list of base models. */
export const baseModelInput = z.strictObject({
  id: z.string().min(1).max(500),
  revision: z.string().min(1).max(200).nullable().optional(),
  source: z.enum(["hub", "local"]).default("hub"),
});
export type BaseModelChoice = z.output<typeof baseModelInput>;

export const startPlaygroundInput = z
  .strictObject({
    checkpointId: idInput.optional(),
    baseModel: baseModelInput.optional(),
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

/** A served model. Times are Unix ms. */
export const deployment = z.object({
  id: z.string(),
  purpose: z.enum(DEPLOYMENT_PURPOSES),
  /** The model's name in calls. Only one deployment of a name runs at a time. */
  model: z.string(),
  /** What is served: a checkpoint or, in a playground, a base model. */
  checkpointId: z.string().nullable(),
  baseModel: z.object({ id: z.string(), revision: z.string().nullable() }).nullable(),
  /** `null` until chosen. */
  backend: z.enum(SERVE_BACKENDS).nullable(),
  quantization: z.string().nullable(),
  status: z.enum(DEPLOYMENT_STATUSES),
  /** A description of what it is doing. */
  stageDetail: z.string().nullable(),
  /** The base URL for clients of the OpenAI API; `null` unless it is running. */
  endpoint: z.string().nullable(),
  /** The same by name, which stays valid for the next version. `null` unless it is running, and for playgrounds. */
  nameEndpoint: z.string().nullable(),
  error: trainerProblem.nullable(),
  /** Number of restarts after crashes. */
  restarts: z.int(),
  /** The comparison of answers that allowed it; `null` if it was forced or there is nothing to compare. */
  certificateId: z.string().nullable(),
  /** Whether it was deployed although the comparison failed or is missing. */
  isForced: z.boolean(),
  /** The deployment that it replaced when it started running. */
  replacesId: z.string().nullable(),
  tuningConfigId: z.string().nullable(),
  timeoutSeconds: z.int(),
  /** When it must be running; a later success does not count. */
  deadlineAt: z.number(),
  /** For a playground: it is stopped after this many seconds without a call. */
  idleSeconds: z.int().nullable(),
  lastCalledAt: z.number().nullable(),
  verifiedAt: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  /** Since when its trainer has been unreachable. It may still be serving. */
  staleSince: z.number().nullable(),
  trainerId: z.string(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  /** When it started running. */
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  updatedAt: z.number(),
});
export type Deployment = z.infer<typeof deployment>;
export const deploymentReply = z.object({ deployment });
export const deploymentsReply = z.object({ deployments: z.array(deployment), nextCursor: z.string().nullable() });
/** The reply for callers who may deploy but not read. */
export const requestedDeploymentReply = z.object({
  deployment: deployment
    .pick({ id: true, status: true, endpoint: true, createdAt: true, startedAt: true, endedAt: true })
    .extend({ error: trainerProblem.pick({ code: true, retryable: true }).nullable() }),
});

/** In paths below `/v1`: the id of a deployment or the name under which it runs. */
export const gatewayInput = z.strictObject({ deploymentId: idInput });
