import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { workItemDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { TrackerError } from "@/server/services/connections";
import { type WorkItemRow, whichItem } from "../rows";

/** Consecutive failures, over about half an hour, after which a person has to intervene. */
const ATTEMPTS = 8;
/** The first failures are usually over in seconds, and a person may be waiting. */
const FIRST_DELAYS_MS = [2_000, 8_000, 30_000];
const LATER_DELAY_MS = 5_000;
const MAX_DELAY_MS = 10 * 60_000;

/** Returns the tracker error of a failure, also for a connection without a secret or that is gone. Rethrows bugs. */
export function trackerFailure(error: unknown): TrackerError {
  if (error instanceof TrackerError) return error;
  if (!(error instanceof ServiceError)) throw error;
  const message =
    error.code === "not_found" ? "The connection of this ticket was deleted. Replace the ticket." : error.message;
  return new TrackerError("credential", message);
}

/** Returns how long to wait before the next attempt, in ms: as the tracker says, otherwise longer after each failure. */
function delayMs({ attempts }: WorkItemRow, { retryAt }: TrackerError, atLeastMs: number): number {
  if (retryAt !== undefined) return Math.max(atLeastMs, retryAt - Date.now());
  const jitter = Math.random() * Math.min(MAX_DELAY_MS, LATER_DELAY_MS * 2 ** attempts);
  return Math.max(atLeastMs, FIRST_DELAYS_MS[attempts] ?? jitter);
}

/** Returns whether a later attempt may succeed and attempts are left. */
export const mayRetry = (item: WorkItemRow, error: TrackerError) =>
  error.reason === "rate_limited" || (error.transient && item.attempts + 1 < ATTEMPTS);

/** Ends a turn that failed, wakes the work item's job at the time of the next attempt, and returns that time (Unix ms). */
export const postpone = (ctx: Ctx, item: WorkItemRow, error: TrackerError, atLeastMs = 0): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    const [row] = await tx.db
      .update(workItems)
      .set({
        error: error.message,
        attempts: sql`${workItems.attempts} + ${error.reason === "rate_limited" ? 0 : 1}`,
        leasedUntil: null,
        dueAt: sql`${NOW} + ${Math.ceil(delayMs(item, error, atLeastMs))}::bigint`,
      })
      .where(whichItem(tx, item.id))
      .returning({ dueAt: workItems.dueAt });
    const ts = row!.dueAt!;
    await emit(tx.db, { ...workItemDue.create({ projectId: tx.projectId, workItemId: item.id }), ts });
    return ts;
  });

/** Releases a work item whose next turn is at this time (Unix ms), and wakes its job then. Returns the time if it is to come. */
export const wakeAt = (ctx: Ctx, { id }: WorkItemRow, at: number): Promise<number | undefined> =>
  inTransaction(ctx, async (tx) => {
    const [row] = await tx.db
      .update(workItems)
      .set({ leasedUntil: null, dueAt: at })
      .where(sql`${whichItem(tx, id)} and ${at}::bigint > ${NOW}`)
      .returning({ id: workItems.id });
    if (row === undefined) return undefined;
    await emit(tx.db, { ...workItemDue.create({ projectId: tx.projectId, workItemId: id }), ts: at });
    return at;
  });
