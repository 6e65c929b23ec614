import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { TrackerError } from "@/server/services/connections";
import { type WorkItemRow, whichItem } from "../rows";

/** Consecutive failures, over about half an hour, after which a person has to intervene. */
const ATTEMPTS = 8;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 10 * 60_000;

/** Returns the tracker error of a failure, also for a connection without a secret or that is gone. Rethrows bugs. */
export function trackerFailure(error: unknown): TrackerError {
  if (error instanceof TrackerError) return error;
  if (!(error instanceof ServiceError)) throw error;
  const message =
    error.code === "not_found" ? "The connection of this ticket was deleted. Replace the ticket." : error.message;
  return new TrackerError("credential", message);
}

/** Returns an exponential delay with full jitter, in ms, which never ends before the tracker's own limit does. */
function delayMs({ attempts }: WorkItemRow, { retryAt }: TrackerError, atLeastMs: number): number {
  const jitter = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
  return Math.max(atLeastMs, (retryAt === undefined ? 0 : retryAt - Date.now()) + jitter);
}

/** Returns whether a later attempt may succeed and attempts are left. */
export const mayRetry = (item: WorkItemRow, error: TrackerError) =>
  error.reason === "rate_limited" || (error.transient && item.attempts + 1 < ATTEMPTS);

/** Ends a turn that failed and will be retried, and returns when (Unix ms). */
export async function postpone(ctx: Ctx, item: WorkItemRow, error: TrackerError, atLeastMs = 0): Promise<number> {
  const [row] = await ctx.db
    .update(workItems)
    .set({
      error: error.message,
      attempts: sql`${workItems.attempts} + ${error.reason === "rate_limited" ? 0 : 1}`,
      leasedUntil: null,
      dueAt: sql`${NOW} + ${Math.ceil(delayMs(item, error, atLeastMs))}::bigint`,
    })
    .where(whichItem(ctx, item.id))
    .returning({ dueAt: workItems.dueAt });
  return row!.dueAt!;
}
