import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { allowNetworkUnderLock } from "@/db/inside-transaction";
import { NOW } from "@/db/now";
import { sampleProjects } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { storedReason } from "@/server/platform/logging/stored-reason";
import { executeRuleRuns, markInThePast, moveToTheirTime, scheduleConversations } from "@/server/services/diagnostics";
import { decodeTraces, foldDailyCosts, projectIsolatingFailures, storeTraces } from "@/server/services/telemetry";
import { fixByPrompt } from "./fix-by-prompt";
import { makeExamples } from "./make-examples";
import { DAYS, FIXES, PLANTED, type Planned, plannedConversations, SECOND_PART_FROM_DAY } from "./story/plan";
import { otlpOf } from "./story/spans";
import { trainAndProve } from "./training";

/** Conversations per batch. */
const BATCH = 50;
/** Rule Runs per batch. */
const RUNS = 500;
const WAIT_MS = 100;
const OTHERS_TURN_MS = 1_000;

type Sample = { until: number };
/** Performs a part of the load, as far as time allows. Returns whether it is done. Idempotent. */
type Step = (ctx: Ctx, sample: Sample, timeIsUp: () => boolean) => Promise<boolean>;

/**
 * Each part is sent, rebuilt and diagnosed before the next, so that fixes are marked between the conversations before and after
 * them.
 */
const STEPS: readonly Step[] = [
  send(({ day }) => day < SECOND_PART_FROM_DAY),
  rebuild,
  diagnose,
  markFixes,
  send(({ day }) => day >= SECOND_PART_FROM_DAY),
  rebuild,
  diagnose,
  finishTimes,
  fixByPrompt,
  makeExamples,
  trainAndProve,
];

/** Returns how many steps precede the recorded training. A new recording needs their results. */
export const stepsBeforeTraining = () => STEPS.indexOf(trainAndProve);

/**
 * Continues the load of a project's sample for about `forMs`. Every step is idempotent and recorded when it is done, so the
 * load can stop anywhere and be resumed by another process; while another process is loading it, this waits briefly. Returns
 * whether the load has ended, possibly because the project was deleted.
 */
export async function runSampleLoad(ctx: Ctx, { forMs }: { forMs: number }): Promise<{ done: boolean }> {
  const until = performance.now() + forMs;
  const load = await alone(ctx, () => runSteps(ctx, () => performance.now() > until));
  if (load) return load;
  await sleep(Math.min(forMs, OTHERS_TURN_MS));
  return { done: false };
}

/**
 * Runs `work` unless another process is loading this sample: each would create what the other has not committed yet, such as a
 * Dataset. The lock is released with its connection, even on `kill -9`.
 */
const alone = <T>({ db, projectId }: Ctx, work: () => Promise<T>): Promise<T | undefined> =>
  db.transaction(async (tx) => {
    const [lock] = await tx.execute<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${`load sample ${projectId}`}, 0)) as mine`,
    );
    return lock?.mine ? allowNetworkUnderLock(work) : undefined;
  });

async function runSteps(ctx: Ctx, timeIsUp: () => boolean): Promise<{ done: boolean }> {
  for (;;) {
    const [sample] = await ctx.db.select().from(sampleProjects).where(eq(sampleProjects.projectId, ctx.projectId));
    if (sample?.state !== "loading") return { done: true };
    const step = STEPS[sample.stepsDone];
    if (!step) {
      await change(ctx, sample.stepsDone, { state: "ready", finishedAt: NOW });
      return { done: true };
    }
    if (await step(ctx, { until: sample.createdAt }, timeIsUp)) {
      await change(ctx, sample.stepsDone, { stepsDone: sample.stepsDone + 1 });
    }
    if (timeIsUp()) return { done: false };
  }
}

type Changes = { state?: "ready"; finishedAt?: typeof NOW; stepsDone?: number };

/** Changes a sample unless another process has advanced it. */
const change = ({ db, projectId }: Ctx, stepsDone: number, changes: Changes) =>
  db
    .update(sampleProjects)
    .set(changes)
    .where(
      and(
        eq(sampleProjects.projectId, projectId),
        eq(sampleProjects.stepsDone, stepsDone),
        eq(sampleProjects.state, "loading"),
      ),
    );

const REASON_CHARACTERS = 500;

/** Records that a load has failed permanently. Loading the sample again resumes it. */
export const failSampleLoad = ({ db, projectId }: Ctx, reason: string) =>
  db
    .update(sampleProjects)
    .set({ state: "failed", error: storedReason(reason, REASON_CHARACTERS), finishedAt: NOW })
    .where(and(eq(sampleProjects.projectId, projectId), eq(sampleProjects.state, "loading")));

/** Returns the samples that are still being loaded, oldest first. */
export const unfinishedSamples = (db: Db) =>
  db
    .select({ id: sampleProjects.projectId, projectId: sampleProjects.projectId })
    .from(sampleProjects)
    .where(eq(sampleProjects.state, "loading"))
    .orderBy(sampleProjects.createdAt);

/** Sends conversations as the shop's exporter would. Existing spans are left unchanged. */
function send(which: (planned: Planned) => boolean): Step {
  return async (ctx, { until }) => {
    const conversations = plannedConversations(until).filter(which);
    for (let from = 0; from < conversations.length; from += BATCH) {
      const body = otlpOf(ctx.projectId, conversations.slice(from, from + BATCH));
      await storeTraces(ctx, decodeTraces(body, "json", await databaseNow(ctx.db)));
    }
    return true;
  };
}

/** Rebuilds conversations from what was sent, alongside the projector if one is running. */
async function rebuild(ctx: Ctx, _: Sample, timeIsUp: () => boolean): Promise<boolean> {
  for (;;) {
    const [pending] = await ctx.db.execute(
      sql`select 1 from projection_queue where project_id = ${ctx.projectId} limit 1`,
    );
    if (!pending) {
      await foldDailyCosts(ctx.db);
      return true;
    }
    const { taken } = await projectIsolatingFailures(ctx.db);
    // The projector has locked the rest.
    if (taken === 0) await sleep(WAIT_MS);
    if (timeIsUp()) return false;
  }
}

/** Runs the Rules immediately on conversations dated days ago. */
async function diagnose(ctx: Ctx, _: Sample, timeIsUp: () => boolean): Promise<boolean> {
  await scheduleConversations(ctx, await databaseNow(ctx.db));
  for (;;) {
    const queued = await ctx.db.execute<{ id: string }>(sql`
      select id from rule_runs where project_id = ${ctx.projectId} and status in ('queued', 'running')
      order by conversation_id limit ${RUNS}`);
    if (queued.length === 0) return true;
    await executeRuleRuns(
      ctx,
      [...queued].map(({ id }) => id),
    );
    if (timeIsUp()) return false;
  }
}

/** Marks what two releases fixed, dated at the release. */
async function markFixes(ctx: Ctx, { until }: Sample): Promise<boolean> {
  await inTransaction(ctx, async (tx) => {
    for (const { kind, day } of FIXES) {
      await markInThePast(tx, PLANTED[kind], { at: until - (DAYS - day) * DAY_MS, fixed: true });
    }
  });
  return true;
}

async function finishTimes(ctx: Ctx): Promise<boolean> {
  await inTransaction(ctx, moveToTheirTime);
  return true;
}
