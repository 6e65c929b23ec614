import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import pLimit from "p-limit";
import { evaluationRows, evaluations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { type Budget, NoAnswer } from "@/server/services/diagnostics/adjudicator";
import { problemOf, type TrainerProblem } from "@/server/services/trainers";
import { type Chat, type ChatAnswer, type ChatModel, openChat } from "../variants/ask-chat";
import type { Endpoint } from "../variants/endpoints";
import { type ChatRequest, withOverlay } from "../variants/overlay";
import { answerPlayedBack } from "../variants/play-back";
import type { Variant } from "../variants/schemas";
import { readVariant } from "../variants/variant-rows";
import { type EvaluationRecord, isEvaluation } from "./read-evaluations";
import { samplePrompts } from "./sample-prompts";
import { storeAnswers, unansweredRows } from "./store-answers";

/** Rows per turn, so that a stopped evaluation ends soon, and how many of them are asked at the same time. */
const ROWS = 20;
const AT_ONCE = 4;

type Turn = { done: boolean; waits: boolean };
type Ends = {
  fail: (ctx: Ctx, id: string, problem: TrainerProblem) => Promise<Turn>;
  markStale: (ctx: Ctx, id: string) => Promise<Turn>;
};
type Row = Awaited<ReturnType<typeof unansweredRows>>[number];
/** Why no further row can be answered. */
type Stop = "over_budget" | "ended" | NoAnswer;
type Answer = ChatAnswer | "over_budget" | "ended" | "other_tool_call";

/** What answers before and after, and what each is sent of a recorded request; `null` where a change cannot be applied. */
export type Sides = Record<"before" | "after", { to: ChatModel; sent: (request: ChatRequest) => ChatRequest | null }>;

/** Returns both sides of a variant's evaluation: the baseline is sent what was recorded. */
export const sidesOf = (
  baseline: Omit<Endpoint, "deploymentId" | "baseModel"> & Partial<Endpoint>,
  variant: Variant,
): Sides => ({
  before: { to: { deploymentId: null, baseModel: null, ...baseline, parameters: {} }, sent: (request) => request },
  after: { to: variant, sent: (request) => withOverlay(request, variant) },
});

/**
 * Has connected models answer some rows of a variant's evaluation. Each answer is stored as it comes and looked for before it is
 * asked, so a turn can be interrupted anywhere and repeated: only questions in progress are asked again.
 */
export async function answerRows(ctx: Ctx, record: EvaluationRecord, ends: Ends): Promise<Turn> {
  const rows = await unansweredRows(ctx, record.id, { limit: ROWS });
  if (rows.length === 0) return { done: await storeAnswers(ctx, record, []), waits: false };
  const [chat, variant, prompts] = await Promise.all([
    openChat(ctx, "proof"),
    readVariant(ctx, record.variantId ?? ""),
    samplePrompts(ctx, record, rows),
  ]);
  const sides = sidesOf(record.baseline!, variant);
  const asking: Asking = { byKey: new Map(), calls: new Set() };
  let stop: Stop | null = null;
  let isDone = false;
  await pLimit(AT_ONCE).map(rows, async (row, at) => {
    if (stop !== null) return;
    const answered = await answerRow(ctx, record, { chat, sides, asking, row, request: prompts[at] as ChatRequest });
    if (typeof answered === "boolean") isDone ||= answered;
    else stop = answered;
  });
  return stop === null ? { done: isDone, waits: false } : stopped(ctx, record, stop, ends);
}

/** What is in progress: questions by key, because two rows may ask the same, and calls, which hold back more than they will cost. */
type Asking = { byKey: Map<string, Promise<Answer>>; calls: Set<Promise<void>> };
type Asked = { chat: Chat; sides: Sides; asking: Asking; row: Row; request: ChatRequest };

/** Answers a row and stores the answers. Returns whether the evaluation has ended, or why nothing more can be asked. */
async function answerRow(
  ctx: Ctx,
  record: EvaluationRecord,
  { chat, sides, asking, row, request }: Asked,
): Promise<boolean | Stop> {
  const { n } = row;
  const none = { n, before: null, after: null };
  const changed = sides.after.sent(request);
  const answerTo = (to: ChatModel, sent: ChatRequest) => {
    const key = chat.keyOf(to, sent);
    const answer =
      asking.byKey.get(key) ??
      askOnce(ctx, record.id, { chat, to, request: sent, calls: asking.calls }).finally(() => asking.byKey.delete(key));
    asking.byKey.set(key, answer);
    return answer;
  };
  if (changed === null) return storeAnswers(ctx, record, [{ ...none, reason: "not_applied" }]);
  try {
    const beforeKey = chat.keyOf(sides.before.to, request);
    let before = row.beforeKey === beforeKey ? row.before : null;
    if (before === null) {
      const answer = await answerTo(sides.before.to, request);
      if (answer === "other_tool_call") return storeAnswers(ctx, record, [{ ...none, reason: answer }]);
      if (typeof answer === "string") return answer;
      before = answer;
      await storeBefore(ctx, record.id, n, answer, beforeKey);
    }
    const after = await answerTo(sides.after.to, changed);
    if (after === "other_tool_call") return storeAnswers(ctx, record, [{ ...none, reason: after }]);
    if (typeof after === "string") return after;
    await noteKey(ctx, record.id, n, chat.keyOf(sides.after.to, changed));
    return await storeAnswers(ctx, record, [{ n, before, after }]);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (error.of === "endpoint") return error;
    return storeAnswers(ctx, record, [{ ...none, reason: "not_answered" }]);
  }
}

/** Returns the answer to a question: a stored one to the same, or a new one within the evaluation's budget. */
async function askOnce(
  ctx: Ctx,
  evaluationId: string,
  { chat, to, request, calls }: { chat: Chat; to: ChatModel; request: ChatRequest; calls: Asking["calls"] },
): Promise<Answer> {
  const known = await knownAnswer(ctx, chat.keyOf(to, request));
  if (known) return known;
  let stop: "over_budget" | "ended" | null = null;
  const reserve: Budget["reserve"] = async ({ usd }) => {
    const most = usd ?? 0;
    let spent = await spend(ctx, evaluationId, most);
    while (spent === "over_budget" && calls.size > 0) {
      await Promise.race(calls);
      spent = await spend(ctx, evaluationId, most);
    }
    if (spent !== "ok") {
      stop = spent;
      throw new NoAnswer("nothing more may be spent");
    }
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    calls.add(ended);
    return async (used) => {
      if (used !== null) await settle(ctx, evaluationId, (used.usd ?? 0) - most);
      calls.delete(ended);
      end();
    };
  };
  try {
    // Each step of an answer with tools is a call of its own.
    const ask: Chat["ask"] = (model, sent) => chat.ask(model, sent, { reserve });
    return await answerPlayedBack({ ask }, to, request);
  } catch (error) {
    if (stop !== null) return stop;
    throw error;
  }
}

/** Returns an answer of this project to the same question, whichever side it was on. */
async function knownAnswer({ db, projectId }: Ctx, key: string): Promise<ChatAnswer | null> {
  for (const [side, keyColumn] of [
    [evaluationRows.before, evaluationRows.beforeKey],
    [evaluationRows.after, evaluationRows.afterKey],
  ] as const) {
    const [found] = await db
      .select({ answer: side })
      .from(evaluationRows)
      .where(and(eq(evaluationRows.projectId, projectId), eq(keyColumn, key), isNotNull(side)))
      .orderBy(desc(evaluationRows.evaluationId))
      .limit(1);
    if (found?.answer) return found.answer as unknown as ChatAnswer;
  }
  return null;
}

/** Adds to what an evaluation has cost, unless that would be more than it may. */
async function spend({ db, projectId }: Ctx, id: string, usd: number): Promise<"ok" | "over_budget" | "ended"> {
  const [row] = await db.execute<{ is_spent: boolean; has_ended: boolean }>(sql`
    with spent as (
      update evaluations set cost = cost + ${usd}::numeric
      where project_id = ${projectId} and id = ${id} and finished_at is null
        and (max_cost is null or cost + ${usd}::numeric <= max_cost)
      returning 1
    )
    select exists (select 1 from spent) as is_spent, not exists (
      select 1 from evaluations where project_id = ${projectId} and id = ${id} and finished_at is null) as has_ended`);
  return row?.is_spent ? "ok" : row?.has_ended ? "ended" : "over_budget";
}

/** Corrects what was held back for a call. */
const settle = (ctx: Ctx, id: string, usd: number) =>
  ctx.db
    .update(evaluations)
    .set({ cost: sql`${evaluations.cost} + ${usd}::numeric` })
    .where(isEvaluation(ctx, id));

const isOpenRow = ({ projectId }: Ctx, evaluationId: string, n: number) =>
  and(
    eq(evaluationRows.projectId, projectId),
    eq(evaluationRows.evaluationId, evaluationId),
    eq(evaluationRows.n, n),
    isNull(evaluationRows.reason),
  );

const storeBefore = (ctx: Ctx, evaluationId: string, n: number, before: ChatAnswer, beforeKey: string) =>
  ctx.db
    .update(evaluationRows)
    .set({ before, beforeKey })
    .where(isOpenRow(ctx, evaluationId, n));

const noteKey = (ctx: Ctx, evaluationId: string, n: number, afterKey: string) =>
  ctx.db
    .update(evaluationRows)
    .set({ afterKey })
    .where(isOpenRow(ctx, evaluationId, n));

/** Ends an evaluation that may not ask more with what it has; lets one wait whose models cannot answer for now. */
async function stopped(ctx: Ctx, record: EvaluationRecord, stop: Stop, { fail, markStale }: Ends): Promise<Turn> {
  if (stop === "ended") return { done: true, waits: false };
  if (stop === "over_budget") {
    await ctx.db
      .update(evaluationRows)
      .set({ reason: "over_budget" })
      .where(
        and(
          eq(evaluationRows.projectId, ctx.projectId),
          eq(evaluationRows.evaluationId, record.id),
          isNull(evaluationRows.reason),
        ),
      );
    return { done: await storeAnswers(ctx, record, []), waits: false };
  }
  if (stop.isForNow) return markStale(ctx, record.id);
  return fail(
    ctx,
    record.id,
    problemOf(
      "model_refused",
      `A model did not answer: ${stop.message}.`,
      "Check the connection and the model's name, or that the deployment runs, then start it again: known answers are not asked twice.",
    ),
  );
}
