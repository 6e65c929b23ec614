import { sql } from "drizzle-orm";
import type { Inngest, InngestFunction } from "inngest";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { createClockWatch } from "@/server/platform/database/clock-watch";
import { logger } from "@/server/platform/logging/log";
import { dispatchEvents } from "./events/dispatch";
import { createOutage, retryThroughOutage, withTimeout } from "./events/outage";
import { readDefinitions } from "./functions/definitions";
import { backoff } from "./functions/durations";
import { correctSchedules, queueScheduled, saveSchedules } from "./functions/schedules";
import { createCaller } from "./runs/call-function";
import { claimRuns, leaseExpired, releaseClaims, renewLeases } from "./runs/claim";
import { createPause } from "./runs/pause";
import { reap } from "./runs/reap";
import { createTurns } from "./runs/turns";

export type EngineOptions = {
  db: Db;
  client: Inngest.Any;
  /** All engines on one database must run the same functions: an event that none of these handles is dropped. */
  functions: readonly InngestFunction.Any[];
  /** Concurrent runs in this process. */
  slots?: number;
  /** The polling interval of an idle engine. */
  pollMs?: number;
  /** How long a process holds a run without renewing its lease. */
  leaseMs?: number;
  /** Milliseconds before the retry after failure `attempt` (from 0). */
  backoff?: (attempt: number) => number;
  /** Only finishes runs that exist, with their failure handlers: starts no schedules and dispatches no other events. */
  draining?: boolean;
};

export type Engine = {
  /** Claims nothing more, lets calls in progress end for up to `graceMs`, and releases the remaining runs. */
  stop(graceMs?: number): Promise<void>;
};

const SLOTS = 10;
const POLL_MS = 200;
const LEASE_MS = 15_000;
const STOP_GRACE_MS = 4000;
/** The engine's transactions take milliseconds: one that takes this long has lost its connection. */
const TRANSACTION_TIMEOUT_MS = 20_000;
const HOUSEKEEPING_MS = 60_000;

/**
 * Starts the embedded engine, which runs Inngest functions on Postgres alone. Any number of processes may run one on the same
 * database. Throws if a function declares an option that the engine does not support, and names it.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { db, client, functions, slots = SLOTS, pollMs = POLL_MS, leaseMs = LEASE_MS, draining = false } = options;
  const log = logger("jobs");
  const definitions = readDefinitions(client, functions);
  const functionIds = [...definitions.keys()];
  const call = createCaller(client, functions);
  const outage = createOutage("The database", log);
  const pause = createPause();
  let stopping = false;
  let givingUp = false;

  const clock = createClockWatch(leaseMs);
  /** Monotonic, so that clock changes do not affect housekeeping. */
  let housekeptAt = Number.NEGATIVE_INFINITY;

  const turns = createTurns(
    {
      db,
      definitions,
      call,
      backoff: options.backoff ?? backoff,
      retryThroughOutage: (work) =>
        retryThroughOutage(work, { outage, timeoutMs: TRANSACTION_TIMEOUT_MS, givingUp: () => givingUp }),
      stopping: () => stopping,
    },
    { log, onEnd: pause.wake },
  );

  /** Returns whether there may be more work right away. */
  async function poll(): Promise<boolean> {
    const askedAt = performance.now();
    const { now, ...pending } = await pendingWork(db, functionIds);
    clock.isSteady(Number(now), askedAt);
    if (pending.schedules && !draining) await queueScheduled(db, definitions);
    const dispatched = pending.events ? await dispatchEvents(db, definitions, { internalOnly: draining }) : 0;
    const free = slots - turns.count();
    if (free <= 0 || !(pending.runs || pending.schedules || dispatched > 0)) return dispatched > 0;
    const except = turns.claims().map(({ runId }) => runId);
    const claims = await claimRuns(db, { functionIds, slots: free, leaseMs, except, clock });
    claims.forEach(turns.begin);
    return claims.length > 0 || dispatched > 0;
  }

  async function housekeep() {
    if (performance.now() - housekeptAt < HOUSEKEEPING_MS) return;
    await correctSchedules(db, definitions);
    await reap(db);
    housekeptAt = performance.now();
  }

  async function work() {
    while (!stopping) {
      try {
        await withTimeout(TRANSACTION_TIMEOUT_MS, housekeep());
        const more = await withTimeout(TRANSACTION_TIMEOUT_MS, poll());
        outage.worked();
        if (!more) await pause.wait(pollMs);
      } catch (error) {
        await pause.wait(outage.failed(error));
      }
    }
  }

  if (!draining) await saveSchedules(db, definitions);
  const renewal = setInterval(() => {
    // A failed renewal is retried before the lease ends; a lost lease shows when the turn is stored.
    renewLeases(db, turns.claims(), leaseMs).catch((error: unknown) => outage.failed(error));
  }, leaseMs / 3);
  const working = work();

  return {
    async stop(graceMs = STOP_GRACE_MS) {
      stopping = true;
      pause.wake();
      await working;
      await turns.drain(graceMs);
      clearInterval(renewal);
      givingUp = true;
      await withTimeout(graceMs, releaseClaims(db, turns.claims())).catch((error: unknown) =>
        log.warn({ err: error }, "Runs could not be released."),
      );
    },
  };
}

/** One cheap query, a few times a second. */
async function pendingWork(db: Db, functionIds: readonly string[]) {
  const [row] = (await db.execute(sql`
    with clock as (select ${NOW} as now)
    select now,
      exists (select 1 from job_events where dispatched_at is null) as events,
      exists (select 1 from job_runs where due_at <= now and (lease_token is null or ${leaseExpired(sql`now`)})) as runs,
      exists (select 1 from job_schedules
        where next_at <= now and function_id = any(${sql.param([...functionIds])})) as schedules
    from clock`)) as unknown as { now: string; events: boolean; runs: boolean; schedules: boolean }[];
  if (!row) throw new Error("The database returned no row of pending work.");
  return row;
}
