import type { Db } from "@/db/client";
import type { Definitions } from "../functions/definitions";
import { applyResult, applyStepResult } from "./apply-result";
import type { CallFunction } from "./call-function";
import type { Claim } from "./claim";
import { errorOf } from "./protocol";
import { type Situation, settle, type Turn } from "./settle";
import { finishedOf, isOpen, lockRun, type Run, type Step } from "./steps";

export type TurnContext = {
  db: Db;
  definitions: Definitions;
  call: CallFunction;
  backoff: (attempt: number) => number;
  /** Repeats a transaction while the database is unreachable: a step's result must not be lost. */
  retryThroughOutage: <T>(work: () => Promise<T>) => Promise<T>;
  stopping: () => boolean;
};

/** After this many calls in a row a run goes to the back of its lane. */
const CALLS_PER_TURN = 100;

/** The run is leased by another process, or finished: this turn writes nothing more. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** Calls a claimed run's function and steps, and stores each result, until nothing in it is due. */
export async function takeTurn(context: TurnContext, claim: Claim): Promise<void> {
  const turn: Turn = { callPending: false };
  for (let calls = 0; ; calls += 1) {
    const mayContinue = calls < CALLS_PER_TURN && !context.stopping();
    const situation = await held(context, claim, (tx, run) => settle(tx, run, mayContinue, turn));
    if (situation.kind === "released") return;
    if (situation.kind === "steps") await callSteps(context, claim, situation);
    else await callFunction(context, claim, situation);
    turn.callPending = false;
  }
}

/** Runs a transaction that locks the run's row under this claim; throws `LeaseLost` otherwise. */
const held = <T>(
  { db, retryThroughOutage }: TurnContext,
  claim: Claim,
  work: (tx: Db, run: Run) => Promise<T>,
): Promise<T> =>
  retryThroughOutage(() =>
    db.transaction(async (tx) => {
      const run = await lockRun(tx, claim.runId, claim.token);
      if (!run) throw new LeaseLost(`The lease of ${claim.runId} was lost.`);
      return work(tx, run);
    }),
  );

async function callFunction(context: TurnContext, claim: Claim, { run, steps, now }: Situation) {
  const result = await call(context, run, steps, undefined);
  await held(context, claim, (tx, current) => applyResult(tx, current, result, { ...context, calledAt: now }));
}

/** Runs parallel steps concurrently; each is stored when it ends, independently of the others. */
async function callSteps(context: TurnContext, claim: Claim, { run, steps, due }: Situation & { due: Step[] }) {
  const ends = due.map(async (step) => {
    const result = await call(context, run, steps, step);
    await held(context, claim, (tx, current) => applyStepResult(tx, current, step, result, context));
  });
  const lost = (await Promise.allSettled(ends)).find((end) => end.status === "rejected");
  if (lost) throw lost.reason;
}

const call = ({ call }: TurnContext, run: Run, steps: readonly Step[], step: Step | undefined) =>
  call({
    runId: run.id,
    functionId: run.functionId,
    event: run.event,
    stepId: step?.id,
    attempt: step ? step.attempts : run.attempt,
    maxAttempts: run.maxAttempts,
    finished: finishedOf(steps),
    othersOpen: steps.some(isOpen),
  }).catch((error: unknown) => ({
    // The handler reports the function's own errors; this one comes from the engine around it.
    kind: "error" as const,
    error: errorOf(error),
    final: false,
    retryAfter: undefined,
  }));
