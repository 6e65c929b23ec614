import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";

/** Condition: rows of these conversations. Also applies when conversations expire. */
export const replayedFrom = (conversationIds: readonly string[]): SQL =>
  sql`r.conversation_id = any(${textArray(conversationIds)})`;

/** Condition: rows of the Examples that meet a condition on `example_revisions` and are about to be deleted. */
export const answeredFor = (projectId: string, condition: SQL): SQL => sql`(r.dataset_id, r.example_id) in (
  select dataset_id, example_id from example_revisions where project_id = ${projectId} and ${condition})`;

/**
 * Deletes, in the caller's transaction, rows of evaluations with both answers. The counts of an ended evaluation remain, since
 * they are only figures. The caller has locked or deleted the sources of the rows, so that none is added.
 */
export async function forgetEvaluations(tx: Ctx, condition: SQL): Promise<Record<string, number>> {
  const gone = await tx.db.execute(sql`
    delete from evaluation_rows r where r.project_id = ${tx.projectId} and ${condition} returning 1`);
  return gone.length === 0 ? {} : { evaluation_rows: gone.length };
}
