import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import { evaluationReviews, evaluationRows, evaluations } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { type FrozenRule, isFoundIn, type RuleConfiguration, watchProven } from "@/server/services/diagnostics";
import type { ReplayRequest } from "./prepare-evaluation";
import {
  basisOf,
  type EvaluationRecord,
  isEvaluation,
  lockEvaluation,
  type Summary,
  summaryOf,
} from "./read-evaluations";
import type { ModelAnswer, PromptMessage, RowRightness } from "./schemas";
import { countedOutcome, judge } from "./verdict/judge";
import { decideRight } from "./verdict/right";
import {
  type AnsweredRow,
  comparisonOf,
  effectiveRightness,
  outcomeOf,
  proofOf,
  type Review,
  stateOf,
  verdictOf,
} from "./verdict/summarise";

type Answer = Pick<ModelAnswer, "content" | "finishReason"> & { cost?: number | null };
/** Both answers to a row, or why there are none; without a reason, requesting them crashed the trainer's process. */
export type Answered =
  | { n: number; before: Answer; after: Answer }
  | { n: number; before: null; after: null; reason?: "not_answered" | "not_applied" | "other_tool_call" };

/** The Rule changed with a new version of Whetstone: answers from before and after the change cannot be compared. */
export class RuleChanged extends Error {
  override readonly name = "RuleChanged";
}

type Stored = {
  n: number;
  before: object | null;
  after: object | null;
  outcome: AnsweredRow["outcome"];
  reason: string;
  is_found_before: boolean | null;
  is_found_after: boolean | null;
  rightness: RowRightness | null;
};
const COLUMNS =
  "n int, before jsonb, after jsonb, outcome text, reason text, is_found_before boolean, is_found_after boolean, rightness jsonb";

function frozenRuleOf({ ruleId, ruleVersion, ruleConfiguration }: EvaluationRecord): FrozenRule {
  const { signal, ...configuration } = ruleConfiguration as RuleConfiguration & { signal: string };
  return { ruleId: ruleId ?? "", version: ruleVersion ?? 0, configuration, signal };
}

/** Judges both answers to a row: against the expected answer, or with the Finding's detectors and against the reference. */
function judged(record: EvaluationRecord, row: Input, answered: Answered, references: readonly string[]): Stored {
  const { n, before, after } = answered;
  const nothing = { outcome: null, is_found_before: null, is_found_after: null };
  if (answered.before === null || before === null || after === null) {
    const reason = "reason" in answered ? (answered.reason ?? "no_answer") : "no_answer";
    return { n, before: null, after: null, ...nothing, rightness: null, reason };
  }
  const { floors = [] } = summaryOf(record);
  const decide = (answer: Answer) => decideRight(row.reference, answer, floors, references);
  const rightness: RowRightness = { before: decide(before), after: decide(after) };
  if (record.kind === "examples") {
    const { scoreBefore, scoreAfter, ...compared } = judge(row.expected ?? "", before, after);
    const scored = { before: { ...before, score: scoreBefore }, after: { ...after, score: scoreAfter } };
    return { n, ...nothing, ...scored, ...countedOutcome(compared, rightness), rightness };
  }
  const rule = frozenRuleOf(record);
  const prompt = row.request?.messages ?? row.prompt;
  const [was, is] = [isFoundIn(rule, prompt, before), isFoundIn(rule, prompt, after)];
  if (was === null || is === null) throw new RuleChanged();
  const states = {
    before: stateOf(was, rightness.before?.right ?? null),
    after: stateOf(is, rightness.after?.right ?? null),
  };
  return { n, before, after, ...outcomeOf(states), is_found_before: was, is_found_after: is, rightness };
}

type Input = {
  n: number;
  exampleId: string | null;
  prompt: PromptMessage[];
  expected: string | null;
  reference: string | null;
  /** For a replay with tools. */
  request: ReplayRequest | null;
  /** A connected model's answer to what has this key, if only that one is there yet. */
  before: Answer | null;
  beforeKey: string | null;
};

/** Returns unanswered rows of an evaluation: the first ones, or those given. */
export const unansweredRows = async (
  { db, projectId }: Ctx,
  evaluationId: string,
  { only, limit }: { only?: readonly number[]; limit: number },
): Promise<Input[]> =>
  (await db
    .select({
      n: evaluationRows.n,
      exampleId: evaluationRows.exampleId,
      prompt: evaluationRows.prompt,
      expected: evaluationRows.expected,
      reference: evaluationRows.reference,
      request: evaluationRows.request,
      before: evaluationRows.before,
      beforeKey: evaluationRows.beforeKey,
    })
    .from(evaluationRows)
    .where(
      and(
        eq(evaluationRows.projectId, projectId),
        eq(evaluationRows.evaluationId, evaluationId),
        isNull(evaluationRows.after),
        isNull(evaluationRows.reason),
        only && inArray(evaluationRows.n, [...only]),
      ),
    )
    .orderBy(evaluationRows.n)
    .limit(limit)) as unknown as Input[];

