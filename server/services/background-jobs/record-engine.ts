import { isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { jobEngine, jobEvents } from "@/db/schema";
import type { JobEvent } from "@/db/schema/engine";
import {
  backfillRequested,
  collectionPassRequested,
  datasetDeleted,
  deletionRequested,
  deliveryQueued,
  importRequested,
  keyRingRotated,
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
import { unsentDeliveries } from "@/server/services/notifications";
import { unfinishedSamples } from "@/server/services/sample";
import { retiredRingKeys } from "@/server/services/secrets";
import { eventIds } from "./event-ids";

export const EMBEDDED = "embedded";

/**
 * Records the engine that starts: `embedded`, or the origin of an Inngest server. After a change from a server, requeues what is
 * unfinished by our own tables: what the server still holds cannot be read, and it may be gone for good. Safe to call from any
 * number of processes.
 */
export const recordEngine = (db: Db, engine: string): Promise<void> =>
  db.transaction(async (tx) => {
    const added = await tx.insert(jobEngine).values({ engine }).onConflictDoNothing().returning();
    if (added.length > 0) return;
    // The row lock serializes processes, so that work is requeued once.
    const [{ engine: before = engine } = {}] = await tx.select().from(jobEngine).for("update");
    if (before === engine) return;
    await tx.update(jobEngine).set({ engine, before, changedAt: NOW });
    const queued = before === EMBEDDED ? 0 : await requeueUnfinished(tx);
    logger("jobs").info(
      { before, engine, queued },
      `The job engine was changed: ${queued} events were queued for unfinished work.`,
    );
  });

/** Returns the events that request work which is unfinished by our own tables, except what has one of these ids. */
type Kind = (db: Db, except: ReadonlySet<string>) => Promise<OutgoingEvent[]>;

const each =
  <Piece extends { id: string }>(
    read: (db: Db) => PromiseLike<Piece[]>,
    event: (piece: Piece) => OutgoingEvent,
  ): Kind =>
  async (db, except) =>
    (await read(db)).filter(({ id }) => !except.has(id)).map(event);

const KINDS: readonly Kind[] = [
  ruleRuns,
  each(unfinishedDeletions, ({ id, projectId }) =>
    deletionRequested.create({ deletionId: id, projectId: projectId ?? undefined }),
  ),
  each(unfinishedRepricings, ({ id, projectId }) => repricingRequested.create({ projectId, repricingId: id })),
  each(unfinishedBackfills, ({ id, projectId }) => backfillRequested.create({ projectId, backfillId: id })),
  each(unfinishedCollectionPasses, ({ id, projectId }) =>
    collectionPassRequested.create({ projectId, collectionPassId: id }),
  ),
  each(unfinishedImports, ({ id, projectId }) => importRequested.create({ projectId, importId: id })),
  each(unfinishedDatasetDeletions, ({ id, projectId }) => datasetDeleted.create({ projectId, datasetId: id })),
  each(unfinishedSamples, ({ projectId }) => sampleRequested.create({ projectId })),
  each(unsentDeliveries, ({ id, projectId }) => deliveryQueued.create({ projectId, deliveryId: id })),
  each(unsentMail, ({ id, projectId }) => mailQueued.create({ mailId: id, projectId: projectId ?? undefined })),
  each(retiredRingKeys, ({ id }) => keyRingRotated.create({ ringKey: id })),
];

/** Many Rule Runs share an event, as when they were queued. */
async function ruleRuns(db: Db, except: ReadonlySet<string>): Promise<OutgoingEvent[]> {
  const runs = (await unfinishedRuleRuns(db)).filter(({ id }) => !except.has(id));
  const events: OutgoingEvent[] = [];
  for (const alike of Map.groupBy(runs, ({ projectId, origin }) => `${projectId} ${origin}`).values()) {
    for (let from = 0; from < alike.length; from += RUNS_PER_EVENT) {
      const [first, ...others] = alike.slice(from, from + RUNS_PER_EVENT);
      if (!first) continue;
      const { projectId, origin } = first;
      events.push(ruleRunsQueued.create({ projectId, origin, runIds: [first, ...others].map(({ id }) => id) }));
    }
  }
  return events;
}

async function requeueUnfinished(tx: Db): Promise<number> {
  // Pending events of the outbox reach the next engine anyway.
  const pending = await tx.select().from(jobEvents).where(isNull(jobEvents.dispatchedAt));
  const except = new Set(
    pending.flatMap((event) => eventIds(event as Pick<JobEvent, "data">).flatMap(({ ids }) => ids)),
  );
  const events = (await Promise.all(KINDS.map((kind) => kind(tx, except)))).flat();
  await emit(tx, ...events);
  return events.length;
}
