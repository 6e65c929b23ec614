import { sql } from "drizzle-orm";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { forgetExamples, forgetImports, ofConversations, updateUsers } from "@/server/services/datasets";
import { forgetConversations } from "@/server/services/diagnostics";
import { answeredFor, forgetEvaluations, replayedFrom } from "@/server/services/proof";
import { deleteConversations } from "@/server/services/telemetry";
import { forgetTraining } from "@/server/services/training";
import { addCounts } from "./deletion-receipt";

/** Limits on one transaction, short enough not to block other requests. A larger conversation gets its own batch. */
const CONVERSATIONS_A_BATCH = 200;
const SPANS_A_BATCH = 20_000;

/** Which conversations to delete: an SQL condition on `conversations c`. */
export type Condition = ReturnType<typeof sql>;

/** Deletes conversations with everything derived from them, and adds the counts to the receipt. */
export async function deleteCounted(
  tx: Ctx,
  receiptId: string,
  conversationIds: readonly string[],
  { remember }: { remember: boolean },
) {
  const forgotten = await forgetConversations(tx, conversationIds, () =>
    deleteConversations(tx, conversationIds, {
      remember,
      // Examples outlive a conversation that expires, and are then found only by its user.
      ...(!remember && { onceLocked: () => updateUsers(tx, conversationIds) }),
    }),
  );
  // Before the Examples, which say what was trained on.
  const training = remember ? await forgetTraining(tx, ofConversations(conversationIds)) : {};
  const theirs = ofConversations(conversationIds);
  const replays = await forgetEvaluations(tx, replayedFrom(conversationIds));
  const evaluations = remember ? await forgetEvaluations(tx, answeredFor(tx.projectId, theirs)) : {};
  const examples = remember ? await forgetExamples(tx, ofConversations(conversationIds)) : {};
  // After the Examples: an import that is reading one of them waits, or has recorded it by now.
  const imports = remember ? await forgetImports(tx, ofConversations(conversationIds)) : {};
  const jobs = remember ? await deleteJobHistory(tx, forgotten.ruleRunIds) : {};
  await addCounts(
    tx.db,
    receiptId,
    forgotten.counts,
    forgotten.result,
    training,
    replays,
    evaluations,
    examples,
    imports,
    jobs,
  );
}

/** Deletes one batch in its own transaction. Returns the number of deleted conversations; 0 when none match any more. */
export const deleteBatch = (ctx: Ctx, receiptId: string, condition: Condition, options: { remember: boolean }) =>
  inTransaction(ctx, async (tx) => {
    const ids = await nextConversations(tx, condition);
    if (ids.length > 0) await deleteCounted(tx, receiptId, ids, options);
    return ids.length;
  });

async function nextConversations(tx: Ctx, condition: Condition): Promise<string[]> {
  const rows = await tx.db.execute<{ id: string; spans: number }>(sql`
    select c.id, (
      select count(*)::int from traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id
      where t.project_id = ${tx.projectId} and t.conversation_id = c.id
    ) as spans
    from (
      select c.id from conversations c where c.project_id = ${tx.projectId} and ${condition} limit ${CONVERSATIONS_A_BATCH}
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

/** Deletes finished jobs that processed these Rule Runs: their errors may quote the conversations. */
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
