import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { createClockWatch } from "@/server/platform/database/clock-watch";
import { type WorkItemRow, whichItem } from "../rows";

/**
 * Longer than a call of a tracker may take (15 s): the lease is renewed before each call that writes, so what a process that died
 * had sent has ended when its lease does.
 */
export const LEASE_MS = 20_000;
const RENEWAL_MS = 5_000;

/**
 * When to look again for a work item that another process has (Unix ms), however the clock was set since; `null` without a lease.
 * A lease whose end has passed is either renewed soon, or its holder is dead.
 */
export const leaseEnd = sql<
  number | null
>`case when ${workItems.leasedUntil} <= ${NOW} then ${NOW} + ${RENEWAL_MS}::bigint
  else least(${workItems.leasedUntil}, ${NOW} + ${LEASE_MS}::bigint) end`;

/** `lapsedAt`: the end of the previous lease (Unix ms) if its process died; `null` if it was released. */
export type LeasedItem = WorkItemRow & { lapsedAt: number | null };

const extended = sql<number>`${NOW} + ${LEASE_MS}::bigint`;

/**
 * Whether no process has a work item: its lease has ended, or would end later than any that is made now. The clock was set
 * back since then, and the holder, if it lives, shortens its lease within seconds.
 */
export const isUnleased = sql`(coalesce(${workItems.leasedUntil}, 0) <= ${NOW} or ${workItems.leasedUntil} > ${extended})`;

const clockOfProcess = createClockWatch(LEASE_MS);

/**
 * Leases a work item to this process; `undefined` while another has it, and for one that is history. A replaced one may still
 * have a comment on a merge to post. After a jump of the clock, a lease that seems to have ended is left to its holder for as
 * long as a lease lasts: what the holder has sent to the tracker may not have been answered.
 */
export async function leaseWorkItem(ctx: Ctx, id: string, clock = clockOfProcess): Promise<LeasedItem | undefined> {
  const askedAt = performance.now();
  const [before] = await ctx.db
    .select({ until: workItems.leasedUntil, now: sql<string>`${NOW}` })
    .from(workItems)
    .where(whichItem(ctx, id));
  if (before === undefined) return undefined;
  const isSteady = clock.isSteady(Number(before.now), askedAt);
  if (before.until !== null && !isSteady) return undefined;
  const [row] = await ctx.db
    .update(workItems)
    .set({ leasedUntil: extended })
    .where(
      and(
        whichItem(ctx, id),
        sql`(${workItems.state} in ('pending', 'open', 'closed', 'failed') or ${workItems.state} = 'replaced' and ${workItems.dueAt} is not null)
          and ${workItems.leasedUntil} is not distinct from ${before.until}::bigint and ${isUnleased}`,
      ),
    )
    .returning();
  return row && { ...row, lapsedAt: lapsedAt(before.until, Number(before.now)) };
}

/** A lease that seems to have ended long ago may have ended just now, by a jump of the clock that this process did not see. */
function lapsedAt(until: number | null, now: number): number | null {
  if (until === null) return null;
  return now - until > LEASE_MS ? now : Math.min(until, now);
}

/** Extends the lease from now on. Rejects if another process may have it, and nothing may be written. */
export type Renew = () => Promise<void>;

/**
 * Does work on a leased item and renews the lease meanwhile. Returns `undefined` if the work stopped because the lease was lost,
 * which happens to a process that was frozen.
 */
export async function whileLeased<T>(
  ctx: Ctx,
  { id, leasedUntil }: WorkItemRow,
  work: (renew: Renew) => Promise<T>,
  renewalMs = RENEWAL_MS,
): Promise<T | undefined> {
  /** Identifies this lease: a later one ends later. */
  let until = leasedUntil;
  let last: Promise<void> = Promise.resolve();
  let lost = false;
  const extend = async () => {
    const [row] = await ctx.db
      .update(workItems)
      .set({ leasedUntil: extended })
      .where(and(whichItem(ctx, id), until === null ? sql`false` : eq(workItems.leasedUntil, until)))
      .returning({ until: workItems.leasedUntil });
    lost = row === undefined;
    if (row === undefined) throw new Error("The lease was lost.");
    until = row.until;
  };
  // One after the other, because each has to know the end that the one before set.
  const renew: Renew = () => {
    last = last.then(extend, extend);
    return last;
  };
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs);
  timer.unref();
  try {
    return await work(renew);
  } catch (error) {
    // A tracker's library wraps what prevented its call.
    if (lost) return undefined;
    throw error;
  } finally {
    clearInterval(timer);
    await last.catch(() => {});
  }
}
