import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { type JobError, jobRuns, jobSteps } from "@/db/schema/engine";
import { queueTime } from "../events/create-runs";

export type Run = typeof jobRuns.$inferSelect;
export type Step = typeof jobSteps.$inferSelect;

/** The outcome of a step; failed if it has an `error`. */
export type Outcome = { id: string; data?: unknown; error?: JobError };

const OPEN = ["planned", "sleeping", "waiting"] as const;
export const isOpen = ({ state }: Step) => (OPEN as readonly string[]).includes(state);

/** Locks an unfinished run until the transaction ends; with a token, only if that lease is still valid. */
export async function lockRun(tx: Db, id: string, token?: string): Promise<Run | undefined> {
  const [run] = await tx
    .select()
    .from(jobRuns)
    .where(
      and(
        eq(jobRuns.id, id),
        isNull(jobRuns.finishedAt),
        token === undefined ? undefined : eq(jobRuns.leaseToken, token),
      ),
    )
    .for("update");
  return run;
}

export const stepsOf = (db: Db, runId: string): Promise<Step[]> =>
  db.select().from(jobSteps).where(eq(jobSteps.runId, runId)).orderBy(asc(jobSteps.position), asc(jobSteps.createdAt));

/** Returns the finished steps, which the function is given, in order of completion. */
export const finishedOf = (steps: readonly Step[]) => steps.filter(({ position }) => position !== null);

/** Finishes those of these steps that are still open. Returns whether any was. */
export async function finishSteps(tx: Db, runId: string, outcomes: readonly Outcome[], now: number): Promise<boolean> {
  let any = false;
  for (const outcome of outcomes) {
    const finished = await tx
      .update(jobSteps)
      .set(finishedStep(runId, outcome, now))
      .where(and(eq(jobSteps.runId, runId), eq(jobSteps.id, outcome.id), inArray(jobSteps.state, [...OPEN])))
      .returning({ id: jobSteps.id });
    any ||= finished.length > 0;
  }
  return any;
}

/** Returns the columns of a finished step: the last one of its run so far. */
export const finishedStep = (runId: string, { data, error }: Outcome, now: number) => ({
  state: error ? ("failed" as const) : ("completed" as const),
  data: data ?? null,
  error: error ?? null,
  position: sql<number>`(select coalesce(max(s.position), 0) + 1 from job_steps s where s.run_id = ${runId})`,
  dueAt: null,
  waitsFor: null,
  finishedAt: now,
});

/** Makes a run due immediately, because something that it waits for has arrived. */
export async function wakeRun(tx: Db, runId: string, now: number) {
  await tx
    .update(jobRuns)
    .set({ callAt: now, dueAt: now, queueAt: sql`${now}::bigint - ${jobRuns.priority} * 1000` })
    .where(eq(jobRuns.id, runId));
}

/** Releases the run, to be claimed when something in it is due. The caller must hold its row lock. */
export async function release(tx: Db, run: Run, callAt: number | null, steps: readonly Step[], now: number) {
  const times = [callAt, ...steps.filter(isOpen).map(({ dueAt }) => dueAt)].filter((time) => time !== null);
  const dueAt = times.length > 0 ? Math.min(...times) : null;
  await tx
    .update(jobRuns)
    .set({
      state: stateFor(callAt, dueAt, steps, now),
      callAt,
      dueAt,
      queueAt: dueAt === null ? null : queueTime(dueAt, run.priority),
      leaseToken: null,
      leaseUntil: null,
    })
    .where(eq(jobRuns.id, run.id));
}

function stateFor(callAt: number | null, dueAt: number | null, steps: readonly Step[], now: number): Run["state"] {
  if (dueAt !== null && dueAt <= now) return "queued";
  const waitsOnly = callAt === null && steps.filter(isOpen).every(({ state }) => state === "waiting");
  return waitsOnly ? "waiting" : "sleeping";
}

/** Returns the runs whose steps wait for `what`. */
export const waitingFor = (tx: Db, what: string) =>
  tx
    .select({ runId: jobSteps.runId, stepId: jobSteps.id })
    .from(jobSteps)
    .where(and(eq(jobSteps.waitsFor, what), eq(jobSteps.state, "waiting"), isNotNull(jobSteps.waitsFor)))
    .orderBy(jobSteps.runId);
