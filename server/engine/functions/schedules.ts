import { and, eq, inArray, lte, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { jobSchedules } from "@/db/schema/engine";
import { newId } from "@/server/platform/ids";
import { createRuns } from "../events/create-runs";
import { type Definition, type Definitions, nextCron } from "./definitions";

/** Stores the next due time of each schedule, and deletes schedules that the functions do not declare. */
export async function saveSchedules(db: Db, definitions: Definitions): Promise<void> {
  await db.transaction(async (tx) => {
    const now = await databaseNow(tx);
    for (const { id, crons } of definitions.values()) {
      const stored = await tx.select().from(jobSchedules).where(eq(jobSchedules.functionId, id));
      const stale = stored.map(({ cron }) => cron).filter((cron) => !crons.includes(cron));
      if (stale.length > 0) {
        await tx.delete(jobSchedules).where(and(eq(jobSchedules.functionId, id), inArray(jobSchedules.cron, stale)));
      }
      for (const cron of crons) {
        await tx
          .insert(jobSchedules)
          .values({ functionId: id, cron, nextAt: nextCron(cron, now) })
          .onConflictDoNothing();
      }
    }
  });
}

/**
 * Queues a run of each due schedule and advances it in the same transaction, so that no other process queues it too. All missed
 * times together result in one run.
 */
export function queueScheduled(db: Db, definitions: Definitions): Promise<number> {
  return db.transaction(async (tx) => {
    const now = await databaseNow(tx);
    const due = await tx
      .select()
      .from(jobSchedules)
      .where(and(lte(jobSchedules.nextAt, now), inArray(jobSchedules.functionId, [...definitions.keys()])))
      .for("update", { skipLocked: true });
    for (const { functionId, cron } of due) {
      const definition = definitions.get(functionId) as Definition;
      const event = { id: newId("evt"), name: "inngest/scheduled.timer", data: { cron }, ts: now };
      await createRuns(tx, [{ definition, event }], now);
      await tx
        .update(jobSchedules)
        .set({ nextAt: nextCron(cron, now) })
        .where(sameSchedule(functionId, cron));
    }
    return due.length;
  });
}

/** Resets due times that are too far ahead, as after the clock was set back. */
export async function correctSchedules(db: Db, definitions: Definitions): Promise<void> {
  const now = await databaseNow(db);
  for (const { id, crons } of definitions.values()) {
    for (const cron of crons) {
      const nextAt = nextCron(cron, now);
      await db
        .update(jobSchedules)
        .set({ nextAt })
        .where(and(sameSchedule(id, cron), sql`${jobSchedules.nextAt} > ${nextAt}`));
    }
  }
}

const sameSchedule = (functionId: string, cron: string) =>
  and(eq(jobSchedules.functionId, functionId), eq(jobSchedules.cron, cron));
