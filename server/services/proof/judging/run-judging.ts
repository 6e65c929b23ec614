import { and, eq } from "drizzle-orm";
import pLimit from "p-limit";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { evaluationJudgings } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { judgingDue } from "@/server/platform/jobs/events";
import {
  type Adjudicator,
  findAdjudicator,
  type ModelSession,
  NoAnswer,
  openModel,
} from "@/server/services/diagnostics/adjudicator";
import { inMs, wakeDue } from "@/server/services/trainers";
import { lockEvaluation } from "../evaluations/read-evaluations";
import { applyJudgements, reviewsOf } from "../evaluations/store-answers";
import { sentSince, storeJudgement } from "./judgements";
import { type JudgedEvaluation, planJudging, readJudgedEvaluation } from "./plan";
import type { Question } from "./questions";
import { resultOf } from "./result";
import { isUnfinished } from "./running";

type JudgingRow = typeof evaluationJudgings.$inferSelect;

/** Questions per turn, so that results show as they come, and how many of them are asked at the same time. */
const QUESTIONS = 40;
const ASKED_AT_ONCE = 4;
/** Longer than a turn takes, however slow the endpoint is; a judging whose turn died is woken then. */
const WAKE_AGAIN_MS = 15 * 60_000;

/** `waits`: never, as a judging that cannot go on ends. */
export type Turn = { done: boolean; waits: boolean };

/**
 * Asks the connected model some of the open questions about an evaluation and counts what it said. Each answer is stored as it
 * comes, so a turn can be interrupted anywhere and repeated: only questions in progress are asked again.
 */
export async function runJudging(ctx: Ctx, evaluationId: string): Promise<Turn> {
  const [record] = await ctx.db
    .update(evaluationJudgings)
    .set({ status: "running", dueAt: inMs(WAKE_AGAIN_MS), updatedAt: NOW })
    .where(isUnfinished(ctx, evaluationId))
    .returning();
  if (!record) return { done: true, waits: false };
  const adjudicator = await findAdjudicator(ctx);
  if (adjudicator?.connectionId !== record.connectionId)
    return end(ctx, record, "stopped", "the model connection is no longer the one that judges");
  const plan = await planJudging(ctx, evaluationId, adjudicator, record);
  for (const [key, said] of plan.known) await storeJudgement(ctx, evaluationId, plan.open.get(key) ?? [], said, true);
  const left = [...plan.open.values()].filter(([first]) => first && !plan.known.has(first.key));
  const sent = await sentSince(ctx, evaluationId, record.createdAt);
  const allowed = Math.min(QUESTIONS, Math.max(0, record.maxQuestions - sent));
  const broken = await ask(ctx, record, adjudicator, left.slice(0, allowed));
  if (broken !== null) return end(ctx, record, "stopped", broken);
  if (left.length <= allowed) return end(ctx, record, "done", null);
  if (sent + allowed >= record.maxQuestions)
    return end(ctx, record, "stopped", `it may send ${record.maxQuestions.toLocaleString("en")} questions, and has`);
  await count(ctx, record);
  return { done: false, waits: false };
}

/** Asks questions, a few at a time. Returns why no further ones can be asked; `null` if they can. */
async function ask(ctx: Ctx, record: JudgingRow, adjudicator: Adjudicator, groups: readonly Question[][]) {
  const session = openModel(ctx, adjudicator, "judging");
  const limit = pLimit(ASKED_AT_ONCE);
  const failures = await limit.map(groups, (group) => askOne(ctx, record, session, group));
  return failures.find((one) => one !== null) ?? null;
}

async function askOne(ctx: Ctx, record: JudgingRow, session: ModelSession, group: Question[]): Promise<string | null> {
  const [{ subject, promptWithin, answer }] = group as [Question, ...Question[]];
  const store = (said: Parameters<typeof storeJudgement>[3]) => storeJudgement(ctx, record.id, group, said, false);
  const none = { model: record.model, verdict: null, reason: null, reply: null, inputTokens: null, outputTokens: null };
  try {
    await session.ask({
      subject,
      model: record.model,
      promptWithin,
      answer,
      cache: {
        find: async () => null,
        async store(_, { model, answer: said, reply, tokens }) {
          const { verdict, reason } = answer.parse(said);
          await store({
            model,
            verdict,
            reason,
            reply,
            error: null,
            inputTokens: tokens?.input ?? null,
            outputTokens: tokens?.output ?? null,
          });
        },
      },
    });
    return null;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (error.of === "endpoint") return error.message;
    await store({ ...none, error: error.message });
    return null;
  }
}

async function end(ctx: Ctx, record: JudgingRow, status: "done" | "stopped", note: string | null): Promise<Turn> {
  await count(ctx, record, { status, note, dueAt: null, finishedAt: NOW });
  return { done: true, waits: false };
}

/** Counts what was said so far, in the rows, the evaluation's figures and the judging, with its end if it has ended. */
async function count(ctx: Ctx, record: JudgingRow, ended: object = { dueAt: NOW }): Promise<void> {
  const judged = await readJudgedEvaluation(ctx, record.id, record);
  await inTransaction(ctx, async (tx) => {
    const evaluation = await lockEvaluation(tx, record.id);
    if (!evaluation) return;
    await applyJudgements(tx, evaluation, judged.said);
    await tx.db
      .update(evaluationJudgings)
      .set({ result: await counted(tx, record, judged), updatedAt: NOW, ...ended })
      .where(isUnfinished(ctx, record.id));
  });
}

async function counted(ctx: Ctx, record: JudgingRow, { said, questions, even }: JudgedEvaluation) {
  return resultOf({
    said,
    questions: questions.length,
    even,
    asked: await sentSince(ctx, record.id, record.createdAt),
    withPreference: record.withPreference,
    reviews: await reviewsOf(ctx, record.id),
  });
}

/** Counts a judging again after a review of the evaluation's rows, which it may agree with. */
export async function recountJudging(tx: Ctx, evaluationId: string): Promise<void> {
  const isIt = and(eq(evaluationJudgings.projectId, tx.projectId), eq(evaluationJudgings.id, evaluationId));
  const [record] = await tx.db.select().from(evaluationJudgings).where(isIt);
  if (!record) return;
  const judged = await readJudgedEvaluation(tx, evaluationId, record);
  await tx.db
    .update(evaluationJudgings)
    .set({ result: await counted(tx, record, judged), updatedAt: NOW })
    .where(isIt);
}

/** Wakes judgings whose event or process was lost. */
export const wakeJudgings = (db: Db): Promise<number> =>
  wakeDue(db, evaluationJudgings, ({ projectId, id }) => judgingDue.create({ projectId, evaluationId: id }));
