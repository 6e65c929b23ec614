import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { rowsOf, textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";

/**
 * Feedback is often sent within a second of the response, before the conversation's telemetry arrives. It waits this long for
 * it.
 */
export const WAITING_DAYS = 30;

/** Attaches pending feedback to these conversations: by the client's conversation id, or by trace. */
export async function attachFeedback(tx: Db, projectId: string, conversationIds: readonly string[]) {
  if (conversationIds.length === 0) return;
  await tx.execute(sql`
    update feedback f set conversation_id = c.id
    from conversations c
    where f.project_id = ${projectId} and f.conversation_id is null
      and c.project_id = ${projectId} and c.id = any(${textArray([...conversationIds])})
      and (f.conversation_ref = c.external_id or f.trace_id = any(c.trace_ids))`);
}

/**
 * Attaches feedback whose conversation arrived at the same moment, so that neither transaction saw the other, and makes
 * those conversations due for diagnosis.
 */
export async function attachOverlooked(db: Db) {
  await db.execute(sql`
    with attached as (
      update feedback f set conversation_id = c.id
      from conversations c
      where f.conversation_id is null and c.project_id = f.project_id and c.key = 'id:' || f.conversation_ref
      returning f.project_id, f.conversation_id
    )
    update conversations c set diagnosed_received_at = null
    from attached a where c.project_id = a.project_id and c.id = a.conversation_id`);
}

/**
 * Moves feedback with its trace to another conversation; feedback on the whole conversation moves when its last trace does.
 * Must run before the old conversation is deleted.
 */
export async function moveFeedback(tx: Db, projectId: string, moved: readonly { trace_id: string; from: string }[]) {
  if (moved.length === 0) return;
  await tx.execute(sql`
    update feedback f set conversation_id = r.conversation_id
    from ${rowsOf(moved, 'trace_id text, "from" text')}
    join traces r on r.project_id = ${projectId} and r.id = t.trace_id and r.conversation_id <> t."from"
    where f.project_id = ${projectId} and f.conversation_id = t."from"
      and (f.trace_id = t.trace_id
        or not exists (select 1 from traces s where s.project_id = ${projectId} and s.conversation_id = t."from"))`);
}

/** Deletes feedback from before `before` (Unix ms) whose conversation has not arrived, at most `limit` rows. */
export async function deleteWaitingFeedback(ctx: Ctx, before: number, limit: number): Promise<number> {
  const [row] = await ctx.db.execute<{ gone: number }>(sql`
    with gone as (
      delete from feedback where project_id = ${ctx.projectId} and id in (
        select id from feedback
        where project_id = ${ctx.projectId} and conversation_id is null and given_at < ${before}::bigint
        limit ${limit})
      returning 1
    )
    select count(*)::int as gone from gone`);
  return row?.gone ?? 0;
}
