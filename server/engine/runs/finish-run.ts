import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { type JobError, jobRuns } from "@/db/schema/engine";
import { logger } from "@/server/platform/logging/log";
import { emit } from "@/server/platform/outbox";
import { finishSteps, lockRun, type Outcome, type Run, waitingFor, wakeRun } from "./steps";

/** Returns the wait key of a step that invoked another run. */
export const waitsForRun = (runId: string) => `run:${runId}`;

/** Completes a run. Here and below, the caller must hold the run's row lock. */
export async function completeRun(tx: Db, run: Run, output: unknown) {
  await finish(tx, run, { state: "completed", output });
  await notifyInvokers(tx, run.id, { data: output });
}

/** Fails a run permanently. The emitted event starts its failure handler, if it has one. */
export async function failRun(tx: Db, run: Run, error: JobError) {
  await finish(tx, run, { state: "failed", error });
  logger("jobs").warn({ function: run.functionId, run: run.id }, `A run failed: ${error.message}`);
  await emit(tx, {
    name: "inngest/function.failed",
    data: { function_id: run.functionId, run_id: run.id, error, event: run.event },
  });
  await notifyInvokers(tx, run.id, { error });
}

/** Cancels an unfinished run and emits the event that a server would. Later writes of its current turn are refused. */
export async function cancelRun(tx: Db, id: string) {
  const run = await lockRun(tx, id);
  if (!run) return;
  await finish(tx, run, { state: "cancelled" });
  const error = { name: "Error", message: "function cancelled" };
  await emit(tx, {
    name: "inngest/function.cancelled",
    data: { function_id: run.functionId, run_id: run.id, error, event: run.event },
  });
  await notifyInvokers(tx, id, {
    error: { name: "InngestInvokeError", message: "The invoked function was cancelled." },
  });
}

async function finish(tx: Db, run: Run, end: { state: "completed" | "failed" | "cancelled" } & Partial<Run>) {
  await tx
    .update(jobRuns)
    .set({
      ...end,
      finishedAt: await databaseNow(tx),
      callAt: null,
      dueAt: null,
      queueAt: null,
      leaseToken: null,
      leaseUntil: null,
    })
    .where(eq(jobRuns.id, run.id));
}

async function notifyInvokers(tx: Db, runId: string, outcome: Omit<Outcome, "id">) {
  for (const waiter of await waitingFor(tx, waitsForRun(runId))) {
    if (!(await lockRun(tx, waiter.runId))) continue;
    const now = await databaseNow(tx);
    if (await finishSteps(tx, waiter.runId, [{ id: waiter.stepId, ...outcome }], now)) {
      await wakeRun(tx, waiter.runId, now);
    }
  }
}
