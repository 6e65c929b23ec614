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

/** The maximum, and the default, number of rows of an evaluation. */
export const ROWS_MAX = 500;
export const ROWS_DEFAULT = 200;
/** Minimum replays for a verdict. With fewer, the interval says little about conversations other than these. */
export const PROOF_REPLAYS_MIN = 10;

export const createEvaluationInput = z
  .strictObject({
    checkpointId: idInput,
    kind: z.enum(EVALUATION_KINDS),
    /** The checkpoint to compare with, on the same trainer. Default: the base model that its job trained. */
    baselineCheckpointId: idInput.optional(),
    /** For kind `finding`: its conversations are replayed. */
    findingId: idInput.optional(),
    maxRows: z.int().min(1).max(ROWS_MAX).default(ROWS_DEFAULT),
  })
  .refine(({ kind, findingId }) => (kind === "finding") === (findingId !== undefined), {
    message: "Is required for the kind `finding`, and only allowed for it.",
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

/** A share with its 95 % confidence limits. */
const interval = z.object({ rate: z.number(), low: z.number(), high: z.number() });
export type ShareInterval = z.infer<typeof interval>;

/** Which Examples or conversations were compared, and why others were not. */
export const selection = z.object({
  /** Number that could have been compared; `null` if not all were examined. */
  available: z.int().nullable(),
  selected: z.int(),
  /** For Examples: the number from each split. */
  splits: z.object({ test: z.int(), validation: z.int() }).nullable(),
  /** Excluded because the checkpoint, its baseline, or one that either continues from was trained on them. */
  trainedOn: z.int(),
  /**
   * Excluded because of tool calls or attachments, which a trainer's samples do not support, or for lack of an answer in text.
   */
  notText: z.int(),
  /** Excluded conversations: they have changed since the Finding was detected, or are no longer stored. */
  changed: z.int(),
  /** Whether only Examples that preserve successful behaviour were used. */
  preserveSetOnly: z.boolean(),
});
export type Selection = z.infer<typeof selection>;

/** Counts of the rows that both models have answered; while it is running, so far. */
export const comparison = z.object({
  win: z.int(),
  tie: z.int(),
  loss: z.int(),
  /** Shares of all rows; `null` before the first row. */
  winShare: interval.nullable(),
  lossShare: interval.nullable(),
  /** Mean similarity to the expected answers, 0..1. `drop` is positive if the checkpoint's answers are less similar. */
  score: z.object({ before: z.number(), after: z.number(), drop: z.number() }).nullable(),
  /** Number of rows by reason of their outcome. */
  reasons: z.record(z.string(), z.int()),
});
export type Comparison = z.infer<typeof comparison>;

/** How often a Finding occurs in the answers of both models to the same conversations. */
export const proof = z.object({
  n: z.int(),
  foundBefore: z.int(),
  foundAfter: z.int(),
  /** Found before but not after, and the reverse. */
  fixed: z.int(),
  broken: z.int(),
  before: interval.nullable(),
  after: interval.nullable(),
  /** The rate after minus the rate before, with its limits; negative is better. */
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
  /** The models that answer before and after. */
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
  /** Number of rows to answer, and of rows that both models have answered. */
  total: z.int(),
  done: z.int(),
  selection: selection.nullable(),
  /** For kind `examples`. */
  comparison: comparison.nullable(),
  /** For kind `finding`. */
  proof: proof.nullable(),
  /** For kind `finding`, once it has ended. */
  verdict: z.enum(PROOF_VERDICTS).nullable(),
  error: trainerProblem.nullable(),
  /** Since when its trainer has been unreachable. */
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
/** The reply for callers who may start evaluations but not read them. */
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
  /** The Example's own answer; for a replay, the recorded answer. */
  expected: z.string().nullable(),
  before: modelAnswer.nullable(),
  after: modelAnswer.nullable(),
  outcome: rowOutcome.nullable(),
  /** A code, such as `cut_off`; the interface has the texts. */
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
