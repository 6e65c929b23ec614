import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { lockFindingsIn } from "./counts/lock-findings-in";
import { type OccurrenceChanges, occurrenceChanges } from "./counts/occurrence-changes";
import { refreshFindings } from "./counts/refresh-findings";

type Forgotten<T> = { result: T; counts: Record<string, number>; ruleRunIds: string[] };

/**
 * Deletes all diagnostic data about conversations and runs `work`, which deletes the conversations themselves. Findings
 * with occurrences elsewhere are recounted and retitled from what remains. All others are deleted, reviewed or not,
 * because their text quotes deleted data. Must run in the caller's transaction.
 */
export async function forgetConversations<T>(
  tx: Ctx,
  conversationIds: readonly string[],
  work: () => Promise<T>,
): Promise<Forgotten<T>> {
  await lockFindingsIn(tx, conversationIds, "update");

  const ids = sql`${sql.param([...conversationIds])}::text[]`;
  const occurrences = await tx.db.execute<{ finding_id: string; detected_at: string; cause_ids: string[] }>(sql`
    delete from occurrences where project_id = ${tx.projectId} and conversation_id = any(${ids})
    returning finding_id, detected_at, cause_ids`);
  const runs = await tx.db.execute<{ id: string }>(sql`
    delete from rule_runs where project_id = ${tx.projectId} and conversation_id = any(${ids}) returning id`);
  const result = await work();
  const { changes, removed } = occurrenceChanges();
  for (const row of occurrences) removed(row);
  const findings = occurrences.length > 0 ? await recount(tx, changes) : 0;
  return {
    result,
    counts: { occurrences: occurrences.length, rule_runs: runs.length, findings },
    ruleRunIds: [...runs].map((row) => row.id),
  };
}

async function recount(tx: Ctx, changes: OccurrenceChanges): Promise<number> {
  const ids = sql`${sql.param([...changes.keys()])}::text[]`;
  const gone = await tx.db.execute(sql`
    delete from findings f
    where f.project_id = ${tx.projectId} and f.id = any(${ids})
      and not exists (select 1 from occurrences o where o.project_id = f.project_id and o.finding_id = f.id)
    returning 1`);
  // Updates their descriptions from their earliest remaining occurrence.
  await refreshFindings(tx, { changes, conversationIds: [], origin: null });
  await tx.db.execute(sql`
    update findings m set title = f.title, summary = f.summary
    from findings f
    where m.project_id = ${tx.projectId} and m.merged_into_id = any(${ids}) and f.project_id = m.project_id
      and f.id = m.merged_into_id`);
  await tx.db.execute(sql`
    update finding_causes set cause = null, keys = '{}'
    where project_id = ${tx.projectId} and finding_id = any(${ids}) and occurrence_count <= 0`);
  return gone.length;
}
