import { and, isNull, like, lt, or } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { isOneOf } from "@/db/rows";
import { type JobError, jobEvents, jobRuns } from "@/db/schema/engine";
import { emit } from "@/server/platform/outbox";

const ROWS_A_STATEMENT = 500;

/** What an engine tells of its own runs. A server refuses such an event: it tells its own. */
export const INTERNAL_EVENTS = "inngest/%";
const isInternal = (name: string) => name.startsWith("inngest/");

const HANDED_OVER: JobError = {
  name: "HandedOver",
  message: "It was handed over to the Inngest server, which runs the jobs since the engine was changed.",
};
const ENDED: JobError = {
  name: "HandedOver",
  message: "It was ended: the Inngest server, which runs the jobs since the engine was changed, starts its own.",
};

export type HandedOver = {
  /** Runs whose event goes to the server. */
  runs: number;
  /** Schedules' runs and handlers of failures, which a server has of its own, and events about embedded runs. */
  ended: number;
};

/**
 * Ends the runs that the embedded engine left and no process holds, and puts their events in the outbox once more, under
 * new ids, in the caller's transaction: the server runs each once. What it does again of a run that was under way has its
 * effect once. No cancellation is told: the work goes on.
 */
export async function handOverRuns(tx: Db): Promise<HandedOver> {
  const total: HandedOver = { runs: 0, ended: await endInternalEvents(tx) };
  for (;;) {
    const now = await databaseNow(tx);
    const left = await tx
      .select({ id: jobRuns.id, event: jobRuns.event })
      .from(jobRuns)
      .where(and(isNull(jobRuns.finishedAt), or(isNull(jobRuns.leaseToken), lt(jobRuns.leaseUntil, now))))
      .orderBy(jobRuns.createdAt, jobRuns.id)
      .limit(ROWS_A_STATEMENT)
      .for("update", { skipLocked: true });
    if (left.length === 0) return total;
    const [internal, told] = [
      left.filter(({ event }) => isInternal(event.name)),
      left.filter(({ event }) => !isInternal(event.name)),
    ];
    // Functions that one event started are started by one event.
    const events = new Map(told.map(({ event }) => [event.id, event]));
    await emit(
      tx,
      ...[...events.values()].map(({ name, data, ts }) => ({ name, data, ts: ts > now ? ts : undefined })),
    );
    await end(tx, told, HANDED_OVER, now);
    await end(tx, internal, ENDED, now);
    total.runs += told.length;
    total.ended += internal.length;
  }
}

async function end(tx: Db, runs: readonly { id: string }[], error: JobError, now: number) {
  if (runs.length === 0) return;
  const ids = runs.map(({ id }) => id);
  await tx
    .update(jobRuns)
    .set({
      state: "cancelled",
      error,
      finishedAt: now,
      callAt: null,
      dueAt: null,
      queueAt: null,
      leaseToken: null,
      leaseUntil: null,
    })
    .where(isOneOf(jobRuns.id, ids));
}

async function endInternalEvents(tx: Db): Promise<number> {
  const now = await databaseNow(tx);
  const ended = await tx
    .update(jobEvents)
    .set({ dispatchedAt: now })
    .where(and(isNull(jobEvents.dispatchedAt), like(jobEvents.name, INTERNAL_EVENTS)))
    .returning({ id: jobEvents.id });
  return ended.length;
}
