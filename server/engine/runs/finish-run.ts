import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { type JobError, jobRuns } from "@/db/schema/engine";
import { logger } from "@/server/platform/log";
import { emit } from "@/server/platform/outbox";
import { finishSteps, lockRun, type Outcome, type Run, waitingFor, wakeRun } from "./steps";

/** What a step waits for that invoked another run. */
export const waitsForRun = (runId: string) => `run:${runId}`;

/** The caller holds the run's row, here and below. */
export async function completeRun(tx: Db, run: Run, output: unknown) {
  await finish(tx, run, { state: "completed", output });
  await notifyInvokers(tx, run.id, { data: output });
}

/** The run is dead: its failure handler, if it has one, is started by the event that this sends. */
export async function failRun(tx: Db, run: Run, error: JobError) {
  await finish(tx, run, { state: "failed", error });
  logger("jobs").warn({ function: run.functionId, run: run.id }, `A run failed: ${error.message}`);
  await emit(tx, {
    name: "inngest/function.failed",
    data: { function_id: run.functionId, run_id: run.id, error, event: run.event },
  });
  await notifyInvokers(tx, run.id, { error });
}

/** Ends an unfinished run; what its present turn still writes is refused. Told by an event, as a server tells it. */
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