/**
 * Stores answers with their judgements, recounts the evaluation, and ends it once no row is left. A row that already has an
 * answer keeps it, and one that has been deleted stays deleted. Returns whether the evaluation has ended.
 */
export async function storeAnswers(
  ctx: Ctx,
  record: EvaluationRecord,
  answers: readonly Answered[],
  changed: Partial<Summary> = {},
): Promise<boolean> {
  const only = answers.map(({ n }) => n);
  const rows = new Map((await unansweredRows(ctx, record.id, { only, limit: only.length })).map((row) => [row.n, row]));
  const references = await referencesOf(ctx, record.id);
  const stored = answers.flatMap((answer) => {
    const row = rows.get(answer.n);
    return row ? [judged(record, row, answer, references)] : [];
  });
  return inTransaction(ctx, async (tx) => {
    const current = await lockEvaluation(tx, record.id);
    if (!current || current.finishedAt !== null) return true;
    await tx.db.execute(sql`
      update evaluation_rows r set before = t.before, after = t.after, outcome = t.outcome, reason = t.reason,
        is_found_before = t.is_found_before, is_found_after = t.is_found_after, rightness = t.rightness
      from ${rowsOf(stored, COLUMNS)}
      where r.project_id = ${tx.projectId} and r.evaluation_id = ${record.id} and r.n = t.n
        and r.after is null and r.reason is null`);
    return recount(tx, current, changed);
  });
}

/** References of an evaluation that an answer is compared with, besides its own. */
const REFERENCES_MAX = 300;

async function referencesOf({ db, projectId }: Ctx, evaluationId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ reference: evaluationRows.reference })
    .from(evaluationRows)
    .where(and(eq(evaluationRows.projectId, projectId), eq(evaluationRows.evaluationId, evaluationId)))
    .limit(REFERENCES_MAX);
  return rows.flatMap(({ reference }) => reference ?? []);
}

const numberOf = (field: "before" | "after") => sql<number | null>`(${evaluationRows[field]} ->> 'score')::float8`;

/** When the evaluation is woken if the process that runs it has died. */
export const WAKE_AGAIN_MS = 60_000;

const rowsOfEvaluation = async (tx: Ctx, evaluationId: string): Promise<AnsweredRow[]> => {
  const rows = await tx.db
    .select({
      n: evaluationRows.n,
      outcome: evaluationRows.outcome,
      reason: evaluationRows.reason,
      scoreBefore: numberOf("before"),
      scoreAfter: numberOf("after"),
      isFoundBefore: evaluationRows.isFoundBefore,
      isFoundAfter: evaluationRows.isFoundAfter,
      groupNumber: evaluationRows.groupNumber,
      rightness: evaluationRows.rightness,
    })
    .from(evaluationRows)
    .where(and(eq(evaluationRows.projectId, tx.projectId), eq(evaluationRows.evaluationId, evaluationId)))
    .orderBy(evaluationRows.n);
  const reviews = await reviewsOf(tx, evaluationId);
  return rows.map((row) => ({
    ...row,
    rightness: row.rightness as RowRightness | null,
    reviews: reviews.get(row.n) ?? [],
  }));
};

/** Returns what people say of the rows of an evaluation, newest first. */
export async function reviewsOf(
  { db, projectId }: Ctx,
  evaluationId: string,
): Promise<ReadonlyMap<number, (Review & { reviewerId: string })[]>> {
  const found = await db
    .select()
    .from(evaluationReviews)
    .where(and(eq(evaluationReviews.projectId, projectId), eq(evaluationReviews.evaluationId, evaluationId)))
    .orderBy(desc(evaluationReviews.createdAt), evaluationReviews.reviewerId);
  return Map.groupBy(found, ({ n }) => n);
}

/** Counts the rows of a locked evaluation again after a review, with the verdict if it has ended. */
export async function recountReviewed(tx: Ctx, record: EvaluationRecord, n: number): Promise<void> {
  await recountJudged(tx, record, await rowsOfEvaluation(tx, record.id), new Set([n]));
}

/** Makes what a model said of the rows of a locked evaluation count, unless an answer is the expected one. */
export async function applyJudgements(
  tx: Ctx,
  record: EvaluationRecord,
  said: readonly { n: number; question: string; verdict: string | null }[],
): Promise<void> {
  const rows = new Map((await rowsOfEvaluation(tx, record.id)).map((row) => [row.n, row]));
  const changed = new Set<number>();
  for (const { n, question, verdict } of said) {
    const side = question === "right_before" ? "before" : question === "right_after" ? "after" : null;
    const row = rows.get(n);
    if (side === null || verdict === null || !row || row.rightness?.[side]?.by === "match") continue;
    const right = verdict === "right" ? true : verdict === "not_right" ? false : null;
    row.rightness = { before: null, after: null, ...row.rightness, [side]: { right, by: "model" } };
    changed.add(n);
  }
  await recountJudged(tx, record, [...rows.values()], changed);
}

