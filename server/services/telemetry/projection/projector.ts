import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { troubleOf } from "@/server/platform/database/database-trouble";
import { transact } from "@/server/platform/database/transact";
import { errorCodes } from "@/server/platform/known-error";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { type ClaimedTraces, claimAlone, claimBacklog, claimTraces } from "../ingest/claim-traces";
import { createThrottledFold } from "./fold-daily-costs";
import { createJournal, type Journal } from "./projector-journal";
import { mergeDuplicateTraces, type Rebuilt, rebuildTraces } from "./rebuild-traces";
import { createStatisticsRefresher } from "./refresh-statistics";
import { isolateOrphanedTraces, replayParked, retryOrPark } from "./retry-traces";

/** How long a projector waits for more: far below the two seconds within which a batch is promised to be readable. */
const IDLE_MS = 200;
/**
 * Rows of the queue in a pass behind which more may be waiting. After fewer it waits all the same: what a pass costs beside
 * its traces is paid once for what comes meanwhile, and left to whoever reads.
 */
const BUSY_ROWS = 50;
const AFTER_FAULT_MS = 1000;

/** Rebuilds conversations from arriving spans until told to stop. Any number may run, in any number of processes. */
export async function runProjector({ signal }: { signal: AbortSignal }) {
  const refreshStatistics = createStatisticsRefresher();
  const foldCosts = createThrottledFold();
  const journal = createJournal(db());
  const log = logger("projector");
  let replayed = false;
  let faults = 0;
  let careful = false;
  while (!signal.aborted) {
    try {
      if (faults > 0) await journal.clear();
      // What an earlier version could not read, this one may.
      if (!replayed) await replayParked(db(), { projectId: null });
      replayed = true;
      await isolateOrphanedTraces(db());
      const pass: Pass = careful
        ? await projectIsolatingFailures(db(), journal)
        : await projectBatch(db(), claimTraces, journal);
      const alone = await projectAlone(db(), journal);
      const backlog = pass.taken + alone.taken === 0 ? await projectBacklog(db(), journal) : NOTHING;
      if (faults > 0) log.info("Conversations are rebuilt again.");
      faults = 0;
      careful = pass.failed > 0;
      await foldCosts(db());
      const [together, singly] = [
        pass.taken - pass.failed,
        alone.taken - alone.failed + backlog.taken - backlog.failed,
      ];
      if (together + singly > 0) await refreshStatistics(db());
      // Those that are tried alone come one a pass, and the backlog a few: they do not wait between.
      if ((together > 0 && pass.rows >= BUSY_ROWS) || singly > 0) continue;
      await pause(careful && together === 0 ? AFTER_FAULT_MS : IDLE_MS, signal);
    } catch (error) {
      if (faults++ === 0) log.error({ err: loggable(error) }, "Rebuilding conversations failed; trying again.");
      careful = true;
      await pause(AFTER_FAULT_MS, signal);
    }
  }
  await journal.leave().catch(() => {});
}

/** One pass: takes waiting traces, rebuilds their conversations, all in one transaction. Answers how many traces. */
export const projectPending = async (database: Db): Promise<number> =>
  (await projectBatch(database, claimTraces)).taken;

/** Of the traces taken in a pass: how many there were, by how many rows of the queue, and how many could not be rebuilt. */
type Pass = { taken: number; rows: number; failed: number };
const NOTHING: Pass = { taken: 0, rows: 0, failed: 0 };

const passOf = (claimed: readonly ClaimedTraces[], failed: number): Pass => ({
  taken: claimed.reduce((sum, { traceIds }) => sum + traceIds.length, 0),
  rows: claimed.reduce((sum, { rows }) => sum + rows, 0),
  failed,
});

const projectBatch = (database: Db, claim: typeof claimTraces, journal?: Journal): Promise<Pass> =>
  transact(database, async (tx) => {
    const claimed = await claim(tx);
    if (claimed.length === 0) return NOTHING;
    await journal?.begin(tx, claimed);
    const rebuilt: Rebuilt[] = [];
    for (const traces of claimed) rebuilt.push(await rebuildTraces(tx, traces));
    for (const project of rebuilt) await mergeDuplicateTraces(tx, project);
    await journal?.end(tx);
    return passOf(claimed, 0);
  });

/**
 * A pass for after one failed: what cannot be rebuilt is set aside and tried again later, so that a trace that our code
 * cannot read keeps nobody else's conversations waiting.
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

/** One of the traces that nothing else is to be rebuilt with. */
const projectAlone = (database: Db, journal: Journal) => projectIsolatingFailures(database, journal, claimAlone);

/** One pass over what an earlier version read otherwise; what fails is set aside, as of any pass. */
export const projectBacklog = (database: Db, journal?: Journal) =>
  projectIsolatingFailures(database, journal, claimBacklog);

/** Halves what fails until the traces that do it stand alone. Answers how many they are. */
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
        logger("projector").error(which, "A trace could not be rebuilt; trying again later.");
      }
      await retryOrPark(tx, { projectId, traceId, receivedAt, attempts, alone, error });
      return 1;
    }
    const middle = Math.ceil(traceIds.length / 2);
    const first = await rebuildOrScheduleRetry(tx, { ...claim, traceIds: traceIds.slice(0, middle) }, rebuilt);
    return first + (await rebuildOrScheduleRetry(tx, { ...claim, traceIds: traceIds.slice(middle) }, rebuilt));
  }
}

/** A stray that stays where it is counts a call twice, which is less than a conversation that cannot be read. */
const tryMergeDuplicateTraces = (tx: Db, project: Rebuilt) =>
  tx
    .transaction((step) => mergeDuplicateTraces(step, project))
    .catch((error: unknown) => {
      rethrowDatabaseTrouble(error);
      logger("projector").warn({ err: loggable(error), projectId: project.projectId }, "Strays were not taken in.");
    });

/** A database that is away, or has no room, says nothing about a trace. */
function rethrowDatabaseTrouble(error: unknown) {
  const trouble = troubleOf(errorCodes(error));
  if (trouble === "away" || trouble === "full") throw error;
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
