import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import { moveOwnLabels } from "../conversations/own-labels";
import { moveCallsWithTraces } from "../ingest/place-traces";

/** Two spans of one call may follow each other as closely as this (`joinCalls` says the same of one conversation). */
const TOUCHING_MS = 50;
/** An id that stands under more calls than this is a test server's, and tells nothing. */
const MAX_REPEATS = 8;

/**
 * Some clients tell of one call in two traces: the vendor's SDK in a trace of its own, of that one span and without a
 * conversation id, beside the instrumentation's. Such a stray moves to the conversation that has the other telling, where
 * the two are joined to one call. The response id finds it; times that touch and another instrumentation confirm it, for
 * test servers repeat one id. Of two strays the earlier takes the other in.
 *
 * `responseIds` are those of conversations that just changed. Answers the conversations that took strays in.
 */
export async function moveDuplicateTraces(
  tx: Db,
  projectId: string,
  responseIds: readonly string[],
): Promise<string[]> {
  if (responseIds.length === 0) return [];
  const strays = await tx.execute<{ trace_id: string; left: string; into: string }>(sql`
    with repeated as (
      select id from unnest(${textArray(responseIds)}) as ids(id)
      where (
        select count(*) from (
          select 1 from model_calls m where m.project_id = ${projectId} and m.response_id = ids.id limit ${MAX_REPEATS + 1}
        ) few
      ) between 2 and ${MAX_REPEATS}
    ),
    told as (
      select m.trace_id, m.response_id, m.conversation_id, m.started_at, m.ended_at, o.scope_name,
             c.external_id is null and cardinality(c.trace_ids) = 1 and (
               select count(*) from (
                 select 1 from spans one where one.project_id = m.project_id and one.trace_id = m.trace_id limit 2
               ) few
             ) = 1 as stray
      from repeated join model_calls m on m.project_id = ${projectId} and m.response_id = repeated.id
      join conversations c on c.project_id = m.project_id and c.id = m.conversation_id
      join spans s on s.project_id = m.project_id and s.trace_id = m.trace_id and s.span_id = m.span_id
      join span_sources o on o.project_id = s.project_id and o.id = s.source_id
    )
    select distinct on (stray.trace_id) stray.trace_id, stray.conversation_id as left, host.conversation_id as into
    from told stray join told host on host.response_id = stray.response_id
      and host.conversation_id <> stray.conversation_id and host.scope_name <> stray.scope_name
      and host.started_at <= stray.ended_at + ${TOUCHING_MS} and stray.started_at <= host.ended_at + ${TOUCHING_MS}
    where stray.stray
      and (not host.stray or (host.started_at, host.trace_id) < (stray.started_at, stray.trace_id))
    order by stray.trace_id, host.stray, host.started_at, host.trace_id`);
  if (strays.length === 0) return [];

  const hosts = new Set([...strays].map(({ into }) => into));
  const moving = [...strays].filter(({ left }) => !hosts.has(left));
  const touched = [...new Set(moving.flatMap(({ left, into }) => [left, into]))];
  const locked = await tx.execute<{ id: string }>(sql`
    select id from conversations where project_id = ${projectId} and id = any(${textArray(touched)})
    order by id for no key update skip locked`);
  // Either may have been deleted since it was found; who rebuilds one just now looks for strays when we have committed.
  const here = new Set([...locked].map(({ id }) => id));
  const moved = moving.filter(({ left, into }) => here.has(left) && here.has(into));
  for (const { trace_id, left, into } of moved) {
    await tx.execute(sql`
      update traces set conversation_id = ${into}
      where project_id = ${projectId} and id = ${trace_id} and conversation_id = ${left}`);
  }
  await moveCallsWithTraces(
    tx,
    projectId,
    moved.map(({ trace_id }) => trace_id),
  );
  await moveOwnLabels(
    tx,
    projectId,
    moved.map(({ trace_id, left }) => ({ trace_id, from: left })),
  );
  await tx.execute(sql`
    delete from conversations c
    where c.project_id = ${projectId} and c.id = any(${textArray(moved.map(({ left }) => left))})
      and not exists (select 1 from traces t where t.project_id = c.project_id and t.conversation_id = c.id)`);
  return [...new Set(moved.map(({ into }) => into))];
}
