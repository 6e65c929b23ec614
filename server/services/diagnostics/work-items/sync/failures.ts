import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { TrackerError } from "@/server/services/connections";
import { type WorkItemRow, whichItem } from "../rows";

/** Failures in a row after which somebody has to look: about half an hour of them. */
const ATTEMPTS = 8;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 10 * 60_000;

/** Returns a failure as a tracker's; a connection that is gone or has no secret counts as one. Other errors are bugs: thrown. */
export function trackerFailure(error: unknown): TrackerError {
  if (error instanceof TrackerError) return error;
  if (!(error instanceof ServiceError)) throw error;
  const message =
    error.code === "not_found" ? "The connection of this ticket was deleted. Replace the ticket." : error.message;
  return new TrackerError("credential", message);
}

/** Full jitter over an exponential delay, and never before the tracker's own limit ends. In ms. */
function delayMs({ attempts }: WorkItemRow, { retryAt }: TrackerError, atLeastMs: number): number {
  const jitter = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
  return Math.max(atLeastMs, (retryAt === undefined ? 0 : retryAt - Date.now()) + jitter);
}

/** Whether a later attempt may succeed, and there are attempts left. */
export const mayRetry = (item: WorkItemRow, error: TrackerError) =>
  error.reason === "rate_limited" || (error.transient && item.attempts + 1 < ATTEMPTS);

/** Ends a turn that failed and will be tried again, and says when. */
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
