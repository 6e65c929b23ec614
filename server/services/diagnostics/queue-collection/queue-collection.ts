import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";

/**
 * Queues conversations for automatic collection, in the transaction that changed what is known about them. It reads them once
 * none of their Rule Runs is pending, and again after every later change. Nothing is queued where no Dataset collects.
 */
export async function queueCollection({ db, projectId }: Ctx, conversationIds: readonly string[]) {
  if (conversationIds.length === 0) return;
  await db.execute(sql`
    insert into collection_queue (project_id, conversation_id, queued_at)
    select c.project_id, c.id, ${NOW} from conversations c
    where c.project_id = ${projectId} and c.id = any(${textArray([...new Set(conversationIds)])})
      and exists (select 1 from datasets d where d.project_id = ${projectId} and d.collection_enabled and d.deleted_at is null)
    order by c.id
    on conflict (project_id, conversation_id) do update set queued_at = greatest(excluded.queued_at, collection_queue.queued_at + 1)`);
}
