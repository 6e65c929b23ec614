import { and, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { jobEvents, jobRuns } from "@/db/schema/engine";

const DAY = 86_400_000;
const COMPLETED_KEPT_MS = 3 * DAY;
/** Failed and cancelled runs: long enough to be found and replayed. */
const DEAD_KEPT_MS = 30 * DAY;
/** For as long as an event's id makes a second delivery a no-op. */
const EVENTS_KEPT_MS = 7 * DAY;
const ROWS_PER_STATEMENT = 1000;

/** Deletes what was finished long ago, a little at a time. Answers how much; call again while it is not 0. */
export async function reap(db: Db): Promise<number> {
  const old = db
    .select({ id: jobRuns.id })
    .from(jobRuns)
    .where(
      and(
        isNotNull(jobRuns.finishedAt),
        lt(
          jobRuns.finishedAt,
          sql`${NOW} - case when ${jobRuns.state} = 'completed' then ${COMPLETED_KEPT_MS}::bigint else ${DEAD_KEPT_MS}::bigint end`,
        ),
      ),
    )
    .limit(ROWS_PER_STATEMENT);
  const runs = await db.delete(jobRuns).where(inArray(jobRuns.id, old)).returning({ id: jobRuns.id });

  const told = db
    .select({ id: jobEvents.id })
    .from(jobEvents)
    .where(and(isNotNull(jobEvents.dispatchedAt), lt(jobEvents.dispatchedAt, sql`${NOW} - ${EVENTS_KEPT_MS}::bigint`)))
    .limit(ROWS_PER_STATEMENT);
  const events = await db.delete(jobEvents).where(inArray(jobEvents.id, told)).returning({ id: jobEvents.id });
  return runs.length + events.length;
}
