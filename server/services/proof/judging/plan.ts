import { and, eq, isNotNull } from "drizzle-orm";
import { evaluationRows } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { Adjudicator } from "@/server/services/diagnostics/adjudicator";
import type { ModelAnswer, PromptMessage } from "../evaluations/schemas";
import { judgementsOf, reusable, type StoredJudgement } from "./judgements";
import { isEven, type JudgedRow, type Question, questionsOf } from "./questions";

type Choice = { model: string; withPreference: boolean };

/** What a judge is asked about an evaluation, and what is known of it already. */
export type Plan = {
  rows: JudgedRow[];
  even: number;
  questions: Question[];
  /** What was said in this evaluation to exactly these questions. */
  said: StoredJudgement[];
  /** Questions without an answer, by key: those of equal content have one. */
  open: Map<string, Question[]>;
  /** Answers to open ones, from other rows and evaluations. */
  known: Map<string, StoredJudgement>;
};

/** Returns what asking the model about an evaluation takes. Sends nothing. */
export async function planJudging(
  ctx: Ctx,
  evaluationId: string,
  { connectionId, cacheDays }: Pick<Adjudicator, "connectionId" | "cacheDays">,
  { model, withPreference }: Choice,
): Promise<Plan> {
  const rows = await judgedRows(ctx, evaluationId);
  const questions = questionsOf(rows, { projectId: ctx.projectId, connectionId, model, withPreference });
  const keys = new Map(questions.map((one) => [`${one.n} ${one.question}`, one.key]));
  const said = (await judgementsOf(ctx, evaluationId)).filter(
    (one) => keys.get(`${one.n} ${one.question}`) === one.key,
  );
  const answered = new Set(said.map((one) => `${one.n} ${one.question}`));
  const open = Map.groupBy(
    questions.filter((one) => !answered.has(`${one.n} ${one.question}`)),
    ({ key }) => key,
  );
  return {
    rows,
    even: withPreference ? rows.filter(isEven).length : 0,
    questions,
    said,
    open,
    known: await reusable(ctx, [...open.keys()], cacheDays),
  };
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
