import { and, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { type WorkItemRow, whichItem } from "../rows";

/** Longer than all calls of one turn take together, so that no two processes ever call a tracker for one work item. */
export const LEASE_MS = 120_000;

/**
 * Leases a work item to this process; `undefined` while another has it, and for one that is history. A replaced one may still
 * have a comment on a merge to post.
 */
export async function leaseWorkItem(ctx: Ctx, id: string): Promise<WorkItemRow | undefined> {
  const [row] = await ctx.db
    .update(workItems)
    .set({ leasedUntil: sql`${NOW} + ${LEASE_MS}::bigint` })
    .where(
      and(
        whichItem(ctx, id),
        sql`(${workItems.state} in ('pending', 'open', 'closed', 'failed') or ${workItems.state} = 'replaced' and ${workItems.dueAt} is not null)
          and coalesce(${workItems.leasedUntil}, 0) <= ${NOW}`,
      ),
    )
    .returning();
  return row;
}
