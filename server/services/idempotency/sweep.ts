import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { logger } from "@/server/platform/logging/log";
import { RESPONSE_RETENTION_MS } from "./keys";

const EVERY_MS = 10 * 60_000;
/** Small batches, so that a sweep never blocks a request. */
const ROWS_PER_STATEMENT = 1000;

/** Deletes expired keys. Returns the number of deleted rows. */
export async function sweepKeys(db: Db, retentionMs = RESPONSE_RETENTION_MS): Promise<number> {
  let removed = 0;
  for (let more = true; more; ) {
    const gone = await db.execute(sql`
      delete from idempotency_keys where (project_id, id) in (
        select project_id, id from idempotency_keys
        where created_at <= ${NOW} - ${retentionMs}::bigint
        order by created_at limit ${ROWS_PER_STATEMENT} for update skip locked)`);
    removed += gone.count;
    more = gone.count === ROWS_PER_STATEMENT;
  }
  return removed;
}

let lastSweepAt = Number.NEGATIVE_INFINITY;

/** Sweeps at most every ten minutes, in the background of a request with a key: the table stays small without a job. */
export function sweepKeysPeriodically(db: Db) {
  if (performance.now() - lastSweepAt < EVERY_MS) return;
  lastSweepAt = performance.now();
  sweepKeys(db).catch(() => logger("idempotency").debug("Expired keys could not be deleted; the next sweep retries."));
}
