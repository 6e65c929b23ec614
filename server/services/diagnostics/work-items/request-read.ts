import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { wakeWorkItems } from "./queue-changes";

/** Requests that tickets be read, by their jobs or whoever is first. Ignores those that are not linked or do not exist yet. */
export async function requestRead(tx: Ctx, ids: readonly string[]) {
  if (ids.length === 0) return;
  const input = await tx.db
    .update(workItems)
    .set({ readRequestedAt: NOW })
    .where(
      sql`${eq(workItems.projectId, tx.projectId)} and ${workItems.id} = any(${sql.param(ids)}::text[]) and ${workItems.state} in ('open', 'closed')`,
    )
    .returning({ id: workItems.id });
  await wakeWorkItems(
    tx,
    input.map(({ id }) => id),
  );
}
