import { z } from "zod";
import {
  ACTOR_KINDS,
  ARTIFACT_KINDS,
  ARTIFACT_STATES,
  TRAINING_ADAPTERS,
  TRAINING_JOB_STATUSES,
  TRAINING_METHODS,
  TRAINING_STOP_REASONS,
} from "@/db/schema/enumerations";
import { filledText, idInput, oneOrSeveral, pageInput } from "@/server/platform/schemas";
import { trainerProblem } from "@/server/services/trainers/schemas";
import { plannedExport, trainingChoice } from "../settings/schemas";

/** The statuses of a job that a trainer is working on. */
export const RUNNING_JOB_STATUSES = ["validating", "running", "pausing", "cancelling"] as const;
/** The statuses of an unfinished job. */
export const UNFINISHED_JOB_STATUSES = ["queued", "validating", "running", "pausing", "paused", "cancelling"] as const;
const NAME_CHARACTERS = 200;

const datasetChoice = {
  datasetId: idInput,
  /** Default: the newest, which the request then closes. */
  datasetVersion: z.int().min(1).max(2_147_483_647).optional(),
};

export const createJobInput = z.strictObject({
  ...datasetChoice,
  ...trainingChoice,
  name: filledText(NAME_CHARACTERS).optional(),
  /** The job that these settings were copied from. */
  clonedFromId: idInput.optional(),
});
export const validateJobInput = z.strictObject({ ...datasetChoice, ...trainingChoice });

export const jobIdInput = z.strictObject({ jobId: idInput });
export const cancelJobInput = z.strictObject({
  jobId: idInput,
  /** `save` keeps a checkpoint of what was trained so far, `discard` does not. */
  mode: z.enum(["save", "discard"]).default("save"),
});
export const resumeJobInput = z.strictObject({ jobId: idInput, checkpointId: idInput.optional() });
export const listJobsInput = z.strictObject({
  status: oneOrSeveral(z.enum(TRAINING_JOB_STATUSES)).optional(),
  datasetId: idInput.optional(),
  tuningConfigId: idInput.optional(),
  ...pageInput,
});

export const progress = z.object({
  step: z.int(),
  totalSteps: z.int().nullable(),
  epoch: z.number().nullable(),
  /** Of the training only; building files afterwards has its own phases. */
  percent: z.number().nullable(),
  elapsedSeconds: z.number().nullable(),
  /** `null` until measured. */
  etaSeconds: z.number().nullable(),
  tokensSeen: z.number().nullable(),
  tokensPerSecond: z.number().nullable(),
});

export const artifact = z.object({
  id: z.string(),
  checkpointId: z.string(),
  kind: z.enum(ARTIFACT_KINDS),
  quantization: z.string().nullable(),
  state: z.enum(ARTIFACT_STATES),
  bytes: z.number(),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
  warnings: z.array(z.string()),
  error: trainerProblem.nullable(),
  createdAt: z.number(),
});

const frozen = z.object({
  sha256: z.string(),
  rows: z.int(),
  /** Rows that were deleted with their user or conversation after freezing. */
  rowsErased: z.int(),
});

/** A training job. Times are Unix ms. */
export const job = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(TRAINING_JOB_STATUSES),
  /** What it is doing while `running`, such as `loading_model` or `training`. */
  phase: z.string().nullable(),
  progress: progress.nullable(),
  datasetId: z.string(),
  datasetVersion: z.int(),
  method: z.enum(TRAINING_METHODS),
  adapter: z.enum(TRAINING_ADAPTERS),
  /** As requested; `resolvedSpec` has every "auto" replaced, once the trainer has done so. */
  spec: z.record(z.string(), z.unknown()),
  resolvedSpec: z.record(z.string(), z.unknown()).nullable(),
  baseModel: z.object({ id: z.string(), revision: z.string().nullable(), checkpointId: z.string().nullable() }),
  manifest: frozen,
  validationManifest: frozen.nullable(),
  /** The last values of the charts. */
  lastMetrics: z.record(z.string(), z.number()),
  attempt: z.int(),
  stopReason: z.enum(TRAINING_STOP_REASONS).nullable(),
  error: trainerProblem.nullable(),
  /** Since when its trainer has been unreachable. It may still be training. */
  staleSince: z.number().nullable(),
  /** Whether it can be resumed, and why not. */
  canResume: z.boolean(),
  resumeBlockedReason: z.string().nullable(),
  /** When text that it was trained on was deleted with its user or conversation. */
  taintedAt: z.number().nullable(),
  trainerId: z.string().nullable(),
  tuningConfigId: z.string().nullable(),
  /** The size of its files on its trainer, checkpoints and what was built from them included; `null` if unknown. */
  diskBytes: z.number().nullable(),
  /** Where its final checkpoint is published when it succeeds. */
  plannedExport: plannedExport.nullable(),
  clonedFromId: z.string().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  updatedAt: z.number(),
});
export type TrainingJob = z.infer<typeof job>;

