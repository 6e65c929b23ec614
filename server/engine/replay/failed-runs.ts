import { desc, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { jobRuns } from "@/db/schema/engine";

/** Returns the newest runs whose retries are exhausted, with their errors: the dead letters that can be replayed. */
export const failedRuns = (db: Db, limit: number) =>
  db
    .select({ id: jobRuns.id, functionId: jobRuns.functionId, error: jobRuns.error, finishedAt: jobRuns.finishedAt })
    .from(jobRuns)
    .where(eq(jobRuns.state, "failed"))
    .orderBy(desc(jobRuns.createdAt), desc(jobRuns.id))
    .limit(limit);
