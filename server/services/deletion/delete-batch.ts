import { sql } from "drizzle-orm";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { forgetConversations } from "@/server/services/diagnostics";
import { deleteConversations } from "@/server/services/telemetry";
import { addCounts } from "./deletion-receipt";

/** Conversations and spans of one transaction: short enough to hold nobody up. A longer conversation goes alone. */
const CONVERSATIONS_A_BATCH = 200;
const SPANS_A_BATCH = 20_000;

/** Which conversations go: a condition on `c`. */
export type Doomed = ReturnType<typeof sql>;

/** Deletes conversations by their ids with all that follows from them, and counts it on the receipt. */
export async function deleteCounted(
  tx: Ctx,
  receiptId: string,
  conversationIds: readonly string[],
  { remember }: { remember: boolean },
) {
  const forgotten = await forgetConversations(tx, conversationIds, () =>
    deleteConversations(tx, conversationIds, { remember }),
  );
  const jobs = remember ? await deleteJobHistory(tx, forgotten.ruleRunIds) : {};
  await addCounts(tx.db, receiptId, forgotten.counts, forgotten.result, jobs);
}

/** One batch of a larger deletion, in a transaction of its own. Answers how many conversations went. */
export const deleteBatch = (ctx: Ctx, receiptId: string, doomed: Doomed, options: { remember: boolean }) =>
  inTransaction(ctx, async (tx) => {
    const ids = await nextConversations(tx, doomed);
    if (ids.length > 0) await deleteCounted(tx, receiptId, ids, options);
    return ids.length;
  });

async function nextConversations(tx: Ctx, doomed: Doomed): Promise<string[]> {
  const rows = await tx.db.execute<{ id: string; spans: number }>(sql`
    select c.id, (
      select count(*)::int from traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id
      where t.project_id = ${tx.projectId} and t.conversation_id = c.id
    ) as spans
    from (
      select c.id from conversations c where c.project_id = ${tx.projectId} and ${doomed} limit ${CONVERSATIONS_A_BATCH}
    ) c
    order by c.id`);
  const ids: string[] = [];
  let room = SPANS_A_BATCH;
  for (const { id, spans } of rows) {
    if (ids.length > 0 && spans > room) break;
    ids.push(id);
    room -= spans;
  }
  return ids;
}

/** A job's error may quote what it worked on: finished jobs that worked on these Rule Runs go. */
async function deleteJobHistory(tx: Ctx, ruleRunIds: readonly string[]) {
  if (ruleRunIds.length === 0) return {};
  const ids = sql`${sql.param([...ruleRunIds])}::text[]`;
  const runs = await tx.db.execute(sql`
    delete from job_runs where project_id = ${tx.projectId} and finished_at is not null
      and (coalesce(event::jsonb #> '{data,runIds}', event::jsonb #> '{data,event,data,runIds}')) ?| ${ids} returning 1`);
  await tx.db.execute(sql`
    delete from job_events where project_id = ${tx.projectId} and dispatched_at is not null
      and (coalesce(data::jsonb -> 'runIds', data::jsonb #> '{event,data,runIds}')) ?| ${ids}`);
  return { job_runs: runs.length };
}
