import { and, eq, isNull, like, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { type JobEvent, jobEvents, jobRuns, jobSteps } from "@/db/schema/engine";
import type { Definition, Definitions } from "../functions/definitions";
import { compileExpression, matches } from "../functions/expressions";
import { cancelRun } from "../runs/finish-run";
import { finishSteps, lockRun, wakeRun } from "../runs/steps";
import { createRuns } from "./create-runs";

const EVENTS_PER_TURN = 100;

/** The names of events that an engine emits about its own runs. A server refuses them: it emits its own. */
export const INTERNAL_EVENTS = "inngest/%";

/**
 * Dispatches pending events: in one transaction, queues the runs that they start, wakes the runs that wait for them and
 * cancels those that they end. Returns the number of events; several processes may do this concurrently.
 */
export function dispatchEvents(db: Db, definitions: Definitions, { internalOnly = false } = {}): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({ now: sql<string>`${NOW}`, event: jobEvents })
      .from(jobEvents)
      .where(and(isNull(jobEvents.dispatchedAt), internalOnly ? like(jobEvents.name, INTERNAL_EVENTS) : undefined))
      .orderBy(jobEvents.seq)
      .limit(EVENTS_PER_TURN)
      .for("update", { skipLocked: true });
    const first = rows[0];
    if (!first) return 0;

    const now = Number(first.now);
    // Sequentially: an event may cancel, or be awaited by, a run that an earlier one of the same batch started.
    for (const { event: row } of rows) {
      const event = eventOf(row);
      await wakeWaiting(tx, event, now);
      await cancelRuns(tx, definitions, event, row.createdAt);
      await createRuns(tx, ordersFor(definitions, event), now);
    }
    await tx
      .update(jobEvents)
      .set({ dispatchedAt: now })
      .where(
        isOneOf(
          jobEvents.id,
          rows.map(({ event }) => event.id),
        ),
      );
    return rows.length;
  });
}

const eventOf = (row: typeof jobEvents.$inferSelect): JobEvent => ({
  id: row.id,
  name: row.name,
  data: row.data as Record<string, unknown>,
  ts: row.occurredAt,
});

const ordersFor = (definitions: Definitions, event: JobEvent) =>
  [...definitions.values()]
    .filter(({ events }) => events.some(({ name, condition }) => name === event.name && matches(condition, { event })))
    .map((definition) => ({ definition, event }));

async function wakeWaiting(tx: Db, event: JobEvent, now: number) {
  const waiting = await tx
    .select({ runId: jobSteps.runId, stepId: jobSteps.id, condition: jobSteps.waitIf, runEvent: jobRuns.event })
    .from(jobSteps)
    .innerJoin(jobRuns, eq(jobRuns.id, jobSteps.runId))
    .where(and(eq(jobSteps.state, "waiting"), eq(jobSteps.waitsFor, waitsForEvent(event.name))))
    .orderBy(jobSteps.runId);
  for (const { runId, stepId, condition, runEvent } of waiting) {
    const expression = condition === null ? undefined : compileExpression(condition);
    if (!matches(expression, { event: runEvent, async: event })) continue;
    if (!(await lockRun(tx, runId))) continue;
    if (await finishSteps(tx, runId, [{ id: stepId, data: event }], now)) await wakeRun(tx, runId, now);
  }
}

export const waitsForEvent = (name: string) => `event:${name}`;

async function cancelRuns(tx: Db, definitions: Definitions, event: JobEvent, sentAt: number) {
  for (const definition of definitions.values()) {
    for (const rule of definition.cancelOn) {
      if (rule.event !== event.name) continue;
      for (const run of await openRuns(tx, definition)) {
        if (rule.within !== undefined && sentAt > run.createdAt + rule.within) continue;
        if (!matches(rule.condition, { event: run.event, async: event })) continue;
        await cancelRun(tx, run.id);
      }
    }
  }
}

const openRuns = (tx: Db, { id }: Definition) =>
  tx
    .select({ id: jobRuns.id, event: jobRuns.event, createdAt: jobRuns.createdAt })
    .from(jobRuns)
    .where(and(eq(jobRuns.functionId, id), isNull(jobRuns.finishedAt)))
    .orderBy(jobRuns.id);
