import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { isOneOf } from "@/db/rows";
import { jobRuns, jobSteps } from "@/db/schema/engine";
import { env } from "@/env";
import { ServiceError } from "@/server/platform/errors";
import { inngestServer } from "../configuration";

/**
 * Requeues a failed or cancelled run. Completed steps keep their results; the others rerun. Returns the run's project. Throws
 * `not_found`, or `conflict` in any other state or while an Inngest server runs the jobs.
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

/** Requeues the oldest `limit` failed runs that match the condition. Returns their number. */
export function replayFailed(db: Db, condition: SQL | undefined, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const failed = await tx
      .select({ id: jobRuns.id })
      .from(jobRuns)
      .where(and(eq(jobRuns.state, "failed"), condition))
      .orderBy(jobRuns.createdAt, jobRuns.id)
      .limit(limit)
      // Waits for concurrent replays and skips the runs that they requeued.
      .for("update");
    await requeue(
      tx,
      failed.map(({ id }) => id),
    );
    return failed.length;
  });
}

/** The caller must hold the runs' row locks. Throws `conflict` where nothing would run them. */
async function requeue(tx: Db, ids: readonly string[]) {
  if (ids.length === 0) return;
  if (inngestServer(env())) {
    throw new ServiceError(
      "conflict",
      "An Inngest server runs the jobs now. A job of the embedded engine can be replayed only while that engine is in use.",
    );
  }
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
