import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Returns the client's labels and people's labels as one list, distinct and sorted. */
export const allLabels = (sent: readonly string[], own: readonly string[]): string[] =>
  [...new Set([...sent, ...own])].sort();

/** Moves people's labels of conversations without traces to the conversations that their traces moved to. */
export async function moveOwnLabels(tx: Db, projectId: string, moved: readonly { trace_id: string; from: string }[]) {
  if (moved.length === 0) return;
  await tx.execute(sql`
    update conversations c
    set own_labels = array(select unnest(c.own_labels) union select unnest(g.labels) order by 1)
    from (
      select r.conversation_id as id, array_agg(label) as labels
      from ${rowsOf(moved, 'trace_id text, "from" text')}
      join conversations o on o.project_id = ${projectId} and o.id = t."from"
      join traces r on r.project_id = o.project_id and r.id = t.trace_id and r.conversation_id <> o.id
      cross join unnest(o.own_labels) label
      where not exists (select 1 from traces s where s.project_id = o.project_id and s.conversation_id = o.id)
      group by r.conversation_id
    ) g
    where c.project_id = ${projectId} and c.id = g.id`);
}
