import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { jobRuns } from "@/db/schema/engine";
import { failRun } from "./finish-run";
import { finishSteps, isOpen, type Outcome, type Run, release, type Step, stepsOf } from "./steps";

/** The state of a run at the start of a call. */
export type Situation = { run: Run; steps: Step[]; now: number };
type Next = { kind: "released" } | ({ kind: "steps"; due: Step[] } & Situation) | ({ kind: "call" } & Situation);

/**
 * What a turn remembers between its transactions: a call removed from the row but not yet made. If the acknowledgement of that
 * commit is lost, the repeated transaction finds no call in the row.
 */
export type Turn = { callPending: boolean };

/** Concurrent parallel steps of one run. */
const PARALLEL_STEPS = 10;

/** Crashed turns after which the run itself is considered the cause. */
const MAX_CRASHES = 5;

/**
 * Ends due sleeps and waits, and returns what to call next. If there is nothing, or the caller may not continue, the run is
 * released in the same transaction, so that no wake-up is lost in between.
 */
export async function settle(tx: Db, run: Run, mayContinue: boolean, turn: Turn): Promise<Next> {
  const now = await databaseNow(tx);
  if (run.crashes >= MAX_CRASHES) {
    const message = `The run's turn was interrupted ${MAX_CRASHES} times: its process died, or could not store the result.`;
    await failRun(tx, run, { name: "TurnBrokenOff", message });
    return { kind: "released" };
  }
  let steps = await stepsOf(tx, run.id);
  const expired = steps.filter((step) => isDue(step, now) && step.state !== "planned").map(timedOut);
  const woken = expired.length > 0 && (await finishSteps(tx, run.id, expired, now));
  if (woken) steps = await stepsOf(tx, run.id);
  const callAt = woken || turn.callPending ? now : run.callAt;

  const due = steps.filter((step) => isDue(step, now) && step.state === "planned").slice(0, PARALLEL_STEPS);
  const callDue = callAt !== null && callAt <= now;
  if (!mayContinue || (due.length === 0 && !callDue)) {
    await release(tx, run, callAt, steps, now);
    return { kind: "released" };
  }
  if (due.length > 0) {
    if (woken || turn.callPending) await setCallAt(tx, run, callAt);
    return { kind: "steps", run, steps, due, now };
  }
  // Cleared, so that a time found here after the call was set by a wake-up during it.
  await setCallAt(tx, run, null);
  turn.callPending = true;
  return { kind: "call", run, steps, now };
}

const isDue = (step: Step, now: number) => isOpen(step) && step.dueAt !== null && step.dueAt <= now;

function timedOut({ id, op }: Step): Outcome {
  if (op !== "InvokeFunction") return { id, data: null };
  return { id, error: { name: "InngestInvokeError", message: "The invoked function did not finish in time." } };
}

const setCallAt = (tx: Db, run: Run, callAt: number | null) =>
  tx.update(jobRuns).set({ callAt }).where(eq(jobRuns.id, run.id));
