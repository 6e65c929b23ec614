import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { queueCollection } from "../../queue-collection";

/** Conversations that one transaction updates. A Finding with more is finished by a background function. */
const CHUNK = 5000;

/** Updates the number of Findings of each conversation. Dismissed Findings are not counted here, only in their own counts. */
export async function refreshConversationCounts(tx: Ctx, conversationIds: readonly string[]): Promise<void> {
  await update(tx, sql`unnest(${textArray([...new Set(conversationIds)].sort())})`);
}

/**
 * Updates the number of Findings on the conversations of these Findings after a change in which Findings count, and queues the
 * changed ones for collection: whether they have a Finding decides what is learned from them. Those of a Finding with more
 * than 5,000 follow in the background.
 */
export async function updateConversationCounts(tx: Ctx, findingIds: readonly string[]) {
  const small = await tx.db.execute<{ id: string }>(sql`
    select id from findings
    where project_id = ${tx.projectId} and id = any(${textArray(findingIds)}) and occurrence_count <= ${CHUNK}`);
  const now = new Set([...small].map(({ id }) => id));
  if (now.size > 0) {
    const changed = await update(
      tx,
      sql`(
        select distinct conversation_id from occurrences
        where project_id = ${tx.projectId} and finding_id = any(${textArray([...now])}))`,
    );
    await queueCollection(tx, changed);
  }
  const later = findingIds.filter((id) => !now.has(id));
  if (later.length > 0) {
    await tx.db.execute(sql`
      update findings set conversations_updated_to = ''
      where project_id = ${tx.projectId} and id = any(${textArray(later)})`);
  }
}

/** Updates the next conversations of a Finding whose update is in progress. Returns whether more are left. */
export async function continueConversationCounts(tx: Ctx, findingId: string): Promise<boolean> {
  const [row] = await tx.db.execute<{ upTo: string | null }>(sql`
    with next as (
      select o.conversation_id from findings f
      join occurrences o on o.project_id = f.project_id and o.finding_id = f.id
        and o.conversation_id > f.conversations_updated_to
      where f.project_id = ${tx.projectId} and f.id = ${findingId}
      order by o.conversation_id limit ${CHUNK}
    ) select max(conversation_id) as "upTo" from next having count(*) = ${CHUNK}`);
  const upTo = row?.upTo ?? null;
  const changed = await update(
    tx,
    sql`(
      select o.conversation_id from findings f
      join occurrences o on o.project_id = f.project_id and o.finding_id = f.id
        and o.conversation_id > f.conversations_updated_to
      where f.project_id = ${tx.projectId} and f.id = ${findingId}
        and (${upTo}::text is null or o.conversation_id <= ${upTo}))`,
  );
  await queueCollection(tx, changed);
  await tx.db.execute(sql`
    update findings set conversations_updated_to = ${upTo}::text where project_id = ${tx.projectId} and id = ${findingId}`);
  return upTo !== null;
}

/** Returns the conversations whose number changed. */
async function update(tx: Ctx, conversationIds: SQL): Promise<string[]> {
  const rows = await tx.db.execute<{ id: string }>(sql`
    update conversations c set finding_count = t.count
    from (
      select i.id, count(f.id)::int as count
      from ${conversationIds} as i(id)
      left join occurrences o on o.project_id = ${tx.projectId} and o.conversation_id = i.id
      left join findings f on f.project_id = o.project_id and f.id = o.finding_id and f.review_status <> 'dismissed'
      group by i.id
    ) t
    where c.project_id = ${tx.projectId} and c.id = t.id and c.finding_count <> t.count
    returning c.id`);
  return [...rows].map(({ id }) => id);
}
