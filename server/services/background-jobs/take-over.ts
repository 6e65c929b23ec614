import { isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { jobEngine, jobEvents, jobRuns } from "@/db/schema";
import type { JobEvent } from "@/db/schema/engine";
import type { RULE_RUN_ORIGINS } from "@/db/schema/enumerations";
import { type HandedOver, handOverRuns } from "@/server/engine/events/hand-over";
import {
  backfillRequested,
  collectionPassRequested,
  datasetDeleted,
  deletionRequested,
  importRequested,
  mailQueued,
  RUNS_PER_EVENT,
  repricingRequested,
  ruleRunsQueued,
  sampleRequested,
} from "@/server/platform/jobs/events";
import { logger } from "@/server/platform/logging/log";
import { emit, type OutgoingEvent } from "@/server/platform/outbox";
import { unfinishedCollectionPasses } from "@/server/services/collection";
import { unfinishedRepricings } from "@/server/services/costs";
import { unfinishedDatasetDeletions, unfinishedImports } from "@/server/services/datasets";
import { unfinishedDeletions } from "@/server/services/deletion";
import { unfinishedBackfills, unfinishedRuleRuns } from "@/server/services/diagnostics";
import { unsentMail } from "@/server/services/mail";
import { unfinishedSamples } from "@/server/services/sample";
import { eventIds } from "./event-ids";

export const EMBEDDED = "embedded";

/** What was taken over. `queued`: orphaned pieces of work that were requeued. */
export type TakenOver = HandedOver & { before: string | null; changed: boolean; queued: number };

/**
 * Takes over unfinished work of another engine for `engine` (`embedded`, or the origin of an Inngest server). Runs of the
 * embedded engine are handed over to a server. When the engine has changed, work that is unfinished by our own tables but
 * known to no engine is requeued. Idempotent and safe to call from any number of processes.
 */
export async function takeOver(db: Db, engine: string): Promise<TakenOver> {
  const taken = await db.transaction(async (tx): Promise<TakenOver> => {
    const { before, changed } = await recordEngine(tx, engine);
    const left = engine === EMBEDDED ? { runs: 0, ended: 0 } : await handOverRuns(tx);
    // A failure handler that was ended would have settled its unfinished work, so that is orphaned too.
    const queued = changed || left.ended > 0 ? await requeueOrphaned(tx) : 0;
    return { ...left, before, changed, queued };
  });
  const { before, changed, runs, ended, queued } = taken;
  if ((changed && before !== null) || runs + ended + queued > 0) {
    logger("jobs").info(
      { before, engine, handedOver: runs, ended, queuedAgain: queued },
      `${changed && before !== null ? "The job engine was changed" : "Jobs of another engine were found"}: ${runs} handed over, ${ended} ended, ${queued} requeued.`,
    );
  }
  return taken;
}

/** Stores the engine. The row lock serializes processes, so that a change is taken over once. */
async function recordEngine(tx: Db, engine: string): Promise<{ before: string | null; changed: boolean }> {
  const added = await tx.insert(jobEngine).values({ engine }).onConflictDoNothing().returning();
  if (added.length > 0) return { before: null, changed: true };
  const [known] = await tx.select().from(jobEngine).for("update");
  const before = known?.engine ?? null;
  if (before === engine) return { before, changed: false };
  await tx.update(jobEngine).set({ engine, before, changedAt: NOW });
  return { before, changed: true };
}

type Unfinished = { id: string; projectId: string | null; origin?: (typeof RULE_RUN_ORIGINS)[number] | undefined };

/** Unfinished work by our own tables, and the events that request it. */
const KINDS: readonly {
  read: (db: Db) => Promise<Unfinished[]>;
  ask: (all: readonly Unfinished[]) => OutgoingEvent[];
}[] = [
  { read: unfinishedRuleRuns, ask: ruleRunEvents },
  {
    read: unfinishedDeletions,
    ask: (all) => all.map(({ id, projectId }) => deletionRequested.create({ deletionId: id, ...ofProject(projectId) })),
  },
  {
    read: unfinishedRepricings,
    ask: eachInProject((id, projectId) => repricingRequested.create({ projectId, repricingId: id })),
  },
  {
    read: unfinishedBackfills,
    ask: eachInProject((id, projectId) => backfillRequested.create({ projectId, backfillId: id })),
  },
  {
    read: unfinishedCollectionPasses,
    ask: eachInProject((id, projectId) => collectionPassRequested.create({ projectId, collectionPassId: id })),
  },
  {
    read: unfinishedImports,
    ask: eachInProject((id, projectId) => importRequested.create({ projectId, importId: id })),
  },
  {
    read: unfinishedDatasetDeletions,
    ask: eachInProject((id, projectId) => datasetDeleted.create({ projectId, datasetId: id })),
  },
  {
    read: unfinishedSamples,
    ask: eachInProject((_, projectId) => sampleRequested.create({ projectId })),
  },
  {
    read: unsentMail,
    ask: (all) => all.map(({ id, projectId }) => mailQueued.create({ mailId: id, ...ofProject(projectId) })),
  },
];

/** One event for each piece of work, which always belongs to a project. */
function eachInProject(event: (id: string, projectId: string) => OutgoingEvent) {
  return (all: readonly Unfinished[]) =>
    all.flatMap(({ id, projectId }) => (projectId === null ? [] : [event(id, projectId)]));
}

const ofProject = (projectId: string | null) => (projectId === null ? {} : { projectId });

function ruleRunEvents(all: readonly Unfinished[]): OutgoingEvent[] {
  const groups = new Map<string, { of: Pick<Unfinished, "origin"> & { projectId: string }; ids: string[] }>();
  for (const { id, projectId, origin } of all) {
    if (projectId === null) continue;
    const key = `${projectId} ${origin}`;
    const group = groups.get(key) ?? { of: { projectId, origin }, ids: [] };
    groups.set(key, group);
    group.ids.push(id);
  }
  const events: OutgoingEvent[] = [];
  for (const { of, ids } of groups.values()) {
    for (let from = 0; from < ids.length; from += RUNS_PER_EVENT) {
      events.push(ruleRunsQueued.create({ ...of, runIds: ids.slice(from, from + RUNS_PER_EVENT) }));
    }
  }
  return events;
}

async function requeueOrphaned(tx: Db): Promise<number> {
  let queued = 0;
  const known = await pendingIds(tx);
  for (const { read, ask } of KINDS) {
    const orphans = (await read(tx)).filter(({ id }) => !known.has(id));
    await emit(tx, ...ask(orphans));
    queued += orphans.length;
  }
  return queued;
}

/** Returns the ids that a pending outbox event or an unfinished embedded run carries: these are not orphaned. */
async function pendingIds(tx: Db): Promise<Set<string>> {
  const waiting = await tx.select().from(jobEvents).where(isNull(jobEvents.dispatchedAt));
  const running = await tx.select({ event: jobRuns.event }).from(jobRuns).where(isNull(jobRuns.finishedAt));
  const events = [
    ...waiting.map(({ id, name, data, occurredAt }) => ({ id, name, data, ts: occurredAt }) as JobEvent),
    ...running.map(({ event }) => event),
  ];
  return new Set(events.flatMap((event) => eventIds(event).flatMap(({ ids }) => ids)));
}
