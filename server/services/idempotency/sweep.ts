import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { logger } from "@/server/platform/log";
import { KEPT_MS } from "./keys";

const EVERY_MS = 10 * 60_000;
/** Small steps: a sweep never holds a request up. */
const ROWS_AT_ONCE = 1000;

/** Removes keys whose day is over; answers how many. */
export async function sweepKeys(db: Db, keptMs = KEPT_MS): Promise<number> {
  let removed = 0;
  for (let more = true; more; ) {
    const gone = await db.execute(sql`
      delete from idempotency_keys where (project_id, id) in (
        select project_id, id from idempotency_keys
        where created_at <= ${NOW} - ${keptMs}::bigint
        order by created_at limit ${ROWS_AT_ONCE} for update skip locked)`);
    removed += gone.count;
    more = gone.count === ROWS_AT_ONCE;
  }
  return removed;
}

let lookedAt = Number.NEGATIVE_INFINITY;

/** Off the request's path, and only where keys are used at all: nothing else has to run for the table to stay small. */
export function sweepKeysNowAndThen(db: Db) {
  if (performance.now() - lookedAt < EVERY_MS) return;
  lookedAt = performance.now();
  sweepKeys(db).catch(() => logger("idempotency").debug("Old keys could not be removed; the next sweep tries again."));
}
