import type { GetStepTools } from "inngest";
import { env } from "@/env";
import { type FunctionName, functionOptions } from "@/server/platform/jobs/catalogue";
import type { compactionContinued, workerStarted } from "@/server/platform/jobs/events";
import type { inngest } from "./client";

type Steps = Pick<GetStepTools<typeof inngest>, "run" | "sleep">;
type Turn = { done: boolean; waits?: boolean };

/** Maximum concurrent runs per project, so that no project takes all the workers. */
const AT_ONCE = 4;
/** Cron's resolution is a minute, and external changes should show sooner. */
const PASS_SECONDS = 20;
const SWEEP_SECONDS_MAX = 15;

/**
 * Options of a function that works on one row in turns; `key` names the row in its event. Failures of remote services are
 * handled and stored by our services, so the retries are for the database. A poll resumes what is left.
 */
export const turnOptions = <Name extends FunctionName, Key extends string>(id: Name, key: Key, atOnce = AT_ONCE) => ({
  ...functionOptions(id),
  concurrency: [
    { limit: 1, key: `event.data.${key}` },
    { limit: atOnce, key: "event.data.projectId" },
  ] as [{ limit: number; key: string }, { limit: number; key: string }],
  retries: 5 as const,
});

/**
 * Takes turns, `pause` apart, until one has nothing left to do or waits for the poll, or until there have been `turns`.
 * Returns whether the work is done.
 */
export async function inTurns(
  step: Steps,
  { turns, pause }: { turns: number; pause: string },
  turn: () => Promise<Turn>,
): Promise<{ done: boolean }> {
  for (let n = 0; n < turns; n += 1) {
    if (n > 0) await step.sleep(`wait-${n}`, pause);
    const { done, waits = false } = await step.run(`turn-${n}`, turn);
    if (done || waits) return { done };
  }
  return { done: false };
}

/** Options of a function that polls for pending work every minute, and at these events. The next minute's run is the retry. */
export const pollOptions = <Name extends FunctionName>(
  id: Name,
  ...events: (typeof workerStarted | typeof compactionContinued)[]
) => ({
  ...functionOptions(id),
  triggers: [{ cron: "* * * * *" }, ...events] as [{ cron: string }, ...typeof events],
  concurrency: 1 as const,
  retries: 0 as const,
});

/** Calls `pass` every so many seconds within the minute of a poll. Returns what each pass did. */
export async function inPasses<Done>(
  step: Steps,
  pass: (n: number) => Promise<Done>,
  seconds = PASS_SECONDS,
): Promise<Done[]> {
  const done: Done[] = [];
  for (let n = 0; n * seconds < 60; n += 1) {
    if (n > 0) await step.sleep(`wait-${n}`, `${seconds}s`);
    done.push(await pass(n));
  }
  return done;
}

/** Sweeps within the minute of a poll, at intervals of the time after which a conversation is inactive. Returns what each did. */
export const inSweeps = <Swept>(step: Steps, sweep: () => Promise<Swept>) =>
  inPasses(step, (n) => step.run(`sweep-${n}`, sweep), Math.min(SWEEP_SECONDS_MAX, env().DIAGNOSE_AFTER_QUIET_SECONDS));
