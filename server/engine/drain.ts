import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Inngest, InngestFunction } from "inngest";
import type { Db } from "@/db/client";
import { type EngineOptions, startEngine } from "./engine";
import { INTERNAL_EVENTS } from "./events/dispatch";
import { readDefinitions } from "./functions/definitions";

/** How to drain: also in the documentation and in the error of a start. */
export const DRAIN_COMMAND = "INNGEST_BASE_URL= npx whetstone job drain";

const PROGRESS_MS = 5000;

/**
 * Finishes the runs that the embedded engine has begun or queued, with their failure handlers. Starts no schedules; other pending
 * events stay in the outbox for the next engine. `report` gets the number that is left, at first and every few seconds.
 */
export async function drain(
  options: Omit<EngineOptions, "draining">,
  report: (left: number) => void = () => {},
): Promise<void> {
  const { db, client, functions, pollMs } = options;
  const left = () => countUnfinished(db, client, functions);
  let reportedAt = Number.NEGATIVE_INFINITY;
  const engine = await startEngine({ ...options, draining: true });
  try {
    for (let count = await left(); count > 0; count = await left()) {
      if (performance.now() - reportedAt >= PROGRESS_MS) {
        report(count);
        reportedAt = performance.now();
      }
      await sleep(pollMs ?? 200);
    }
  } finally {
    await engine.stop();
  }
}

/** Throws a message for the operator if the embedded engine has unfinished runs. */
export async function assertDrained(db: Db, client: Inngest.Any, functions: readonly InngestFunction.Any[]) {
  const left = await countUnfinished(db, client, functions);
  if (left === 0) return;
  throw new Error(
    `INNGEST_BASE_URL is set, but the embedded engine has unfinished background jobs (${left}), which the Inngest server would not run. ` +
      `Stop Whetstone everywhere, finish them (${DRAIN_COMMAND}), and start it again; or start it without INNGEST_BASE_URL.`,
  );
}

/** Counts unfinished runs of these functions, and events about runs, which start failure handlers. */
async function countUnfinished(db: Db, client: Inngest.Any, functions: readonly InngestFunction.Any[]) {
  const known = [...readDefinitions(client, functions).keys()];
  const [row] = await db.execute<{ count: number }>(sql`
    select (
      (select count(*) from job_runs where finished_at is null and function_id = any(${sql.param(known)})) +
      (select count(*) from job_events where dispatched_at is null and name like ${INTERNAL_EVENTS})
    )::int as count`);
  return row?.count ?? 0;
}
