import { and, eq, isNotNull } from "drizzle-orm";
import { evaluationRows } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { Adjudicator } from "@/server/services/diagnostics/adjudicator";
import type { ModelAnswer, PromptMessage } from "../evaluations/schemas";
import { judgementsOf, reusable, type StoredJudgement } from "./judgements";
import { isEven, type JudgedRow, type Question, questionsOf } from "./questions";

type Choice = { model: string; withPreference: boolean };

/** What a judge is asked about an evaluation, and what was said to it. */
export type JudgedEvaluation = {
  rows: JudgedRow[];
  even: number;
  questions: Question[];
  /** What was said in this evaluation to exactly these questions. */
  said: StoredJudgement[];
};

/** What is left to ask. */
type Plan = JudgedEvaluation & {
  /** Questions without an answer, by key: those of equal content have one. */
  open: Map<string, Question[]>;
  /** Answers to open ones, from other rows and evaluations. */
  known: Map<string, StoredJudgement>;
};

/** Identifies a question among those about an evaluation. */
const nameOf = ({ n, question }: Pick<Question, "n" | "question">) => `${n} ${question}`;

/** Returns the questions to a model about an evaluation, and what was said to them. */
export async function readJudgedEvaluation(
  ctx: Ctx,
  evaluationId: string,
  { connectionId, model, withPreference }: Choice & Pick<Adjudicator, "connectionId">,
): Promise<JudgedEvaluation> {
  const rows = await judgedRows(ctx, evaluationId);
  const questions = questionsOf(rows, { projectId: ctx.projectId, connectionId, model, withPreference });
  const keys = new Map(questions.map((one) => [nameOf(one), one.key]));
  return {
    rows,
    even: withPreference ? rows.filter(isEven).length : 0,
    questions,
    said: (await judgementsOf(ctx, evaluationId)).filter((one) => keys.get(nameOf(one)) === one.key),
  };
}

/** Returns what asking the model about an evaluation takes. Sends nothing. */
export async function planJudging(
  ctx: Ctx,
  evaluationId: string,
  { connectionId, cacheDays }: Pick<Adjudicator, "connectionId" | "cacheDays">,
  { model, withPreference }: Choice,
): Promise<Plan> {
  const judged = await readJudgedEvaluation(ctx, evaluationId, { connectionId, model, withPreference });
  const answered = new Set(judged.said.map(nameOf));
  const open = Map.groupBy(
    judged.questions.filter((one) => !answered.has(nameOf(one))),
    ({ key }) => key,
  );
  return { ...judged, open, known: await reusable(ctx, [...open.keys()], cacheDays) };
}

/** Reads the rows that both models have answered. */
export async function judgedRows({ db, projectId }: Ctx, evaluationId: string): Promise<JudgedRow[]> {
  const found = await db
    .select()
    .from(evaluationRows)
    .where(
      and(
        eq(evaluationRows.projectId, projectId),
        eq(evaluationRows.evaluationId, evaluationId),
        isNotNull(evaluationRows.after),
      ),
    )
    .orderBy(evaluationRows.n);
  return found.map(({ n, prompt, reference, before, after, isFoundBefore, isFoundAfter }) => ({
    n,
    prompt: prompt as unknown as PromptMessage[],
    reference,
    before: before as unknown as ModelAnswer,
    after: after as unknown as ModelAnswer,
    isFoundBefore,
    isFoundAfter,
  }));
}
