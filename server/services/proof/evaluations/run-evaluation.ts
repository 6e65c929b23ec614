import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { checkpoints, evaluations, trainingJobs } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { evaluationDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { hubAccess } from "@/server/services/models";
import {
  inMs,
  isForNow,
  NOT_THERE,
  openTrainer,
  problemOf,
  RETRY_MS,
  type TrainerClient,
  type TrainerProblem,
  TrainerRefused,
  TrainerUnreachable,
  trainerProblemOf,
} from "@/server/services/trainers";
import { answerRows } from "./answer-rows";
import { type EvaluationRecord, isEvaluation, type Summary, summaryOf } from "./read-evaluations";
import { samplePrompts } from "./sample-prompts";
import { type Answered, RuleChanged, storeAnswers, unansweredRows, WAKE_AGAIN_MS } from "./store-answers";
import { answerText } from "./verdict/answer-text";

/** Prompts per request. The trainer loads each model once for all of them. */
const BATCH = 25;
/** How long the trainer may hold a request before it answers. */
const WAIT_SECONDS = 20;
/** Maximum tokens of an answer: as many as the expected one may have, within these limits. */
const [TOKENS_MIN, TOKENS_MAX] = [256, 1024];
const CHARACTERS_PER_TOKEN = 2;
/** The evaluation fails after this many consecutive rows that crash the trainer's process. */
const CRASHES_MAX = 3;
const CRASHED = "worker_crashed";
const STILL_RUNNING = 202;
/** How long a trainer may take to delete what it has answered. */
const FORGET_MS = 10_000;

/** `waits`: nothing can be done until the evaluation is due again. */
export type Turn = { done: boolean; waits: boolean };

const GOES_ON: Turn = { done: false, waits: false };

/**
 * Performs the next step of an evaluation: requests the answers of both models to some rows, or fetches those requested. Each
 * row's answers are stored once, so a step can be interrupted anywhere and repeated. If the trainer is unreachable, the
 * evaluation stays as it is, with `staleSince`.
 */
export async function runEvaluation(ctx: Ctx, evaluationId: string): Promise<Turn> {
  const record = await begin(ctx, evaluationId);
  if (!record) return { done: true, waits: false };
  try {
    if (record.variantId !== null) return await answerRows(ctx, record, { fail, markStale });
    const trainer = await openTrainer(ctx.db, record.trainerId ?? "");
    return { done: await turn(ctx, trainer, record), waits: false };
  } catch (error) {
    if (error instanceof TrainerUnreachable) return markStale(ctx, evaluationId);
    if (error instanceof TrainerRefused) return refused(ctx, record, error);
    if (error instanceof RuleChanged) return fail(ctx, evaluationId, RULE_CHANGED);
    throw error;
  }
}

const update = (ctx: Ctx, id: string, changed: PgUpdateSetSource<typeof evaluations>) =>
  ctx.db
    .update(evaluations)
    .set({ ...changed, updatedAt: NOW })
    .where(and(isEvaluation(ctx, id), isNull(evaluations.finishedAt)))
    .returning();

/** Marks an unfinished evaluation as running and returns it. */
async function begin(ctx: Ctx, id: string): Promise<EvaluationRecord | undefined> {
  const startedAt = sql<number>`coalesce(${evaluations.startedAt}, ${NOW})`;
  const [record] = await update(ctx, id, { status: "running", startedAt });
  return record;
}

async function turn(ctx: Ctx, trainer: TrainerClient, record: EvaluationRecord): Promise<boolean> {
  const { projectId } = ctx;
  const headers = { prefer: `wait=${WAIT_SECONDS}` };
  const timeoutMs = 2 * WAIT_SECONDS * 1000;
  const { request } = summaryOf(record);
  if (request) {
    const path = `/samples/${request.id}`;
    try {
      const reply = await trainer.request({ method: "GET", path, headers, timeoutMs, projectId });
      if (reply.status === STILL_RUNNING) {
        await update(ctx, record.id, { staleSince: null, dueAt: inMs(WAKE_AGAIN_MS) });
        return false;
      }
      const isDone = await take(ctx, record, request.rows, reply.json);
      await forget(trainer, path, projectId);
      return isDone;
    } catch (error) {
      const isOver = error instanceof TrainerRefused && error.status !== NOT_THERE && !isForNow(error);
      if (isOver) await forget(trainer, path, projectId);
      throw error;
    }
  }
  const rows = await nextRows(ctx, record);
  // Its remaining rows were deleted.
  if (rows.length === 0) return storeAnswers(ctx, record, []);
  const longest = Math.max(...rows.map(({ expected }) => expected?.length ?? 0));
  const targets = await targetsOf(ctx, record);
  const { json: hub, ...secret } = await hubAccess(ctx, trainer.trainerId, sourceOf(targets));
  const json = {
    ...hub,
    targets,
    prompts: await samplePrompts(ctx, record, rows),
    max_new_tokens: Math.min(TOKENS_MAX, Math.max(TOKENS_MIN, Math.ceil(longest / CHARACTERS_PER_TOKEN))),
  };
  // The reply comes immediately, with the location of the answers, so that an interrupted step does not send the request again.
  const input = { method: "POST" as const, path: "/samples", headers: { prefer: "wait=0" }, json, projectId };
  const reply = await trainer.request({ ...input, ...secret });
  const ns = rows.map(({ n }) => n);
  if (reply.status !== STILL_RUNNING) return take(ctx, record, ns, reply.json);
  const { location } = z.object({ location: z.string() }).parse(reply.json);
  await note(ctx, record, { request: { id: location.split("/").at(-1) ?? "", rows: ns } });
  return false;
}

/** Has the trainer delete prompts and answers that are no longer needed. If it cannot now, it does after an hour. */
async function forget(trainer: TrainerClient, path: string, projectId: string): Promise<void> {
  try {
    await trainer.request({ method: "DELETE", path, timeoutMs: FORGET_MS, projectId });
  } catch (error) {
    // Trainers of before have no such call.
    if (!(error instanceof TrainerRefused || error instanceof TrainerUnreachable)) throw error;
  }
}

const nextRows = async (ctx: Ctx, record: EvaluationRecord) => {
  const { oneByOneTo = -1 } = summaryOf(record);
  const rows = await unansweredRows(ctx, record.id, { limit: BATCH });
  return rows[0] && rows[0].n <= oneByOneTo ? rows.slice(0, 1) : rows;
};

const note = (ctx: Ctx, record: EvaluationRecord, changed: Partial<Summary>) =>
  update(ctx, record.id, {
    summary: { ...summaryOf(record), ...changed },
    staleSince: null,
    dueAt: inMs(WAKE_AGAIN_MS),
  });

type Target = { base: { source?: unknown; checkpoint_id: null } } | { checkpoint_id: string };

/** Returns where the base model comes from; `undefined` where only checkpoints are compared, which are loaded on theirs. */
const sourceOf = ([before]: readonly Target[]) => (before && "base" in before ? before.base.source : undefined);

/** Names both models according to the trainer's contract, the earlier one first. */
async function targetsOf({ db, projectId }: Ctx, record: EvaluationRecord): Promise<Target[]> {
  const checkpointId = record.checkpointId ?? "";
  const after = { checkpoint_id: checkpointId };
  if (record.baselineCheckpointId !== null) return [{ checkpoint_id: record.baselineCheckpointId }, after];
  const [job] = await db
    .select({ spec: trainingJobs.spec, resolvedSpec: trainingJobs.resolvedSpec })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, checkpointId)));
  const { base_model: base } = (job?.resolvedSpec ?? job?.spec ?? {}) as { base_model?: { source?: unknown } };
  return [{ base: { ...base, checkpoint_id: null } }, after];
}

