import { z } from "zod";
import {
  ACTOR_KINDS,
  EVALUATION_KINDS,
  EVALUATION_OUTCOMES,
  EVALUATION_STATUSES,
  PROOF_VERDICTS,
} from "@/db/schema/enumerations";
import { idInput, pageInput, queryInteger } from "@/server/platform/schemas";
import { trainerProblem } from "@/server/services/trainers/schemas";
import { judgement, judging } from "../judging/schemas";

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
  variantId: idInput.optional().describe("Only those of this version of a variant."),
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
  /**
   * Excluded because the checkpoint, its baseline, or one that either continues from was trained on them; or because a variant was
   * written with them.
   */
  trainedOn: z.int(),
  /** Excluded for lack of an answer; of conversations, also because of tool calls or attachments, which a replay cannot repeat. */
  notText: z.int(),
  /** Excluded conversations: they have changed since the Finding was detected, or are no longer stored. */
  changed: z.int(),
  /** Whether only Examples that preserve successful behaviour were used. */
  preserveSetOnly: z.boolean(),
  /**
   * Held out, but with a near copy, an Example of the same user or the same answer in training; left out unless `seenOnly`. `null`
   * for evaluations of before this was looked for.
   */
  nearCopies: z.int().nullable().default(null),
  /** Whether nothing else was left: the models have as good as seen every row, so the result proves nothing. */
  seenOnly: z.boolean().default(false),
  /** What was not counted as a copy, because it would have joined more than a tenth of the Examples. */
  groupsWithout: z.array(z.enum(["answer", "user"])).default([]),
});
export type Selection = z.output<typeof selection>;

/** How often an answer was right: both answers to the same rows, with rows of one conversation, user or question as one group. */
export const rightPairs = z.object({
  /** Rows of which both answers were judged. */
  n: z.int(),
  groups: z.int(),
  /** Right only after, and only before. */
  gained: z.int(),
  lost: z.int(),
  /** The share after minus the share before, with its limits; positive is better. */
  difference: interval.nullable(),
  /** Of the exact paired test by McNemar. */
  p: z.number(),
});

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
  /** How often each model's answer is right; `null` for comparisons of before this was judged. */
  right: rightPairs.nullable().default(null),
});
export type Comparison = z.output<typeof comparison>;

/** How similar an answer has to be to its reference, in one language: more than answers to other questions are. */
export const similarityFloor = z.object({
  /** `null`: any, for languages with too few references. */
  language: z.string().nullable(),
  /** The word F1 that an answer must exceed. */
  floor: z.number(),
  /** References that it was measured on. */
  n: z.int(),
  /** How similar each of them is to the most similar other one: counts by tenths. */
  others: z.array(z.int()),
});
export type SimilarityFloor = z.infer<typeof similarityFloor>;

/** What became of the answers of one model. */
const rightSide = z.object({
  right: z.int(),
  /** The Finding is gone, and the answer is not right. */
  goneNotRight: z.int(),
  stillThere: z.int(),
  /** The Finding is gone, and nobody knows whether the answer is right. */
  notJudged: z.int(),
  /** The share of right ones in the rows that count. */
  share: interval.nullable(),
});

export const PROOF_REASONS = [
  "seen_in_training",
  "no_judgement",
  "too_few",
  "unclear",
  "unchecked",
  "measured_before",
] as const;

/** Whether the answers are right, besides being without the Finding. */
export const rightness = rightPairs.extend({
  before: rightSide,
  after: rightSide,
  /** More gains that would prove it, if no more are lost; 0 if it has enough. */
  gainsMissing: z.int(),
  /** Checkpoints and variants that were tried on the same Finding, this one included: each needs a clearer result. */
  tries: z.int(),
  /** Whether answers without the Finding that are not right became clearly more: one fault for another. */
  trades: z.boolean(),
  /** How many answers were decided how: `match`, `similar`, `unlike`, `contradicts`, `another`, `model` or `person`. */
  decidedBy: z.record(z.string(), z.int()),
  floors: z.array(similarityFloor),
  /** Rows that people have reviewed, how many of them at random, and how many random ones a verdict takes. */
  reviewed: z.int(),
  checked: z.int(),
  checksNeeded: z.int(),
  /** The share of right answers after, as people correct what was decided without them; `null` before they checked any. */
  corrected: interval.nullable(),
  /** The difference, corrected in the same way: a verdict that rests on a machine's word needs its lower limit above 0, too. */
  correctedDifference: interval.nullable().default(null),
  /** How far reviewers of the same answers agree: the share of equal judgements, and Gwet's AC1. */
  agreement: z.object({ judgements: z.int(), share: z.number(), ac1: z.number() }).nullable(),
});
export type Rightness = z.infer<typeof rightness>;

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
  /** `null` for proofs of before this was judged, which prove nothing. */
  right: rightness.nullable().default(null),
  /** Why the verdict is not “proven”; `null` if it is, or before the end. */
  because: z.enum(PROOF_REASONS).nullable().default(null),
});
export type Proof = z.output<typeof proof>;

