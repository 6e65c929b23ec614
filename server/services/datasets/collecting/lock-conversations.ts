import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { ReadProposals } from "./read-proposals";

/**
 * Locks conversations against deletion until the transaction ends, and returns those that could be: never waits for a
 * deletion, which may itself wait for the Dataset.
 */
export async function lockConversations(tx: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.db.execute<{ id: string }>(sql`
    select id from conversations where project_id = ${tx.projectId} and id = any(${textArray([...ids])})
    for key share skip locked`);
  return new Set([...rows].map(({ id }) => id));
}

/** Returns what was read of these conversations only. */
export const onlyOf = (read: ReadProposals, ids: ReadonlySet<string>): ReadProposals => ({
  ...read,
  read: read.read.filter((id) => ids.has(id)),
  offered: read.offered.filter(({ conversationId }) => ids.has(conversationId)),
});
