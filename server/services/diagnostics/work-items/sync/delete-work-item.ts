import { and, eq } from "drizzle-orm";
import { workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { lockFinding, type WorkItemRow, whichItem } from "../rows";

/** Deletes a work item whose ticket was refused during the request to create it. */
export async function deleteWorkItem(tx: Ctx, { id, findingId }: WorkItemRow) {
  await lockFinding(tx, findingId);
  await tx.db.delete(workItems).where(and(whichItem(tx, id), eq(workItems.state, "failed")));
}
