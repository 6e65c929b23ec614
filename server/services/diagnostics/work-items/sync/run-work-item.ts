import { and, asc, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ticketChanges, workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { type WorkItemRow, whichItem } from "../rows";
import { type ChangeRow, changeTicket } from "./change-ticket";
import { createTicket } from "./create-ticket";
import { leaseEnd, leaseWorkItem, type Renew, whileLeased } from "./lease";
import { readTicket } from "./read-ticket";

/**
 * If not `done`, there is more to do: at `waitUntil` (Unix ms), or immediately without it. A failed turn is `done`: an event
 * wakes the work item at `waitUntil`.
 */
export type Turn = { done: boolean; waitUntil?: number };

/**
 * Takes a work item's next step: creating its ticket, making a queued change of it, or reading it, in this order. Only one
 * process at a time does so for a work item, and every step may safely be repeated.
 */
export async function runWorkItem(ctx: Ctx, workItemId: string): Promise<Turn> {
  const item = await leaseWorkItem(ctx, workItemId);
  if (item === undefined) return waitForLease(ctx, workItemId);
  const { dueAt } = item;
  const [clock] = await ctx.db.execute<{ now: string }>(sql`select ${NOW} as now`);
  if (dueAt !== null && dueAt > Number(clock!.now)) return release(ctx, item, dueAt);
  if (item.state === "pending") {
    const creation = await createTicket(ctx, item);
    return creation.created || !creation.pending ? { done: true } : postponed(creation.retryAt);
  }
  if (item.state === "failed") return rest(ctx, item);
  return (await whileLeased(ctx, item, (renew) => takeStep(ctx, item, renew))) ?? waitForLease(ctx, workItemId);
}

/** Makes a change that is queued, or reads the ticket if that was requested. */
async function takeStep(ctx: Ctx, item: WorkItemRow, renew: Renew): Promise<Turn> {
  const change = await nextChange(ctx, item);
  const isToBeRead = item.readRequestedAt !== null;
  if (change === undefined && !isToBeRead) return rest(ctx, item);
  const retryAt =
    change === undefined ? (await readTicket(ctx, item, renew)).retryAt : await changeTicket(ctx, item, change, renew);
  if (retryAt !== undefined) return postponed(retryAt);
  await renew();
  return release(ctx, item);
}

const postponed = (retryAt: number | undefined): Turn => ({
  done: true,
  ...(retryAt !== undefined && { waitUntil: retryAt }),
});

async function waitForLease(ctx: Ctx, workItemId: string): Promise<Turn> {
  const [row] = await ctx.db
    .select({ state: workItems.state, leasedUntil: leaseEnd, dueAt: workItems.dueAt })
    .from(workItems)
    .where(whichItem(ctx, workItemId));
  if (row === undefined || row.state === "abandoned" || row.leasedUntil === null || row.dueAt === null)
    return { done: true };
  // The lease's holder is usually done sooner; what was queued in the meantime has woken a job of its own.
  return { done: false, waitUntil: row.leasedUntil };
}

async function nextChange(ctx: Ctx, { id }: WorkItemRow): Promise<ChangeRow | undefined> {
  const [change] = await ctx.db
    .select()
    .from(ticketChanges)
    .where(
      and(
        eq(ticketChanges.projectId, ctx.projectId),
        eq(ticketChanges.workItemId, id),
        eq(ticketChanges.state, "queued"),
      ),
    )
    .orderBy(asc(ticketChanges.createdAt), asc(ticketChanges.id))
    .limit(1);
  return change;
}

/** Ends the turn; there may be more to do. */
async function release(ctx: Ctx, { id }: WorkItemRow, waitUntil?: number): Promise<Turn> {
  await ctx.db.update(workItems).set({ leasedUntil: null }).where(whichItem(ctx, id));
  return { done: false, ...(waitUntil !== undefined && { waitUntil }) };
}

/** Ends the job's work, unless something was queued since the turn checked. */
async function rest(ctx: Ctx, { id, readRequestedAt }: WorkItemRow): Promise<Turn> {
  const [row] = await ctx.db
    .update(workItems)
    .set({
      leasedUntil: null,
      dueAt: sql`case when ${workItems.state} in ('open', 'closed', 'replaced') and (${workItems.readRequestedAt} is distinct from ${readRequestedAt}::bigint
        or exists (select 1 from ticket_changes c where c.project_id = ${workItems.projectId} and c.work_item_id = ${workItems.id}
          and c.state = 'queued')) then ${NOW} end`,
    })
    .where(whichItem(ctx, id))
    .returning({ dueAt: workItems.dueAt });
  return { done: row === undefined || row.dueAt === null };
}