const modelSide = z.object({
  /** `null` for a base model, and for a connected one. */
  checkpointId: z.string().nullable(),
  /** The variant of what a connected model is sent; `null` for what is recorded, and for a checkpoint. */
  variantId: z.string().nullable(),
  /** The name of a connected model; `null` for models on a trainer. */
  model: z.string().nullable(),
  name: z.string(),
  /** The run and the step of a checkpoint; `null` for a base model, and for a deleted checkpoint. */
  jobName: z.string().nullable(),
  stepNumber: z.int().nullable(),
});

/** A comparison of two models. Times are Unix ms. */
export const evaluation = z.object({
  id: z.string(),
  kind: z.enum(EVALUATION_KINDS),
  status: z.enum(EVALUATION_STATUSES),
  /** What answers after: a checkpoint or a variant. */
  checkpointId: z.string().nullable(),
  variantId: z.string().nullable(),
  baselineCheckpointId: z.string().nullable(),
  /** The models that answer before and after. */
  before: modelSide,
  after: modelSide,
  /** The run that trained the checkpoint. */
  jobId: z.string().nullable(),
  jobName: z.string().nullable(),
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
  /** What a connected model says of the answers; `null` if it was never asked. */
  judging: judging.nullable(),
  /** For kind `finding`, once it has ended. */
  verdict: z.enum(PROOF_VERDICTS).nullable(),
  error: trainerProblem.nullable(),
  /** Since when its trainer or its connected models have not answered. */
  staleSince: z.number().nullable(),
  trainerId: z.string().nullable(),
  /** US dollars: what asking connected models has cost, and may cost. `maxCost` is `null` without a limit. */
  cost: z.number(),
  maxCost: z.number().nullable(),
  /** Whether no model was asked: the sample's answers were recorded with a trainer, or written for a variant. */
  recorded: z.boolean(),
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

/** A message of a prompt, with an assistant's tool calls as a JSON list of names and arguments. */
export const promptMessage = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
});
export type PromptMessage = z.infer<typeof promptMessage>;
export const modelAnswer = z.object({
  content: z.string(),
  finishReason: z.enum(["stop", "length"]),
  /** US dollars of a connected model's answer; `null` for a trainer's, and for a model without a price. */
  cost: z.number().nullable().default(null),
});
export type ModelAnswer = z.output<typeof modelAnswer>;

/** Whether an answer is right, and how that was decided. */
const answerRight = z.object({
  /** `null`: it could not be told. */
  right: z.boolean().nullable(),
  by: z.enum(["match", "similar", "unlike", "contradicts", "another", "model", "person"]),
});
export type AnswerRight = z.infer<typeof answerRight>;
export const rowRightness = z.object({ before: answerRight.nullable(), after: answerRight.nullable() });
export type RowRightness = z.infer<typeof rowRightness>;

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
  /** What a right answer says: of a held-out Example of the same turn; `null` where nobody has said it. */
  reference: z.string().nullable(),
  /** Whether the answers are right; a person's word overrules others. `null` before it was decided. */
  rightness: rowRightness.nullable(),
  /** Rows with the same number belong together. */
  groupNumber: z.int().nullable(),
  /** What a connected model said of this row, with its whole replies. */
  judgements: z.array(judgement),
});
export type EvaluationRow = z.infer<typeof evaluationRow>;
export const evaluationRowsReply = z.object({
  /** Losses first, then wins, then ties, then rows without answers. */
  rows: z.array(evaluationRow),
  nextCursor: z.string().nullable(),
});

/** Which of two answers, shown in an order that depends on row and reviewer, is right. */
export const BLIND_CHOICES = ["first", "second", "both", "neither"] as const;
export const nextBlindRowInput = z.strictObject({
  evaluationId: idInput,
  /** The row that the reviewer passes over: the next one in the drawn order comes. */
  after: queryInteger(0).optional(),
});
export const blindRow = z.object({
  n: z.int(),
  prompt: z.array(promptMessage),
  reference: z.string().nullable(),
  first: z.string(),
  second: z.string(),
});
export type BlindRow = z.infer<typeof blindRow>;
export const nextBlindRowReply = z.object({
  /** `null` once the reviewer has reviewed or skipped every row. */
  row: blindRow.nullable(),
  reviewed: z.int(),
  total: z.int(),
});
export const reviewRowInput = z
  .strictObject({
    evaluationId: idInput,
    n: queryInteger(0),
    /** For a row that was shown blind. */
    choice: z.enum(BLIND_CHOICES).optional(),
    /** For a row whose models are known: overrules what was decided. */
    isRight: z.strictObject({ before: z.boolean(), after: z.boolean() }).optional(),
  })
  .refine(({ choice, isRight }) => (choice === undefined) !== (isRight === undefined), {
    message: "Send either choice or isRight.",
  })
  .meta({
    examples: [{ choice: "first" }],
    oneOf: [{ required: ["choice"] }, { required: ["isRight"] }],
  });
