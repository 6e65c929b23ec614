import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { inOrder } from "@/db/in-order";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { type MovingTrace, moveTraces } from "./move-traces";

/** Largest gap between two spans of one call; `joinCalls` uses the same within a conversation. */
const TOUCHING_MS = 50;
/** A response id on more calls than this comes from a test server and identifies nothing. */
const MAX_REPEATS = 8;
/** The instrumentation that records calls through our gateway. */
export const GATEWAY_SCOPE = "whetstone.gateway";
/** Delay before retrying a pair of which another transaction had locked a conversation. */
const RETRY_MS = 1000;

/**
 * Moves duplicate traces. Some clients report one call in two traces: the instrumentation's, and one by the vendor's SDK with a
 * single span and no conversation id. The latter moves to the conversation of the former, where the spans are joined into one
 * call. So does a call through our gateway that its client reports itself: it says more about the conversation than the headers
 * that it sent. Its trace may have a span for each attempt. Candidates share a response id; because test servers repeat ids, their times must also touch and their instrumentations
 * differ. Of two single-span traces the later moves to the earlier.
 *
 * `responseIds` are those of calls that just changed. A lock admits one projector per project at a time until its transaction
 * ends, so that if two projectors each wrote half of a pair, the second sees the first's half. Returns the ids of the
 * conversations that received traces.
 */
export async function moveDuplicateTraces(
  tx: Db,
  projectId: string,
  responseIds: readonly string[],
): Promise<string[]> {
  if (responseIds.length === 0) return [];
  const oneAtATime = sql`select pg_advisory_xact_lock(hashtextextended(${`duplicate traces ${projectId}`}, 0))`;
  const [, repeated = []] = await inOrder<{ id: string }>(tx, [oneAtATime, repeatedOf(projectId, responseIds)]);
  if (repeated.length === 0) return [];
  const ids = repeated.map(({ id }) => id);
  const duplicates = [...(await tx.execute<MovingTrace>(duplicatesOf(projectId, ids)))];
  if (duplicates.length === 0) return [];

  const hosts = new Set(duplicates.map(({ into }) => into));
  const moving = duplicates.filter(({ left }) => !hosts.has(left));
  const touched = [...new Set(moving.flatMap(({ left, into }) => [left, into]))];
  const locked = await tx.execute<{ id: string }>(sql`
    select id from conversations where project_id = ${projectId} and id = any(${textArray(touched)})
    order by id for no key update skip locked`);
  // A skipped conversation was deleted, or is locked by a transaction that may not look for this pair: the pair is retried
  // later.
  const here = new Set([...locked].map(({ id }) => id));
  const moved = moving.filter(({ left, into }) => here.has(left) && here.has(into));
  await rebuildAlone(
    tx,
    projectId,
    moving.filter((duplicate) => !moved.includes(duplicate)).map(({ trace_id }) => trace_id),
  );
  await moveTraces(tx, projectId, moved);
  return [...new Set(moved.map(({ into }) => into))];
}

/** Checked first: usually there are none, and the join below, planned for one id, may read the whole project. */
const repeatedOf = (projectId: string, responseIds: readonly string[]) => sql`
  select id from unnest(${textArray(responseIds)}) as ids(id)
  where (
    select count(*) from (
      select 1 from model_calls m where m.project_id = ${projectId} and m.response_id = ids.id limit ${MAX_REPEATS + 1}
    ) few
  ) between 2 and ${MAX_REPEATS}`;

const duplicatesOf = (projectId: string, repeated: readonly string[]) => sql`
    with calls as (
      select m.trace_id, m.response_id, m.conversation_id, m.started_at, m.ended_at, o.scope_name,
             c.external_id is null and cardinality(c.trace_ids) = 1 and alone.alone as single,
             o.scope_name = ${GATEWAY_SCOPE} and alone.alone as forwarded, c.external_id is not null as named
      from unnest(${textArray(repeated)}) as repeated(id)
      join model_calls m on m.project_id = ${projectId} and m.response_id = repeated.id
      join conversations c on c.project_id = m.project_id and c.id = m.conversation_id
      join spans s on s.project_id = m.project_id and s.trace_id = m.trace_id and s.span_id = m.span_id
      join span_sources o on o.project_id = s.project_id and o.id = s.source_id
      cross join lateral (
        select count(*) = 0 as alone from (
          select 1 from spans one join span_sources its on its.project_id = one.project_id and its.id = one.source_id
          where one.project_id = m.project_id and one.trace_id = m.trace_id and one.span_id <> m.span_id
            and (o.scope_name <> ${GATEWAY_SCOPE} or its.scope_name <> ${GATEWAY_SCOPE})
          limit 1
        ) others
      ) alone
    )
    select distinct on (duplicate.trace_id) duplicate.trace_id, duplicate.conversation_id as left, host.conversation_id as into
    from calls duplicate join calls host on host.response_id = duplicate.response_id
      and host.conversation_id <> duplicate.conversation_id and host.scope_name <> duplicate.scope_name
      and host.started_at <= duplicate.ended_at + ${TOUCHING_MS} and duplicate.started_at <= host.ended_at + ${TOUCHING_MS}
    where (duplicate.single
        and (not host.single or (host.started_at, host.trace_id) < (duplicate.started_at, duplicate.trace_id)))
      or (duplicate.forwarded and host.named)
    order by duplicate.trace_id, host.single, host.started_at, host.trace_id`;

/** Queues traces to be rebuilt alone, in passes that look for duplicates of every call. */
async function rebuildAlone(tx: Db, projectId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return;
  await tx.execute(sql`
    insert into projection_queue (project_id, trace_id, received_at, retry_at, alone)
    select ${projectId}::text, t.id, ${NOW}, ${NOW} + ${RETRY_MS}::bigint, true from unnest(${textArray(traceIds)}) as t(id)`);
}
