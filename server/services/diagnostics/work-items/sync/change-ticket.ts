import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ticketChanges, workItems } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { openTracker, type Ticket, type TrackerSettings } from "@/server/services/connections";
import { detach } from "../detach";
import { insertWorkItem, newWorkItemId } from "../insert-work-item";
import { queueTicketChanges } from "../queue-changes";
import { type FindingState, lockWorkItem, readFindingState, type WorkItemRow, whichItem } from "../rows";
import { commentFor } from "../ticket/comments";
import { isClosed, ticketColumns } from "./apply-ticket";
import { mayRetry, postpone, trackerFailure } from "./failures";
import type { Renew } from "./lease";

export type ChangeRow = typeof ticketChanges.$inferSelect;

/** Returns the action for a change, given the connection's settings and the Finding as it is now; `null` if none is left. */
function actionOf(
  { kind, reason }: ChangeRow,
  finding: FindingState,
  { onRegression, onResolution }: TrackerSettings,
): "close" | "reopen" | "comment" | "new_ticket" | null {
  if (reason === "merged" || reason === "fix_proven" || reason === "fix_not_proven") return "comment";
  const isResolved = finding.resolutionStatus === "resolved";
  if (kind === "close") return isResolved ? onResolution : null;
  if (kind === "reopen") {
    if (isResolved) return null;
    // A person who reopens a Finding means the ticket that it has.
    return onRegression === "new_ticket" && reason !== "regressed" ? "reopen" : onRegression;
  }
  return finding.reviewStatus === "dismissed" ? "comment" : null;
}

/**
 * Makes the next queued change of a ticket. Repeating one is harmless: a state is set, and a comment carries a marker. Returns
 * when to continue (Unix ms) if it failed and will be retried. The caller must hold the lease.
 */
export async function changeTicket(
  ctx: Ctx,
  item: WorkItemRow,
  change: ChangeRow,
  renew: Renew,
): Promise<number | undefined> {
  try {
    const { tracker, settings } = await openTracker(ctx, item.connectionId, "sync", renew);
    const finding = await readFindingState(ctx, item.findingId);
    const action = actionOf(change, finding, settings);
    if (action === null) {
      await endChange(ctx, change, { state: "skipped" });
      return undefined;
    }
    if (action === "new_ticket") {
      await inTransaction(ctx, (tx) => continueInNewTicket(tx, item, change));
      return undefined;
    }
    const { destination, externalId } = item;
    const comment = { body: await commentFor(ctx, item, change), marker: change.id };
    const isMoved = action === "close" ? item.state === "open" : action === "reopen" && item.state === "closed";
    if (action === "comment" || isMoved) await tracker.comment(destination, externalId!, comment);
    const ticket = action === "comment" ? null : await tracker.setDone(destination, externalId!, action === "close");
    await inTransaction(ctx, (tx) => recordChange(tx, item, { change, action, ticket }, settings));
    return undefined;
  } catch (thrown) {
    const error = trackerFailure(thrown);
    await renew();
    if (mayRetry(item, error)) return postpone(ctx, item, error);
    await endChange(ctx, change, { state: "failed", error: error.message });
    await ctx.db.update(workItems).set({ error: error.message, attempts: 0 }).where(whichItem(ctx, item.id));
    return undefined;
  }
}

const whichChange = ({ projectId, id }: ChangeRow) =>
  and(eq(ticketChanges.projectId, projectId), eq(ticketChanges.id, id));

const endChange = (
  ctx: Ctx,
  change: ChangeRow,
  set: Partial<Pick<ChangeRow, "state" | "error" | "kind" | "externalState">>,
) =>
  ctx.db
    .update(ticketChanges)
    .set({ ...set, doneAt: NOW })
    .where(whichChange(change));

type Made = { change: ChangeRow; action: "close" | "reopen" | "comment"; ticket: Ticket | null };

async function recordChange(tx: Ctx, item: WorkItemRow, { change, action, ticket }: Made, settings: TrackerSettings) {
  const now = await lockWorkItem(tx, item.id, item.findingId);
  const externalState = ticket?.state ?? null;
  await endChange(tx, change, { state: "done", kind: action, externalState, error: null });
  const isLinked = now.state === "open" || now.state === "closed";
  const state = ticket === null ? undefined : isClosed(ticket, settings) ? ("closed" as const) : ("open" as const);
  await tx.db
    .update(workItems)
    .set({
      ...(ticket && { ...ticketColumns(ticket), lastSyncedAt: NOW }),
      ...(isLinked && state && { state, updatedAt: NOW }),
      error: null,
      attempts: 0,
    })
    .where(whichItem(tx, item.id));
  if (isLinked && state) await agree(tx, now.findingId, { state, action });
}

/** Queues another change of the ticket if the Finding changed in the meantime: the last change on either side wins. */
async function agree(tx: Ctx, findingId: string, { state, action }: { state: "open" | "closed"; action: string }) {
  const { resolutionStatus } = await readFindingState(tx, findingId);
  if (action === "close" && state === "closed" && resolutionStatus !== "resolved")
    await queueTicketChanges(tx, [{ findingId, kind: "reopened" }]);
  if (action === "reopen" && state === "open" && resolutionStatus === "resolved")
    await queueTicketChanges(tx, [{ findingId, kind: "resolved" }]);
}

/** The old ticket stays closed, as history; a job creates the new one. */
async function continueInNewTicket(tx: Ctx, { id, findingId: was }: WorkItemRow, change: ChangeRow) {
  const item = await lockWorkItem(tx, id, was);
  await endChange(tx, change, { state: "done" });
  if (item.state !== "open" && item.state !== "closed") return;
  const next = newWorkItemId();
  await detach(tx, item, { state: "replaced", replacedById: next });
  const { findingId, provider, connectionId, destination, handoffRuleId } = item;
  await insertWorkItem(
    tx,
    { id: next, findingId, provider, connectionId, destination, handoffRuleId },
    { leased: false },
  );
}
