import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { ticketChanges, workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { recordEvents } from "../findings/finding-events";
import { detach } from "./detach";
import { queueTicketChanges, wakeWorkItems } from "./queue-changes";
import { linkedItem, readFindingState, type WorkItemRow, whichItem } from "./rows";

/** What a merge did to the ticket of a Finding that it merged into another: enough to undo it. */
export type Followed = { workItemId: string; was: WorkItemRow["state"]; as: "moved" | "replaced" };

/**
 * Moves the ticket of a Finding along when it is merged into another. It becomes the other's ticket if that has none;
 * otherwise it is replaced, with a comment that links to the other's. Locks both Findings.
 */
export async function followMerge(tx: Ctx, from: string, into: string): Promise<Followed | undefined> {
  await tx.db.execute(sql`
    select id from findings where project_id = ${tx.projectId} and id = any(${textArray([from, into])})
    order by id for update`);
  const item = await linkedItem(tx, from);
  if (item === undefined) return undefined;
  const target = await linkedItem(tx, into);
  const followed = { workItemId: item.id, was: item.state };
  if (target === undefined) {
    await move(tx, item, into);
    return { ...followed, as: "moved" };
  }
  await detach(tx, item, { state: "replaced", replacedById: target.id });
  if (item.state === "open" || item.state === "closed") await tellOfMerge(tx, item);
  return { ...followed, as: "replaced" };
}

/** Gives a ticket back to the Finding it had before a merge, unless that Finding has another or the ticket has moved on. */
export async function unfollowMerge(tx: Ctx, from: string, into: string, { workItemId, was, as }: Followed) {
  const [item] = await tx.db.select().from(workItems).where(whichItem(tx, workItemId)).for("no key update");
  if (item === undefined || (await linkedItem(tx, from)) !== undefined) return;
  if (as === "moved") {
    if ((await linkedItem(tx, into))?.id === item.id) await move(tx, item, from);
    return;
  }
  if (item.state !== "replaced" || item.findingId !== from) return;
  await tx.db
    .update(ticketChanges)
    .set({ state: "skipped", doneAt: NOW })
    .where(
      sql`${eq(ticketChanges.projectId, tx.projectId)} and ${eq(ticketChanges.workItemId, item.id)} and ${eq(ticketChanges.state, "queued")}`,
    );
  await tx.db.update(workItems).set({ state: was, replacedById: null, updatedAt: NOW }).where(whichItem(tx, item.id));
  await recordEvents(tx, [handedOff(from, item)]);
  await agree(tx, { ...item, state: was }, from);
}

const handedOff = (findingId: string, { id, provider, externalKey: key, url }: WorkItemRow) => ({
  findingId,
  kind: "handed_off" as const,
  detail: { workItemId: id, provider, key, url },
});

async function move(tx: Ctx, item: WorkItemRow, to: string) {
  const { id, findingId, provider, externalKey: key } = item;
  await tx.db.update(workItems).set({ findingId: to, updatedAt: NOW }).where(whichItem(tx, id));
  await recordEvents(tx, [
    { findingId, kind: "detached", detail: { workItemId: id, provider, key, as: "moved", to } },
    handedOff(to, item),
  ]);
  await agree(tx, item, to);
}

/** Queues what aligns a ticket with its new Finding, whose state may differ. The ticket's job then reads or creates it. */
async function agree(tx: Ctx, { id, state }: WorkItemRow, findingId: string) {
  const { reviewStatus, resolutionStatus } = await readFindingState(tx, findingId);
  const isResolved = resolutionStatus === "resolved";
  if (reviewStatus === "dismissed") await queueTicketChanges(tx, [{ findingId, kind: "dismissed" }]);
  else if (state === "open" && isResolved) await queueTicketChanges(tx, [{ findingId, kind: "resolved" }]);
  else if (state === "closed" && !isResolved) await queueTicketChanges(tx, [{ findingId, kind: "reopened" }]);
  if (state === "failed") return;
  if (state !== "pending") await tx.db.update(workItems).set({ readRequestedAt: NOW }).where(whichItem(tx, id));
  await wakeWorkItems(tx, [id]);
}

async function tellOfMerge(tx: Ctx, { id }: WorkItemRow) {
  const change = { kind: "comment", reason: "merged", state: "queued" } as const;
  await tx.db.insert(ticketChanges).values({ projectId: tx.projectId, id: newId("tch"), workItemId: id, ...change });
  await wakeWorkItems(tx, [id]);
}
