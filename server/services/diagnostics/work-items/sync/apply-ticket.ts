import { NOW } from "@/db/now";
import { ticketChanges, workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import type { Ticket, TrackerSettings } from "@/server/services/connections";
import { changeFindings } from "../../findings/review/change-findings";
import { type FindingState, type WorkItemRow, whichItem } from "../rows";

/** Returns whether a ticket counts as closed: by the connection's mapping, else by the tracker's own. */
export function isClosed({ state, isDone }: Ticket, { openStates, closedStates }: TrackerSettings): boolean {
  const named = (names: readonly string[]) => names.some((name) => name.toLowerCase() === state.toLowerCase());
  if (named(closedStates)) return true;
  return named(openStates) ? false : isDone;
}

/** Returns the columns that identify a ticket, at its new home if it moved, and describe its state. */
export const ticketColumns = (ticket: Ticket) => ({
  ...(ticket.movedTo !== undefined && { destination: ticket.movedTo }),
  externalId: ticket.externalId,
  externalKey: ticket.key,
  url: ticket.url,
  externalState: ticket.state,
  externalUpdatedAt: ticket.updatedAt,
});

type Locked = { item: WorkItemRow; finding: FindingState };

/**
 * Stores a ticket as it was read, in a transaction that has locked its rows and while none of our changes is queued. A ticket
 * that was closed or reopened in the tracker resolves or reopens its Finding. A version older than the last one changes
 * nothing, nor does the effect of our own changes, because the work item already has that state.
 */
export async function applyTicket(tx: Ctx, { item, finding }: Locked, ticket: Ticket, settings: TrackerSettings) {
  const state = isClosed(ticket, settings) ? "closed" : "open";
  const isOld = item.externalUpdatedAt !== null && ticket.updatedAt < item.externalUpdatedAt;
  if (isOld) {
    await tx.db.update(workItems).set({ lastSyncedAt: NOW }).where(whichItem(tx, item.id));
    return;
  }
  const isSame = item.state === state;
  await tx.db
    .update(workItems)
    .set({ ...ticketColumns(ticket), state, error: null, lastSyncedAt: NOW, ...(!isSame && { updatedAt: NOW }) })
    .where(whichItem(tx, item.id));
  if (isSame) return;
  await tx.db.insert(ticketChanges).values({
    projectId: tx.projectId,
    id: newId("tch"),
    workItemId: item.id,
    kind: state === "closed" ? "seen_closed" : "seen_open",
    state: "done",
    externalState: ticket.state,
    doneAt: NOW,
  });
  await follow(tx, finding, state);
}

/** Resolves or reopens a Finding with its ticket. A dismissed one has no resolution, and a merged one is part of another. */
async function follow(tx: Ctx, finding: FindingState, state: "open" | "closed") {
  if (finding.reviewStatus === "dismissed" || finding.mergedIntoId !== null) return;
  const resolutionStatus = state === "closed" ? "resolved" : "unresolved";
  if (finding.resolutionStatus === resolutionStatus) return;
  // An open ticket says nothing about a Finding that nobody resolved.
  if (state === "open" && finding.resolutionStatus === null) return;
  await changeFindings(tx, [finding.id], { resolutionStatus }, newId("fch"), { fromTracker: true });
}
