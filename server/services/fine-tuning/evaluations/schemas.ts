import { z } from "zod";
import {
  ACTOR_KINDS,
  EVALUATION_KINDS,
  EVALUATION_OUTCOMES,
  EVALUATION_STATUSES,
  PROOF_VERDICTS,
} from "@/db/schema/enumerations";
import { idInput, pageInput, queryInteger } from "@/server/platform/schemas";
import { trainerProblem } from "../jobs/schemas";

/** Rows that one evaluation may have, and has without another number. */
export const ROWS_MAX = 500;
export const ROWS_DEFAULT = 200;
/** Replays that a verdict needs. With fewer, the interval says little about conversations other than these. */
export const PROOF_REPLAYS_MIN = 10;

export const createEvaluationInput = z
  .strictObject({
    checkpointId: idInput,
    kind: z.enum(EVALUATION_KINDS),
    /** What the checkpoint is compared with, on the same trainer. Default: the base model that its job trained. */
    baselineCheckpointId: idInput.optional(),
    /** Of kind `finding`: whose conversations are replayed. */
    findingId: idInput.optional(),
    maxRows: z.int().min(1).max(ROWS_MAX).default(ROWS_DEFAULT),
  })
  .refine(({ kind, findingId }) => (kind === "finding") === (findingId !== undefined), {
    message: "Belongs to the kind `finding`, which needs it.",
    path: ["findingId"],
  })
  .meta({
    if: { properties: { kind: { const: "finding" } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["findingId"] },
    else: { not: { required: ["findingId"] } },
    examples: [{ checkpointId: "ckpt_0199b2f0c0de7abc8def0123456789ab", kind: "examples" }],
  });

export const evaluationIdInput = z.strictObject({ evaluationId: idInput });
export const listEvaluationsInput = z.strictObject({
  checkpointId: idInput.optional(),
  findingId: idInput.optional(),
  ...pageInput,
});

export const rowOutcome = z.enum(EVALUATION_OUTCOMES);
export const listEvaluationRowsInput = z.strictObject({
  evaluationId: idInput,
  outcome: rowOutcome.optional(),
  limit: queryInteger(1, 100).default(25),
  cursor: pageInput.cursor,
});

/** A share with the limits between which the true one lies with 95 % confidence. */
const interval = z.object({ rate: z.number(), low: z.number(), high: z.number() });
export type ShareInterval = z.infer<typeof interval>;

/** Which Examples or conversations were compared, and why others were not. */
export const selection = z.object({
  /** That could have been compared; `null` where not all were looked at. */
  available: z.int().nullable(),
  selected: z.int(),
  /** Of Examples: how many are from each split. */
  splits: z.object({ test: z.int(), validation: z.int() }).nullable(),
  /** Trained on by the checkpoint, by its baseline or by one that either continues from. */
  trainedOn: z.int(),
  /** With tool calls or attachments, which a trainer's samples do not take, or without an answer in words. */
  notText: z.int(),
  /** Of conversations: no longer stored as they were when the Finding was detected. */
  changed: z.int(),
  /** Only Examples that preserve successful behaviour. */
  preserveSetOnly: z.boolean(),
});
export type Selection = z.infer<typeof selection>;

/** Counts of rows that both models have answered. While it is running, of those so far. */
export const comparison = z.object({
  win: z.int(),
  tie: z.int(),
  loss: z.int(),
  /** Shares of all rows; `null` before the first. */
  winShare: interval.nullable(),
  lossShare: interval.nullable(),
  /** Mean likeness to the expected answers, 0..1. `drop` is positive where the checkpoint is less like them. */
  score: z.object({ before: z.number(), after: z.number(), drop: z.number() }).nullable(),
  /** Rows by the reason of their outcome. */
  reasons: z.record(z.string(), z.int()),
});
export type Comparison = z.infer<typeof comparison>;

/** A Finding's rate in the answers of both models to the same conversations. */
export const proof = z.object({
  n: z.int(),
  foundBefore: z.int(),
  foundAfter: z.int(),
  /** Found before and not after, and the reverse. */
  fixed: z.int(),
  broken: z.int(),
  before: interval.nullable(),
  after: interval.nullable(),
  /** Rate after less rate before, with its limits; negative is better. */
  difference: interval.nullable(),
  replaysNeeded: z.int(),
});
export type Proof = z.infer<typeof proof>;

const modelSide = z.object({
  /** `null` for a base model. */
  checkpointId: z.string().nullable(),
  name: z.string(),
});

/** A comparison of two models. Times are Unix ms. */
export const evaluation = z.object({
  id: z.string(),
  kind: z.enum(EVALUATION_KINDS),
  status: z.enum(EVALUATION_STATUSES),
  checkpointId: z.string(),
  baselineCheckpointId: z.string().nullable(),
  /** What answers before and after. */
  before: modelSide,
  after: modelSide,
  jobId: z.string(),
  jobName: z.string(),
  datasetId: z.string().nullable(),
  datasetVersion: z.int().nullable(),
  findingId: z.string().nullable(),
  findingTitle: z.string().nullable(),
  ruleId: z.string().nullable(),
  ruleVersion: z.int().nullable(),
  /** Rows to answer, and rows that both models have answered. */
  total: z.int(),
  done: z.int(),
  selection: selection.nullable(),
  /** Of kind `examples`. */
  comparison: comparison.nullable(),
  /** Of kind `finding`. */
  proof: proof.nullable(),
  /** Of kind `finding`, once it has ended. */
  verdict: z.enum(PROOF_VERDICTS).nullable(),
  error: trainerProblem.nullable(),
  /** Since when its trainer cannot be reached. */
  staleSince: z.number().nullable(),
  trainerId: z.string(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  updatedAt: z.number(),
});
export type Evaluation = z.infer<typeof evaluation>;
export const evaluationReply = z.object({ evaluation });
export const evaluationsReply = z.object({ evaluations: z.array(evaluation), nextCursor: z.string().nullable() });
/** Reply to a caller who may start evaluations but not read them. */
export const requestedEvaluationReply = z.object({
  evaluation: evaluation.pick({ id: true, status: true, createdAt: true, finishedAt: true }),
});

export const promptMessage = z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() });
export type PromptMessage = z.infer<typeof promptMessage>;
export const modelAnswer = z.object({ content: z.string(), finishReason: z.enum(["stop", "length"]) });
export type ModelAnswer = z.infer<typeof modelAnswer>;

export const evaluationRow = z.object({
  n: z.int(),
  datasetId: z.string().nullable(),
  exampleId: z.string().nullable(),
  conversationId: z.string().nullable(),
  prompt: z.array(promptMessage),
  /** The Example's own answer; of a replay, the answer that was recorded. */
  expected: z.string().nullable(),
  before: modelAnswer.nullable(),
  after: modelAnswer.nullable(),
  outcome: rowOutcome.nullable(),
  /** A code, such as `cut_off`; the interface has its words. */
  reason: z.string().nullable(),
  isFoundBefore: z.boolean().nullable(),
  isFoundAfter: z.boolean().nullable(),
});
export type EvaluationRow = z.infer<typeof evaluationRow>;
export const evaluationRowsReply = z.object({
  /** Losses first, then wins, then ties, then rows without answers. */
  rows: z.array(evaluationRow),
  nextCursor: z.string().nullable(),
});
