import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import type { BackfillWindow } from "./schemas";

export type ScanCursor = readonly [lastActivityAt: number, conversationId: string];

const inWindow = ({ projectId }: Ctx, { startMs, endMs }: BackfillWindow) => sql`
  c.project_id = ${projectId} and c.last_activity_at >= ${startMs}::bigint and c.last_activity_at < ${endMs}::bigint`;

/** Conversations in the window, newest activity first, limited to its maximum and to `most`. For use in `from (…)`. */
export const newestInWindow = (ctx: Ctx, window: BackfillWindow, most: number) => sql`
  select c.project_id, c.id, c.last_activity_at from conversations c where ${inWindow(ctx, window)}
  order by c.last_activity_at desc, c.id desc limit ${Math.min(window.maxConversations, most)}`;

/** Counts the conversations in the window, up to its maximum. */
export async function countInWindow(ctx: Ctx, window: BackfillWindow): Promise<number> {
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from conversations c where ${inWindow(ctx, window)} limit ${window.maxConversations}) w`);
  return row?.count ?? 0;
}

/**
 * Returns the next conversations in the window after the cursor, newest activity first, and locks them against deletion. One
 * that becomes active again in the meantime drops out of the remaining scan, and its automatic Run reads it.
 */
export async function nextConversations(
  ctx: Ctx,
  window: BackfillWindow,
  { after, limit }: { after: ScanCursor | null; limit: number },
): Promise<{ id: string; lastActivityAt: number }[]> {
  // The first condition bounds the index scan, the second orders conversations of the same millisecond.
  const beyond = after
    ? sql`and c.last_activity_at <= ${after[0]}::bigint and (c.last_activity_at, c.id) < (${after[0]}::bigint, ${after[1]}::text)`
    : sql``;
  const rows = await ctx.db.execute<{ id: string; last_activity_at: string }>(sql`
    select c.id, c.last_activity_at from conversations c where ${inWindow(ctx, window)} ${beyond}
    order by c.last_activity_at desc, c.id desc limit ${limit} for key share`);
  return [...rows].map((row) => ({ id: row.id, lastActivityAt: Number(row.last_activity_at) }));
}