const answerShape = z.object({
  content: z.string(),
  /** Trainers of before tools could be sampled send none. */
  tool_calls: z.array(z.object({ name: z.string(), arguments: z.string() })).default([]),
  finish_reason: z.enum(["stop", "length"]),
});
const replyShape = z.object({
  answers: z.array(z.object({ answers: z.array(answerShape) })),
  error: z.unknown().optional(),
});

/** Stores a reply's answers to these rows. */
async function take(ctx: Ctx, record: EvaluationRecord, ns: readonly number[], json: unknown): Promise<boolean> {
  const reply = replyShape.safeParse(json);
  if (!reply.success) throw new TrainerUnreachable("The trainer's reply contains no answers.");
  const { answers, error } = reply.data;
  const problem = error === null || error === undefined ? null : trainerProblemOf(error);
  if (problem) throw new TrainerRefused(422, problem);
  const [before, after] = answers.map((one) =>
    one.answers.map(({ content, tool_calls: calls, finish_reason: finishReason }) => ({
      content: answerText(content, calls),
      finishReason,
    })),
  );
  if (before?.length !== ns.length || after?.length !== ns.length) {
    throw new TrainerUnreachable("The trainer answered prompts other than those it was given.");
  }
  const answered = ns.map((n, at) => ({ n, before: before[at]!, after: after[at]! }));
  return storeAnswers(ctx, record, answered, { crashes: 0 });
}

