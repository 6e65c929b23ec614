import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { jobRuns } from "@/db/schema/engine";
import { failRun } from "./finish-run";
import { finishSteps, isOpen, type Outcome, type Run, release, type Step, stepsOf } from "./steps";

/** Where a run stands at the beginning of a call. */
export type Situation = { run: Run; steps: Step[]; now: number };
type Next = { kind: "released" } | ({ kind: "steps"; due: Step[] } & Situation) | ({ kind: "call" } & Situation);

/**
 * What a turn remembers between its transactions: a call that was taken from the row and not yet made. Should the
 * answer to the commit that took it be lost, the transaction is repeated and finds no call in the row any more.
 */
export type Turn = { callPending: boolean };

/** So many parallel steps of one run go on at once. */
const PARALLEL_STEPS = 10;

/** Turns that came to no end, their process having died, before the run itself counts as the cause. */
const MAX_CRASHES = 5;

/**
 * Ends the sleeps and waits whose time has come, and says what is to be called now. When there is nothing, or the
 * caller may not go on, the run is given back in the same transaction, so that no wake-up is missed in between.
 */
export async function settle(tx: Db, run: Run, mayContinue: boolean, turn: Turn): Promise<Next> {
  const now = await databaseNow(tx);
  if (run.crashes >= MAX_CRASHES) {
    const message = `The run's turn was broken off ${MAX_CRASHES} times: its process died, or could not store the result.`;
    await failRun(tx, run, { name: "TurnBrokenOff", message });
    return { kind: "released" };
  }
  let steps = await stepsOf(tx, run.id);
  const over = steps.filter((step) => isDue(step, now) && step.state !== "planned").map(timedOut);
  const woken = over.length > 0 && (await finishSteps(tx, run.id, over, now));
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
  // Taken: a time that is found here after the call was put there by a wake-up during it.
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
