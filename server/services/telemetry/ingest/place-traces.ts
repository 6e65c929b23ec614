import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { rowsOf, textArray } from "@/db/rows";
import { newId } from "@/server/platform/ids";
import { moveExamples } from "@/server/services/datasets/links";
import { moveOwnLabels } from "../conversations/own-labels";
import { moveFeedback } from "../feedback";
import type { TraceIdentity } from "../otlp/types";
import { keyOfExternalId } from "./conversation-key";

export type Identities = ReadonlyMap<string, TraceIdentity>;

const keyOf = (traceId: string, externalId: string | null) =>
  externalId === null ? `trace:${traceId}` : keyOfExternalId(externalId);

/** A trace's conversation, if it has one. */
export type Placement = { id: string; conversation_id: string | null; key: string | null };

/** Returns the placements of these traces, which must be locked. */
export async function loadPlacements(tx: Db, projectId: string, traceIds: readonly string[]): Promise<Placement[]> {
  const rows = await tx.execute<Placement>(sql`
    select t.id, t.conversation_id, c.key
    from traces t left join conversations c on c.project_id = t.project_id and c.id = t.conversation_id
    where t.project_id = ${projectId} and t.id = any(${textArray(traceIds)})`);
  return [...rows];
}

/**
 * Assigns each of these traces that has an identity to the conversation that it names, creating that if needed. Returns the ids
 * of the conversations whose content changed, and of those among them that are still empty. A conversation with one trace is
 * renamed, keeping its id and Findings; if another already has the name, the trace moves there and the empty conversation is
 * deleted. Locks the rows of the conversations until the transaction ends.
 */
export async function placeTraces(
  tx: Db,
  projectId: string,
  placements: readonly Placement[],
  identities: Identities,
  now: number,
): Promise<{ conversationIds: string[]; empty: ReadonlySet<string> }> {
  const wanted = placements
    .filter((trace) => identities.has(trace.id))
    .map((trace) => {
      const externalId = identities.get(trace.id)?.externalId ?? null;
      return {
        trace_id: trace.id,
        // An unnamed trace that was merged into another conversation stays there.
        key: externalId === null && trace.key !== null ? trace.key : keyOf(trace.id, externalId),
        external_id: externalId,
        from: trace.conversation_id,
        was: trace.key,
      };
    });
  const moving = wanted.filter((trace) => trace.was !== trace.key);

  const empty = new Set<string>();
  if (moving.length > 0) {
    await renameLoneConversations(tx, projectId, moving);
    const created = await tx.execute<{ id: string; key: string }>(sql`
      insert into conversations (project_id, id, key, external_id, started_at, last_activity_at, received_at)
      select ${projectId}::text, t.id, t.key, t.external_id, ${now}::bigint, ${now}::bigint, ${now}::bigint
      from ${rowsOf(newConversations(moving), "id text, key text, external_id text")}
      order by t.key
      on conflict (project_id, key) do nothing
      returning id, key`);
    const movedTo = new Set(moving.filter(({ from }) => from !== null).map(({ key }) => key));
    for (const { id, key } of created) if (!movedTo.has(key)) empty.add(id);
  }

  const touched = await tx.execute<{ id: string }>(sql`
    select id from conversations
    where project_id = ${projectId}
      and (key = any(${textArray(moving.map((trace) => trace.key))}) or id = any(${textArray(wanted.flatMap((trace) => trace.from ?? []))}))
    order by id for no key update`);

  if (moving.length > 0) {
    await tx.execute(sql`
      update traces set conversation_id = c.id
      from ${rowsOf(moving, "trace_id text, key text")}
      join conversations c on c.project_id = ${projectId} and c.key = t.key
      where traces.project_id = ${projectId} and traces.id = t.trace_id and traces.conversation_id is distinct from c.id
        and traces.id = any(${textArray(moving.map((trace) => trace.trace_id))})
        and c.key = any(${textArray(moving.map((trace) => trace.key))})`);
    // Traces without a previous conversation have no calls yet.
    const came = moving.flatMap(({ trace_id, from }) => (from === null ? [] : { trace_id, from }));
    await moveCallsWithTraces(
      tx,
      projectId,
      came.map(({ trace_id }) => trace_id),
    );
    await moveOwnLabels(tx, projectId, came);
    await moveFeedback(tx, projectId, came);
    await moveExamples(tx, projectId, came);
    const left = textArray(came.map(({ from }) => from));
    const emptied = await tx.execute<{ id: string }>(sql`
      delete from conversations c
      where c.project_id = ${projectId} and c.id = any(${left})
        and not exists (select 1 from traces t where t.project_id = c.project_id and t.conversation_id = c.id)
      returning c.id`);
    const gone = new Set([...emptied].map((row) => row.id));
    return { conversationIds: [...touched].map((row) => row.id).filter((id) => !gone.has(id)), empty };
  }
  return { conversationIds: [...touched].map((row) => row.id), empty };
}

/** Moves the calls of traces to their new conversation before the old one is deleted, so that they keep their stored cost. */
export async function moveCallsWithTraces(tx: Db, projectId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return;
  await tx.execute(sql`
    update model_calls m set conversation_id = t.conversation_id
    from traces t
    where t.project_id = ${projectId} and t.id = any(${textArray(traceIds)}) and t.conversation_id is not null
      and m.project_id = t.project_id and m.trace_id = t.id and m.conversation_id <> t.conversation_id
      and m.trace_id = any(${textArray(traceIds)})`);
}

type Moving = { trace_id: string; key: string; external_id: string | null; from: string | null; was: string | null };

/** Renames conversations of a single unnamed trace, unless the name exists or another trace has taken it. */
async function renameLoneConversations(tx: Db, projectId: string, moving: readonly Moving[]) {
  const lone = moving.filter((trace) => trace.was === `trace:${trace.trace_id}`);
  if (lone.length === 0) return;
  const onePerName = [...new Map(lone.map((trace) => [trace.key, trace])).values()];
  await tx.execute(sql`
    update conversations c set key = t.key, external_id = t.external_id
    from ${rowsOf(onePerName, `"from" text, key text, external_id text`)}
    where c.project_id = ${projectId} and c.id = t."from"
      and not exists (select 1 from conversations o where o.project_id = ${projectId} and o.key = t.key)`);
}

const newConversations = (moving: readonly Moving[]) => {
  const byKey = new Map(moving.map((trace) => [trace.key, trace.external_id]));
  return [...byKey].map(([key, external_id]) => ({ id: newId("conv"), key, external_id }));
};
