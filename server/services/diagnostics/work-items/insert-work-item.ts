import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { workItemDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import type { TrackerKind } from "@/server/services/connections/schemas";
import type { WorkItemRow } from "./rows";
import { LEASE_MS } from "./sync/lease";

export type NewWorkItem = {
  id?: string;
  findingId: string;
  provider: TrackerKind;
  connectionId: string;
  destination: string;
  handoffRuleId?: string | null;
};

export const newWorkItemId = () => newId("wi");

/**
 * Inserts a pending work item. `leased`: the caller creates the ticket itself, immediately; its job steps in only if the
 * caller does not finish.
 */
export async function insertWorkItem(
  tx: Ctx,
  { id = newWorkItemId(), handoffRuleId = null, ...given }: NewWorkItem,
  { leased }: { leased: boolean },
): Promise<WorkItemRow> {
  const [row] = await tx.db
    .insert(workItems)
    .values({
      projectId: tx.projectId,
      id,
      ...given,
      handoffRuleId,
      state: "pending",
      actorKind: tx.actor.kind,
      actorId: idOfActor(tx.actor),
      updatedAt: NOW,
      dueAt: NOW,
      leasedUntil: leased ? sql`${NOW} + ${LEASE_MS}::bigint` : null,
    })
    .returning();
  if (!row) throw new Error("The insert of a work item returned no row.");
  const event = workItemDue.create({ projectId: tx.projectId, workItemId: id });
  await emit(tx.db, leased ? { ...event, ts: row.leasedUntil! } : event);
  return row;
}
