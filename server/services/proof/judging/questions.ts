import type { z } from "zod";
import type { JUDGEMENT_QUESTIONS } from "@/db/schema/enumerations";
import { answerKey, type PromptWithin } from "@/server/services/diagnostics/adjudicator";
import type { ModelAnswer, PromptMessage } from "../evaluations/schemas";
import { isCalls } from "../evaluations/verdict/answer-text";
import { isSame } from "../evaluations/verdict/judge";
import { JUDGE_PROMPT_VERSION, preferenceAnswer, preferencePrompt, rightAnswer, rightPrompt } from "./prompts";

export type QuestionKind = (typeof JUDGEMENT_QUESTIONS)[number];

/** A row that both models have answered, as a judge sees it. */
export type JudgedRow = {
  n: number;
  prompt: PromptMessage[];
  reference: string | null;
  before: Pick<ModelAnswer, "content" | "finishReason">;
  after: Pick<ModelAnswer, "content" | "finishReason">;
  isFoundBefore: boolean | null;
  isFoundAfter: boolean | null;
};

export type Question = {
  n: number;
  question: QuestionKind;
  subject: string;
  /** What is shown and asked: the same for the same content in any evaluation. */
  key: string;
  promptWithin: PromptWithin;
  answer: z.ZodType<{ verdict: string; reason: string }>;
};

type Input = { projectId: string; connectionId: string; model: string; withPreference: boolean };

/** Whether a model has to say if an answer is right: nothing simpler decides it. */
function isOpen({ reference, isFoundBefore, isFoundAfter, ...row }: JudgedRow, side: "before" | "after") {
  if (reference === null || isCalls(reference)) return false;
  const isFound = side === "before" ? isFoundBefore : isFoundAfter;
  return isFound !== true && row[side].content.trim() !== "" && !isSame(reference, row[side]);
}

/** Whether both answers are the same, which is a tie without asking. */
export const isEven = ({ before, after }: Pick<JudgedRow, "before" | "after">) =>
  before.content.trim() === after.content.trim();

/** Returns what a judge is asked about these rows, in their order. */
export function questionsOf(
  rows: readonly JudgedRow[],
  { projectId, connectionId, model, withPreference }: Input,
): Question[] {
  const made = (
    n: number,
    question: QuestionKind,
    kind: "right" | "preference",
    promptWithin: PromptWithin,
  ): Question => {
    const subject = `judge ${JUDGE_PROMPT_VERSION} ${kind}`;
    const answer = kind === "right" ? rightAnswer : preferenceAnswer;
    return {
      n,
      question,
      subject,
      answer,
      promptWithin,
      key: answerKey(connectionId, model, subject, promptWithin()),
    };
  };
  return rows.flatMap((row) => {
    const judged = { messages: row.prompt, reference: row.reference };
    const [before, after] = [row.before.content, row.after.content];
    const right = (question: QuestionKind, answer: string) =>
      made(row.n, question, "right", (characters) => rightPrompt(projectId, judged, answer, characters));
    const preference = (question: QuestionKind, answers: readonly [string, string]) =>
      made(row.n, question, "preference", (characters) => preferencePrompt(projectId, judged, answers, characters));
    return [
      ...(isOpen(row, "before") ? [right("right_before", before)] : []),
      ...(isOpen(row, "after") ? [right("right_after", after)] : []),
      ...(withPreference && !isEven(row)
        ? [preference("before_first", [before, after]), preference("after_first", [after, before])]
        : []),
    ];
  });
}