const RULE_CHANGED = problemOf(
  "rule_changed",
  "The Finding's Rule changed with a new version of Whetstone while this was running.",
  "Start it again: both models are then judged by the new Rule.",
);

async function refused(ctx: Ctx, record: EvaluationRecord, refusal: TrainerRefused): Promise<Turn> {
  const { status, problem } = refusal;
  const { request } = summaryOf(record);
  if (problem.code === CRASHED) return crashed(ctx, record, problem);
  if (status === NOT_THERE && request) {
    // Its trainer discarded the answers before they were fetched, or another process has stored them since.
    await update(ctx, record.id, {
      summary: sql`case when ${evaluations.summary} #>> '{request,id}' = ${request.id} then ${evaluations.summary} - 'request'
        else ${evaluations.summary} end`,
      staleSince: null,
      dueAt: inMs(WAKE_AGAIN_MS),
    });
    return GOES_ON;
  }
  if (isForNow(refusal)) return markStale(ctx, record.id);
  return fail(ctx, record.id, problem);
}

/**
 * A single prompt can crash the trainer's process, for instance by its length: the rows are then sent one by one, and that one
 * gets no answer.
 */
async function crashed(ctx: Ctx, record: EvaluationRecord, problem: TrainerProblem): Promise<Turn> {
  const { request, crashes = 0 } = summaryOf(record);
  const rows: readonly number[] = request?.rows ?? (await nextRows(ctx, record)).map(({ n }) => n);
  if (rows.length > 1) {
    await note(ctx, record, { request: undefined, oneByOneTo: Math.max(...rows) });
    return GOES_ON;
  }
  if (crashes + 1 >= CRASHES_MAX) return fail(ctx, record.id, problem);
  const unanswered = rows.map((n): Answered => ({ n, before: null, after: null }));
  return { done: await storeAnswers(ctx, record, unanswered, { crashes: crashes + 1 }), waits: false };
}

async function fail(ctx: Ctx, id: string, error: TrainerProblem): Promise<Turn> {
  await update(ctx, id, {
    status: "failed",
    error,
    summary: sql`${evaluations.summary} - 'request'`,
    dueAt: null,
    staleSince: null,
    finishedAt: NOW,
  });
  return { done: true, waits: false };
}

async function markStale(ctx: Ctx, id: string): Promise<Turn> {
  const staleSince = sql<number>`coalesce(${evaluations.staleSince}, ${NOW})`;
  await update(ctx, id, { staleSince, dueAt: inMs(RETRY_MS) });
  return { done: false, waits: true };
}

/** Maximum evaluations per pass. */
const WAKE_MAX = 200;

/** Wakes the due evaluations of all projects, oldest first. */
export const wakeEvaluations = (db: Db): Promise<number> =>
  inTransaction({ db }, async ({ db: tx }) => {
    const due = tx
      .select({ projectId: evaluations.projectId, id: evaluations.id })
      .from(evaluations)
      .where(and(isNull(evaluations.finishedAt), lte(evaluations.dueAt, NOW)))
      .orderBy(asc(evaluations.dueAt))
      .limit(WAKE_MAX)
      .for("update", { skipLocked: true })
      .as("due");
    const woken = await tx
      .update(evaluations)
      .set({ dueAt: inMs(WAKE_AGAIN_MS) })
      .from(due)
      .where(and(eq(evaluations.projectId, due.projectId), eq(evaluations.id, due.id)))
      .returning({ projectId: evaluations.projectId, evaluationId: evaluations.id });
    await emit(tx, ...woken.map((one) => evaluationDue.create(one)));
    return woken.length;
  });
