import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { isOneOf } from "@/db/rows";
import { jobRuns, jobSteps } from "@/db/schema/engine";
import { ServiceError } from "@/server/platform/errors";

/**
 * Queues a failed or cancelled run again. Steps that completed keep what they gave; the others run anew. Answers whose
 * it is.
 */
export function replayRun(db: Db, id: string): Promise<{ projectId: string | null }> {
  return db.transaction(async (tx) => {
    const [run] = await tx.select().from(jobRuns).where(eq(jobRuns.id, id)).for("update");
    if (!run) throw new ServiceError("not_found", "The run was not found.");
    if (run.state !== "failed" && run.state !== "cancelled") {
      throw new ServiceError("conflict", "Only a run that failed or was cancelled can be replayed.");
    }
    await requeue(tx, [id]);
    return { projectId: run.projectId };
  });
}

/** The same for the oldest `limit` failed runs that meet the condition. Answers how many there were. */
export function replayFailed(db: Db, condition: SQL | undefined, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const failed = await tx
      .select({ id: jobRuns.id })
      .from(jobRuns)
      .where(and(eq(jobRuns.state, "failed"), condition))
      .orderBy(jobRuns.createdAt, jobRuns.id)
      .limit(limit)
      // Of what another replays just now, only what is still failed after that.
      .for("update");
    await requeue(
      tx,
      failed.map(({ id }) => id),
    );
    return failed.length;
  });
}

/** The caller holds the runs' rows. */
async function requeue(tx: Db, ids: readonly string[]) {
  if (ids.length === 0) return;
  await tx
    .delete(jobSteps)
    .where(and(isOneOf(jobSteps.runId, ids), or(ne(jobSteps.state, "completed"), isNull(jobSteps.position))));
  const now = await databaseNow(tx);
  await tx
    .update(jobRuns)
    .set({
      state: "queued",
      attempt: 0,
      retries: 0,
      crashes: 0,
      callAt: now,
      dueAt: now,
      queueAt: sql`${now}::bigint - ${jobRuns.priority} * 1000`,
      error: sql`null`,
      startedAt: null,
      finishedAt: null,
    })
    .where(isOneOf(jobRuns.id, ids));
}
