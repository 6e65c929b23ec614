import { z } from "zod";
import { JUDGEMENT_QUESTIONS, JUDGING_STATUSES } from "@/db/schema/enumerations";
import { idInput, queryBoolean } from "@/server/platform/schemas";

/** As many as the rows of the largest evaluation have: two answers, in two orders. */
export const QUESTIONS_MAX = 2_000;

export const judgeInput = z.strictObject({
  evaluationId: idInput,
  /** Also ask which of both answers is better, in both orders: two more questions a row. */
  preference: z.boolean().default(true),
  /** The most questions to send this time. The connection's daily budget applies as well. */
  maxQuestions: z.int().min(1).max(QUESTIONS_MAX).default(QUESTIONS_MAX),
});
export const judgePreviewInput = z.strictObject({ evaluationId: idInput, preference: queryBoolean().default(true) });

/** What asking the connected model about an evaluation would take. */
export const judgePreview = z.object({
  /** Why it cannot be asked, or why the cost is `null`. */
  reason: z.enum(["no-adjudicator", "no-model", "no-price", "no-rows"]).nullable(),
  model: z.string().nullable(),
  /** Rows that both models have answered, and those of them whose right answer nobody has said. */
  rows: z.int(),
  withoutReference: z.int(),
  /** Questions about these rows, and those of them without an answer that can be reused. */
  questions: z.int(),
  toAsk: z.int(),
  /** How many of these today's remaining budget (UTC) allows, and the limit that excludes the rest. */
  allowed: z.int(),
  limitedBy: z.enum(["calls", "tokens", "usd"]).nullable(),
  tokensPerQuestion: z.object({ input: z.int(), output: z.int() }).nullable(),
  /** `project`: the mean of this model's latest judgements in this project; `estimate`: from the length of the questions. */
  tokensFrom: z.enum(["project", "estimate"]).nullable(),
  /** US dollars for all questions to ask, regardless of the budget. */
  cost: z.number().nullable(),
  /** Whether the judge is of the family of a judged model, and may prefer it for that. */
  mayPreferItself: z.boolean(),
});
export type JudgePreview = z.infer<typeof judgePreview>;
export const judgePreviewReply = z.object({ preview: judgePreview });

/** A share with its 95 % confidence limits. */
const share = z.object({ rate: z.number(), low: z.number(), high: z.number() });

/** What the judge said, so far. */
export const judgingResult = z.object({
  questions: z.int(),
  /** Of these, answered; sent to the model this time; and copied from an answer to the same question. */
  answered: z.int(),
  asked: z.int(),
  reused: z.int(),
  /** What it said of single answers. `noAnswer`: it gave none in the required form. */
  answers: z.object({ right: z.int(), notRight: z.int(), cannotTell: z.int(), noAnswer: z.int() }),
  /** Which answer it prefers; `null` if it was not asked. Rows in which both answers are the same are ties. */
  preference: z
    .object({
      n: z.int(),
      /** Prefers the later model's answer in both orders, the earlier one's, and neither. */
      win: z.int(),
      loss: z.int(),
      tie: z.int(),
      /** Of the ties, those in which the choice turned with the order. */
      flips: z.int(),
      winShare: share.nullable(),
      lossShare: share.nullable(),
      /** Of the exact paired test, of wins against losses. */
      p: z.number(),
    })
    .nullable(),
  /** How far it agrees with people who reviewed the same answers, and Gwet's AC1; `null` without any. */
  agreement: z.object({ judgements: z.int(), share, ac1: z.number() }).nullable(),
});
export type JudgingResult = z.infer<typeof judgingResult>;

export const judging = judgingResult.extend({
  status: z.enum(JUDGING_STATUSES),
  model: z.string(),
  promptVersion: z.int(),
  maxQuestions: z.int(),
  /** Why it stopped before all questions were answered. Ask again to go on; what was answered is not asked again. */
  note: z.string().nullable(),
  mayPreferItself: z.boolean(),
  createdAt: z.number(),
  finishedAt: z.number().nullable(),
});
export type Judging = z.infer<typeof judging>;

/** What the judge said about one row. */
export const judgement = z.object({
  question: z.enum(JUDGEMENT_QUESTIONS),
  /** `right`, `not_right` or `cannot_tell`; `first`, `second` or `tie` for a preference. `null`: `error` says why. */
  verdict: z.string().nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  model: z.string(),
  promptVersion: z.int(),
  /** Everything that the model replied. */
  reply: z.string().nullable(),
});
export type Judgement = z.infer<typeof judgement>;
