import { and, isNull, like, or, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { isOneOf } from "@/db/rows";
import { type JobError, jobEvents, jobRuns } from "@/db/schema/engine";
import { emit } from "@/server/platform/outbox";
import { leaseExpired } from "../runs/claim";

const ROWS_PER_STATEMENT = 500;

/** Events that an engine emits about its own runs. A server refuses them: it emits its own. */
export const INTERNAL_EVENTS = "inngest/%";
const isInternal = (name: string) => name.startsWith("inngest/");

const HANDED_OVER: JobError = {
  name: "HandedOver",
  message: "Handed over to the Inngest server, which now runs the jobs.",
};
const ENDED: JobError = {
  name: "HandedOver",
  message: "Ended because the Inngest server now runs the jobs and starts such runs itself.",
};

export type HandedOver = {
  /** Runs whose events go to the server. */
  runs: number;
  /** Runs of schedules and failure handlers, which the server has itself, and events about embedded runs. */
  ended: number;
};

/**
 * Ends the runs that the embedded engine left and no process holds, and requeues their events in the outbox under new ids, in
 * the caller's transaction: the server runs each once. Steps repeated from a run in progress take effect once. Emits no
 * cancellation events, because the work continues.
 */
export async function handOverRuns(tx: Db): Promise<HandedOver> {
  const total: HandedOver = { runs: 0, ended: await endInternalEvents(tx) };
  for (;;) {
    const now = await databaseNow(tx);
    const left = await tx
      .select({ id: jobRuns.id, event: jobRuns.event })
      .from(jobRuns)
      .where(and(isNull(jobRuns.finishedAt), or(isNull(jobRuns.leaseToken), leaseExpired(sql`${now}::bigint`))))
      .orderBy(jobRuns.createdAt, jobRuns.id)
      .limit(ROWS_PER_STATEMENT)
      .for("update", { skipLocked: true });
    if (left.length === 0) return total;
    const [internal, forwarded] = [
      left.filter(({ event }) => isInternal(event.name)),
      left.filter(({ event }) => !isInternal(event.name)),
    ];
    // One event per original event, though it may have started several functions.
    const events = new Map(forwarded.map(({ event }) => [event.id, event]));
    await emit(
      tx,
      ...[...events.values()].map(({ name, data, ts }) => ({ name, data, ts: ts > now ? ts : undefined })),
    );
    await end(tx, forwarded, HANDED_OVER, now);
    await end(tx, internal, ENDED, now);
    total.runs += forwarded.length;
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
