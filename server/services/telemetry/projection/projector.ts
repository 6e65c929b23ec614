import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { env } from "@/env";
import { faultOf } from "@/server/platform/database/database-fault";
import { transact } from "@/server/platform/database/transact";
import { errorCodes } from "@/server/platform/logging/known-error";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { type ClaimedTraces, claimAlone, claimBacklog, claimTraces } from "../ingest/claim-traces";
import { createThrottledFold } from "./fold-daily-costs";
import { createJournal, type Journal } from "./projector-journal";
import { createReReader } from "./read-again";
import { type CachePass, ReadingCache } from "./reading-cache";
import { mergeDuplicateTraces, type Rebuilt, rebuildTraces } from "./rebuild-traces";
import { createStatisticsRefresher } from "./refresh-statistics";
import { isolateOrphanedTraces, replayParked, retryOrPark } from "./retry-traces";

/** Poll interval: well below the two seconds within which a batch must be readable. */
const IDLE_MS = 200;
/**
 * Queue rows in a pass after which the next starts immediately. After a smaller pass the projector waits anyway: the fixed cost
 * of a pass is then shared by the rows that arrive meanwhile, which leaves more capacity for readers.
 */
const BUSY_ROWS = 50;
/**
 * Concurrent passes while there is more work than one pass takes: while one waits for the database, another computes. They
 * are not synchronised, so that housekeeping between two passes of one holds up no other.
 */
const PASSES_WHEN_BUSY = 3;
const AFTER_FAULT_MS = 1000;
/** Time between two passes for traces that are rebuilt alone. New arrivals have to wait for them. */
const ALONE_MS = 200;

/** Rebuilds conversations from arriving spans until aborted. Any number may run, in any number of processes. */
export async function runProjector({ signal }: { signal: AbortSignal }) {
  const refreshStatistics = createStatisticsRefresher();
  const foldCosts = createThrottledFold();
  const journal = createJournal(db());
  // A pass holds a connection while its journal needs another.
  const others = Math.min(PASSES_WHEN_BUSY, env().DATABASE_POOL_SIZE - 1) - 1;
  const otherJournals = Array.from({ length: others }, () => createJournal(db()));
  const journals = [journal, ...otherJournals];
  const cache = new ReadingCache();
  const beside = createConcurrentPasses(otherJournals, cache);
  const readAgain = createReReader();
  const log = logger("projector");
  let replayed = false;
  let faults = 0;
  let isolating = false;
  let isBusy = false;
  while (!signal.aborted) {
    try {
      if (faults > 0) for (const { clear } of journals) await clear();
      // This version may be able to read what an earlier one could not.
      if (!replayed) await replayParked(db(), { projectId: null });
      replayed = true;
      await isolateOrphanedTraces(db());
      const pass: Pass = isolating
        ? await projectIsolatingFailures(db(), journal)
        : await projectBatch(db(), claimTraces, journal, cache);
      beside.throwFailure();
      isBusy = pass.rows >= BUSY_ROWS;
      cache.dropUnused();
      const alone = await projectAlone(db(), journal);
      const isIdle = pass.taken + alone.taken === 0;
      const backlog = isIdle ? await projectBacklog(db(), journal) : NOTHING;
      if (isIdle && backlog.taken === 0) await readAgain(db());
      if (faults > 0) log.info("Rebuilding conversations is working again.");
      faults = 0;
      isolating = pass.failed > 0;
      if (isBusy && !isolating) beside.start();
      await foldCosts(db());
      const [together, singly] = [
        pass.taken - pass.failed,
        alone.taken - alone.failed + backlog.taken - backlog.failed,
      ];
      // Also after the last span: the Rules go on for a while.
      await refreshStatistics(db());
      // Isolated traces are rebuilt one per pass and backlog traces a few at a time, so there is no delay between those passes.
      if ((together > 0 && isBusy) || singly > 0) continue;
      await pause(isolating && together === 0 ? AFTER_FAULT_MS : IDLE_MS, signal);
    } catch (error) {
      if (faults++ === 0) log.error({ err: loggable(error) }, "Rebuilding conversations failed; retrying.");
      isolating = true;
      await beside.end();
      await pause(AFTER_FAULT_MS, signal);
    }
  }
  await beside.end();
  for (const { leave } of journals) await leave().catch(() => {});
}

/** Runs passes beside those of the caller, one at a time per journal, until there is no more work than the caller's. */
function createConcurrentPasses(journals: readonly Journal[], cache: ReadingCache) {
  const running = new Map<Journal, Promise<void>>();
  let isEnding = false;
  let failure: { error: unknown } | undefined;
  const run = async (journal: Journal) => {
    try {
      for (let rows = BUSY_ROWS; rows >= BUSY_ROWS && !isEnding; ) {
        ({ rows } = await projectBatch(db(), claimTraces, journal, cache));
      }
    } catch (error) {
      failure = { error };
    } finally {
      running.delete(journal);
    }
  };
  return {
    start() {
      for (const journal of journals) if (!running.has(journal)) running.set(journal, run(journal));
    },
    /** Throws what a pass has thrown since this was last called. */
    throwFailure() {
      const failed = failure;
      failure = undefined;
      if (failed) throw failed.error;
    },
    /** Waits for the passes in progress and starts no further ones. */
    async end() {
      isEnding = true;
      await Promise.all(running.values());
      isEnding = false;
      failure = undefined;
    },
  };
}