export const jobReply = z.object({ job: job.extend({ artifacts: z.array(artifact) }) });
export const jobsReply = z.object({ jobs: z.array(job), nextCursor: z.string().nullable() });
/** The reply for callers who may start and cancel jobs but not read them. */
export const requestedJobReply = z.object({
  job: job.pick({ id: true, status: true, createdAt: true, finishedAt: true }),
});

const rowProblem = z.object({ exampleId: z.string(), code: z.string(), message: z.string() });
const problem = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() });

/** What a training would do: the result of a dry run. */
export const validation = z.object({
  ok: z.boolean(),
  errors: z.array(problem),
  warnings: z.array(problem),
  rows: z.object({
    total: z.int(),
    usable: z.int(),
    tooLong: z.int(),
    emptyAnswer: z.int(),
    duplicate: z.int(),
    identicalPair: z.int(),
    /** For kto: desirable and undesirable. */
    labelCounts: z.record(z.string(), z.int()).nullable(),
  }),
  /** Examples that would not be used, the first 200. */
  dropped: z.array(rowProblem),
  tokens: z.object({
    total: z.int(),
    trained: z.int(),
    p50: z.int(),
    p95: z.int(),
    p99: z.int(),
    max: z.int(),
    histogram: z.array(z.object({ from: z.int(), to: z.int(), rows: z.int() })),
  }),
  truncation: z.object({ maxLength: z.int(), rows: z.int(), tokensLost: z.int() }),
  template: z.object({
    hasTemplate: z.boolean(),
    trainingCompatible: z.boolean(),
    stopTokenTrained: z.boolean().nullable(),
    prefixPreserving: z.boolean().nullable(),
    sha256: z.string().nullable(),
  }),
  /** The exact rendered text, in segments that are either learned or only read. The first is the worst sample. */
  renderedExamples: z.array(
    z.object({
      exampleId: z.string(),
      why: z.string(),
      tokens: z.int(),
      /** `weight`: how much a segment's tokens count in the loss; 0 if they are only read. */
      segments: z.array(z.object({ text: z.string(), trained: z.boolean(), weight: z.number() })),
      /** The messages of the text, and the weight of each that can be learned. Empty if the trainer does not say. */
      turns: z.array(z.object({ role: z.string(), weight: z.number().nullable() })),
    }),
  ),
  memory: z.object({
    estimateBytes: z.number().nullable(),
    breakdown: z.record(z.string(), z.number()),
    fits: z.enum(["yes", "tight", "no", "unknown"]),
    device: z.string().nullable(),
  }),
  stepsTotal: z.int().nullable(),
  etaSeconds: z.object({ low: z.number(), high: z.number() }).nullable(),
  diskNeededBytes: z.number().nullable(),
  resolvedSpec: z.record(z.string(), z.unknown()).nullable(),
  /** What was validated: the Dataset's version and its rows. */
  datasetVersion: z.int(),
  trainRows: z.int(),
  validationRows: z.int(),
});
export type TrainingValidation = z.infer<typeof validation>;
export const validationReply = z.object({ validation });
/** The reply for callers who may start jobs but not read Examples. */
export const requestedValidationReply = z.object({
  validation: validation.pick({ ok: true, rows: true, stepsTotal: true, etaSeconds: true }),
});
