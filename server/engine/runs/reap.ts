import { and, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { jobEvents, jobRuns } from "@/db/schema/engine";
import { DAY_MS } from "@/server/platform/durations";

const COMPLETED_TTL_MS = 3 * DAY_MS;
/** For failed and cancelled runs: long enough to be noticed and replayed. */
const FAILED_TTL_MS = 30 * DAY_MS;
/** While an event is kept, its id deduplicates a second delivery. */
const EVENTS_TTL_MS = 7 * DAY_MS;
const ROWS_PER_STATEMENT = 1000;

/** Deletes expired runs and events in small batches. Returns the number deleted; call again while it is not 0. */
export async function reap(db: Db): Promise<number> {
  const old = db
    .select({ id: jobRuns.id })
    .from(jobRuns)
    .where(
      and(
        isNotNull(jobRuns.finishedAt),
        lt(
          jobRuns.finishedAt,
          sql`${NOW} - case when ${jobRuns.state} = 'completed' then ${COMPLETED_TTL_MS}::bigint else ${FAILED_TTL_MS}::bigint end`,
        ),
      ),
    )
    .limit(ROWS_PER_STATEMENT);
  const runs = await db.delete(jobRuns).where(inArray(jobRuns.id, old)).returning({ id: jobRuns.id });

  const dispatched = db
    .select({ id: jobEvents.id })
    .from(jobEvents)
    .where(and(isNotNull(jobEvents.dispatchedAt), lt(jobEvents.dispatchedAt, sql`${NOW} - ${EVENTS_TTL_MS}::bigint`)))
    .limit(ROWS_PER_STATEMENT);
  const events = await db.delete(jobEvents).where(inArray(jobEvents.id, dispatched)).returning({ id: jobEvents.id });
  return runs.length + events.length;
}