/**
 * Runs one pass: dequeues pending traces and rebuilds their conversations in one transaction, from scratch unless there is a
 * cache of what earlier passes have read. Returns the number of traces.
 */
export const projectPending = async (database: Db, cache?: ReadingCache): Promise<number> =>
  (await projectBatch(database, claimTraces, undefined, cache)).taken;

/** `taken` traces from `rows` queue rows, of which `failed` traces could not be rebuilt. */
type Pass = { taken: number; rows: number; failed: number };
const NOTHING: Pass = { taken: 0, rows: 0, failed: 0 };

const passOf = (claimed: readonly ClaimedTraces[], failed: number): Pass => ({
  taken: claimed.reduce((sum, { traceIds }) => sum + traceIds.length, 0),
  rows: claimed.reduce((sum, { rows }) => sum + rows, 0),
  failed,
});

async function projectBatch(
  database: Db,
  claim: typeof claimTraces,
  journal?: Journal,
  cache?: ReadingCache,
): Promise<Pass> {
  let reading: CachePass | undefined;
  try {
    const pass = await transact(database, async (tx) => {
      const claimed = await claim(tx);
      if (claimed.length === 0) return NOTHING;
      await journal?.begin(tx, claimed);
      // A retry after a deadlock starts with what the first attempt left in the cache.
      reading?.abandon();
      reading = cache?.begin();
      const rebuilt: Rebuilt[] = [];
      for (const traces of claimed) rebuilt.push(await rebuildTraces(tx, traces, reading));
      for (const project of rebuilt) await mergeDuplicateTraces(tx, project, { of: "changed", cache: reading });
      await journal?.end(tx);
      return passOf(claimed, 0);
    });
    reading?.end();
    return pass;
  } catch (error) {
    reading?.abandon();
    throw error;
  }
}

/**
 * Runs a pass that isolates failures, for use after a pass has failed: traces that cannot be rebuilt are scheduled for a
 * retry, so that a trace our code cannot read does not block other conversations.
 */
export const projectIsolatingFailures = (database: Db, journal?: Journal, claim = claimTraces): Promise<Pass> =>
  database.transaction(async (tx) => {
    const claimed = await claim(tx);
    if (claimed.length === 0) return NOTHING;
    await journal?.begin(tx, claimed);
    const rebuilt: Rebuilt[] = [];
    let failed = 0;
    for (const traces of claimed) failed += await rebuildOrScheduleRetry(tx, traces, rebuilt);
    for (const project of rebuilt) await tryMergeDuplicateTraces(tx, project);
    await journal?.end(tx);
    return passOf(claimed, failed);
  });

/** Rebuilds traces that must be rebuilt alone, one per pass, for a while: a killed process leaves hundreds of them. */
async function projectAlone(database: Db, journal: Journal): Promise<Pass> {
  const until = performance.now() + ALONE_MS;
  const all = { ...NOTHING };
  for (let taken = 1; taken > 0 && performance.now() < until; ) {
    const pass = await projectIsolatingFailures(database, journal, claimAlone);
    taken = pass.taken;
    all.taken += pass.taken;
    all.rows += pass.rows;
    all.failed += pass.failed;
  }
  return all;
}

/** Runs one pass over traces that an earlier version interpreted differently; failures are scheduled for a retry. */
export const projectBacklog = (database: Db, journal?: Journal) =>
  projectIsolatingFailures(database, journal, claimBacklog);

/** Bisects a failing claim down to the failing traces. Returns how many there are. */
async function rebuildOrScheduleRetry(tx: Db, claim: ClaimedTraces, rebuilt: Rebuilt[]): Promise<number> {
  try {
    rebuilt.push(await tx.transaction((step) => rebuildTraces(step, claim)));
    return 0;
  } catch (error) {
    rethrowDatabaseTrouble(error);
    const { projectId, traceIds, receivedAt, alone } = claim;
    const [traceId, ...others] = traceIds;
    if (traceId !== undefined && others.length === 0) {
      const attempts = (claim.attempts[traceId] ?? 0) + 1;
      if (attempts === 1) {
        const which = { err: loggable(error), projectId, traceId };
        logger("projector").error(which, "Rebuilding a trace failed; retrying later.");
      }
      await retryOrPark(tx, { projectId, traceId, receivedAt, attempts, alone, error });
      return 1;
    }
    const middle = Math.ceil(traceIds.length / 2);
    const first = await rebuildOrScheduleRetry(tx, { ...claim, traceIds: traceIds.slice(0, middle) }, rebuilt);
    return first + (await rebuildOrScheduleRetry(tx, { ...claim, traceIds: traceIds.slice(middle) }, rebuilt));
  }
}

/** A failure here only leaves a call counted twice, which is better than failing the conversation. */
const tryMergeDuplicateTraces = (tx: Db, project: Rebuilt) =>
  tx
    .transaction((step) => mergeDuplicateTraces(step, project, { of: "all" }))
    .catch((error: unknown) => {
      rethrowDatabaseTrouble(error);
      logger("projector").warn(
        { err: loggable(error), projectId: project.projectId },
        "Merging duplicate traces failed.",
      );
    });

/** Rethrows when the database is unavailable or full: the trace is then not the cause. */
function rethrowDatabaseTrouble(error: unknown) {
  const trouble = faultOf(errorCodes(error));
  if (trouble === "away" || trouble === "full") throw error;
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
