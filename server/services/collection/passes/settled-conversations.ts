import { type SQL, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { env } from "@/env";
import type { Ctx } from "@/server/platform/context";
import type { Settled } from "./read-proposals";

/**
 * Condition on `conversations c`: inactive for as long as automatic diagnosis requires, and with no diagnosis pending, so that
 * "no Finding" is reliable.
 */
export async function isSettled(ctx: Ctx): Promise<SQL> {
  const quietSince = (await databaseNow(ctx.db)) - env().DIAGNOSE_AFTER_QUIET_SECONDS * 1000;
  const isDiagnosed = (await diagnosesByItself(ctx)) ? sql`c.diagnosed_received_at = c.received_at` : sql`true`;
  return sql`c.received_at <= ${quietSince}::bigint and ${isDiagnosed} and not exists (
    select 1 from rule_runs r
    where r.project_id = c.project_id and r.conversation_id = c.id and r.status in ('queued', 'running'))`;
}

async function diagnosesByItself({ db, projectId }: Ctx): Promise<boolean> {
  const [row] = await db.execute<{ enabled: boolean }>(sql`
    select automatic_scheduling_enabled as enabled from diagnostic_settings where project_id = ${projectId}`);
  return row?.enabled ?? true;
}

export type ScanCursor = readonly [lastActivityAt: number, conversationId: string];
type Window = { startMs: number; endMs: number };

const inWindow = ({ projectId }: Ctx, { startMs, endMs }: Window) => sql`
  c.project_id = ${projectId} and c.last_activity_at >= ${startMs}::bigint and c.last_activity_at < ${endMs}::bigint`;

/** Counts the conversations of a window, up to `most`. */
export async function countInWindow(ctx: Ctx, window: Window, most: number): Promise<number> {
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from (select 1 from conversations c where ${inWindow(ctx, window)} limit ${most}) w`);
  return row?.count ?? 0;
}

/** Returns the next conversations of a window after the cursor, newest activity first, and whether each is settled. */
export async function nextConversations(
  ctx: Ctx,
  window: Window,
  { after, limit }: { after: ScanCursor | null; limit: number },
): Promise<(Settled & { settled: boolean })[]> {
  // The first condition bounds the index scan; the second orders conversations of the same millisecond.
  const beyond = after
    ? sql`and c.last_activity_at <= ${after[0]}::bigint and (c.last_activity_at, c.id) < (${after[0]}::bigint, ${after[1]}::text)`
    : sql``;
  const rows = await ctx.db.execute<{ id: string; last_activity_at: string; settled: boolean }>(sql`
    select c.id, c.last_activity_at, ${await isSettled(ctx)} as settled
    from conversations c where ${inWindow(ctx, window)} ${beyond}
    order by c.last_activity_at desc, c.id desc limit ${limit}`);
  return [...rows].map(({ id, last_activity_at, settled }) => ({
    id,
    lastActivityAt: Number(last_activity_at),
    settled,
  }));
}
