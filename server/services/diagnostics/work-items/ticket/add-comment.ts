import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { openTracker } from "@/server/services/connections";
import type { TrackerKind } from "@/server/services/connections/schemas";
import { changeFindings } from "../../findings/review/change-findings";
import { beginHandOff, refusal } from "../hand-off";
import { linkedItem, readFindingState, readWorkItem, type WorkItemRow } from "../rows";
import { trackerFailure } from "../sync/failures";
import { workItemAfter } from "../work-item-json";

/** Where a ticket is created if the Finding has none. */
type NewTicketIn = {
  provider?: TrackerKind | undefined;
  destination?: string | undefined;
  connectionId?: string | undefined;
};
/** Markdown that is added once: another one with the same marker is not. */
type Comment = { body: string; marker: string };

/**
 * Adds a comment to a Finding's ticket, creating the ticket first if there is none. `isAdded` is false while the tracker has not
 * created it. Must not run in a transaction.
 */
export async function commentOnTicket(
  ctx: Ctx,
  findingId: string,
  { provider, ...to }: NewTicketIn,
  comment: Comment,
): Promise<{ item: WorkItemRow; isAdded: boolean }> {
  const into = await unmerged(ctx, findingId);
  const begun =
    provider === undefined
      ? await linkedItem(ctx, into)
      : await beginHandOff(ctx, { findingId: into, provider, ...to });
  if (begun === undefined)
    throw unprocessable("/provider", "The Finding has no ticket yet: say in which tracker to create one.");
  const item = await readWorkItem(ctx, begun.id);
  if (item.externalId === null) return { item, isAdded: false };
  try {
    const { tracker } = await openTracker(ctx, item.connectionId, "hand off");
    await tracker.comment(item.destination, item.externalId, comment);
  } catch (thrown) {
    throw refusal(trackerFailure(thrown), item);
  }
  return { item, isAdded: true };
}

/** Confirms the Finding of a work item, as each handoff does, and returns the work item for a reply. */
export async function confirmHandedOff(tx: Ctx, { id, findingId }: Pick<WorkItemRow, "id" | "findingId">) {
  await changeFindings(tx, [findingId], { reviewStatus: "confirmed" }, newId("fch"));
  return workItemAfter(tx, id);
}

/** Returns the Finding that a merged one is part of now; one that was not merged is itself. */
async function unmerged(ctx: Ctx, findingId: string): Promise<string> {
  const { mergedIntoId } = await readFindingState(ctx, findingId);
  return mergedIntoId === null ? findingId : unmerged(ctx, mergedIntoId);
}