/** Stores what is said of the changed ones of these rows, and counts all of them. */
async function recountJudged(
  tx: Ctx,
  record: EvaluationRecord,
  rows: readonly AnsweredRow[],
  changed: ReadonlySet<number>,
): Promise<void> {
  const compared = record.kind === "finding" ? null : await comparedAgain(tx, record.id, [...changed]);
  const stored = rows.flatMap((row) => {
    if (!changed.has(row.n)) return [];
    const again = compared?.get(row.n);
    if (again) Object.assign(row, countedOutcome(again, effectiveRightness(row)));
    if (compared === null) {
      const { before, after } = effectiveRightness(row);
      const states = {
        before: stateOf(row.isFoundBefore, before?.right ?? null),
        after: stateOf(row.isFoundAfter, after?.right ?? null),
      };
      Object.assign(row, outcomeOf(states));
    }
    const { n, outcome, reason, rightness } = row;
    return [{ n, outcome, reason, rightness }];
  });
  await tx.db.execute(sql`
    update evaluation_rows r set outcome = t.outcome, reason = t.reason, rightness = t.rightness
    from ${rowsOf(stored, "n int, outcome text, reason text, rightness jsonb")}
    where r.project_id = ${tx.projectId} and r.evaluation_id = ${record.id} and r.n = t.n`);
  const { verdict, ...counted } = summarised(record, rows);
  await tx.db
    .update(evaluations)
    .set({
      summary: { ...summaryOf(record), ...counted },
      updatedAt: NOW,
      ...(record.status === "succeeded" ? { verdict } : {}),
    })
    .where(isEvaluation(tx, record.id));
  if (record.status === "succeeded") await watchIfProven(tx, record, verdict);
}

/** Returns what the texts of these rows of a comparison say, whatever was said of them since. */
async function comparedAgain({ db, projectId }: Ctx, evaluationId: string, ns: readonly number[]) {
  const rows = await db
    .select({
      n: evaluationRows.n,
      expected: evaluationRows.expected,
      before: evaluationRows.before,
      after: evaluationRows.after,
    })
    .from(evaluationRows)
    .where(
      and(
        eq(evaluationRows.projectId, projectId),
        eq(evaluationRows.evaluationId, evaluationId),
        inArray(evaluationRows.n, [...ns]),
      ),
    );
  return new Map(
    rows.flatMap(({ n, expected, before, after }) =>
      before === null || after === null
        ? []
        : [[n, judge(expected ?? "", before as unknown as Answer, after as unknown as Answer)] as const],
    ),
  );
}

/** Returns the counts of answered rows, and for a proof its verdict. */
function summarised(record: EvaluationRecord, rows: readonly AnsweredRow[]) {
  const answered = rows.filter(({ reason }) => reason !== null);
  if (record.kind !== "finding") return { comparison: comparisonOf(answered), verdict: null };
  const basis = basisOf(summaryOf(record));
  const counted = proofOf(answered, basis);
  const { verdict, because } = verdictOf(counted, basis);
  return { proof: { ...counted, because }, verdict };
}

/** Counts the rows of a locked evaluation and ends it if none is left to answer. */
async function recount(tx: Ctx, record: EvaluationRecord, changed: Partial<Summary>): Promise<boolean> {
  const rows = await rowsOfEvaluation(tx, record.id);
  const done = rows.filter(({ reason }) => reason !== null).length;
  const isDone = done === rows.length;
  const { verdict, ...counted } = summarised(record, rows);
  const summary: Summary = { ...summaryOf(record), request: undefined, ...changed, ...counted };
  const ended = { status: "succeeded", verdict, finishedAt: NOW, dueAt: null } as const;
  await tx.db
    .update(evaluations)
    .set({
      summary,
      total: rows.length,
      done,
      staleSince: null,
      updatedAt: NOW,
      ...(isDone ? ended : { dueAt: sql`${NOW} + ${WAKE_AGAIN_MS}` }),
    })
    .where(isEvaluation(tx, record.id));
  if (isDone) await watchIfProven(tx, record, verdict);
  return isDone;
}

/** What has just been proven may be in use already. */
async function watchIfProven(
  tx: Ctx,
  { findingId, checkpointId, variantId, ...before }: EvaluationRecord,
  verdict: EvaluationRecord["verdict"],
) {
  if (findingId === null || verdict !== "proven" || before.verdict === "proven") return;
  await watchProven(tx, { findingId, checkpointId, variantId });
}
