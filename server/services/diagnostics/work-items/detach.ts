import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ticketChanges, workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { recordEvents } from "../findings/finding-events";
import { type WorkItemRow, whichItem } from "./rows";

type End = { state: "replaced"; replacedById: string } | { state: "abandoned" };

/** Unlinks a work item, which becomes history, and skips its queued changes. The transaction must have locked its Finding. */
export async function detach(tx: Ctx, { id, findingId, provider, externalKey: key }: WorkItemRow, end: End) {
  await tx.db
    .update(workItems)
    .set({ ...end, leasedUntil: null, dueAt: null, readRequestedAt: null, updatedAt: NOW })
    .where(whichItem(tx, id));
  await tx.db
    .update(ticketChanges)
    .set({ state: "skipped", doneAt: NOW })
    .where(
      and(
        eq(ticketChanges.projectId, tx.projectId),
        eq(ticketChanges.workItemId, id),
        eq(ticketChanges.state, "queued"),
      ),
    );
  await recordEvents(tx, [{ findingId, kind: "detached", detail: { workItemId: id, provider, key, as: end.state } }]);
}

/** Links a work item again, in its previous state, after its replacement was refused. */
export async function reattach(tx: Ctx, { id, state, findingId, provider, externalKey: key, url }: WorkItemRow) {
  await tx.db.update(workItems).set({ state, replacedById: null, updatedAt: NOW }).where(whichItem(tx, id));
  await recordEvents(tx, [{ findingId, kind: "handed_off", detail: { workItemId: id, provider, key, url } }]);
}
