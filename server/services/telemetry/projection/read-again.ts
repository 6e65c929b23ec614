import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { logger } from "@/server/platform/logging/log";
import { READER_VERSION } from "../otlp";

/** Conversations examined per statement, and statements per call while none of the conversations needs to be reread. */
const PAGE = 1_000;
const PAGES = 10;

type ConversationKey = { projectId: string; id: string };
const START: ConversationKey = { projectId: "", id: "" };

/**
 * Returns a function that queues, as backlog, the next page of conversations that were read by an earlier version of the
 * readers; it queues none while the previous page is still pending. It walks once over all conversations. Each conversation
 * records the version that read it, so after an interruption (even by `kill -9`) the next process starts over and finds the
 * remaining ones. The function returns whether any were queued.
 */
export function createReReader() {
  let at: ConversationKey | "end" = START;
  let queued = 0;
  return async (db: Db): Promise<boolean> => {
    for (let pages = 0; at !== "end" && pages < PAGES; pages += 1) {
      const page = await queuePage(db, at);
      if (page === "waiting") return false;
      if (queued === 0 && page.queued > 0)
        logger("projector").info("Rereading conversations read by an earlier version.");
      queued += page.queued;
      at = page.last ?? "end";
      if (at === "end" && queued > 0)
        logger("projector").info({ conversations: queued }, "All outdated conversations have been queued.");
      if (page.queued > 0) return true;
    }
    return false;
  };
}

/** Queues one trace of each outdated conversation, which rebuilds all of it. Dead-lettered traces wait for a replay. */
async function queuePage(db: Db, after: ConversationKey) {
  const [row] = await db.execute<{ waiting: boolean; queued: number; last: [string, string] | null }>(sql`
    with waiting as (select exists (select 1 from projection_queue where backlog) as waiting),
    page as (
      select project_id, id, received_at, reader_version from conversations
      where (project_id, id) > (${after.projectId}, ${after.id}) and not (select waiting from waiting)
      order by project_id, id limit ${PAGE}
    ),
    queued as (
      insert into projection_queue (project_id, trace_id, received_at, backlog)
      select page.project_id, trace.id, page.received_at, true
      from page cross join lateral (
        select t.id from traces t where t.project_id = page.project_id and t.conversation_id = page.id
          and not exists (select 1 from parked_traces k where k.project_id = t.project_id and k.trace_id = t.id)
        limit 1
      ) trace
      where page.reader_version < ${READER_VERSION}
      returning 1
    )
    select waiting, (select count(*)::int from queued) as queued,
           (select array[project_id, id] from page order by project_id desc, id desc limit 1) as last
    from waiting`);
  if (!row || row.waiting) return "waiting";
  const [projectId, id] = row.last ?? [];
  return { queued: row.queued, last: projectId !== undefined && id !== undefined ? { projectId, id } : undefined };
}
