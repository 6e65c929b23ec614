import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { jobRuns, jobSteps } from "@/db/schema/jobs";
import { ServiceError } from "@/server/platform/errors";
import { databaseNow } from "./clock";
import { queueTime } from "./create-runs";

/** Queues a failed or cancelled run again. Steps that completed keep what they gave; the others run anew. */
export function replayRun(db: Db, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [run] = await tx.select().from(jobRuns).where(eq(jobRuns.id, id)).for("update");
    if (!run) throw new ServiceError("not_found", "The run was not found.");
    if (run.state !== "failed" && run.state !== "cancelled") {
      throw new ServiceError("conflict", "Only a run that failed or was cancelled can be replayed.");
    }
    await tx
      .delete(jobSteps)
      .where(and(eq(jobSteps.runId, id), or(ne(jobSteps.state, "completed"), isNull(jobSteps.position))));
    const now = await databaseNow(tx);
    await tx
      .update(jobRuns)
      .set({
        state: "queued",
        attempt: 0,
        crashes: 0,
        callAt: now,
        dueAt: now,
        queueAt: queueTime(now, run.priority),
        error: sql`null`,
        finishedAt: null,
      })
      .where(eq(jobRuns.id, id));
  });
}
