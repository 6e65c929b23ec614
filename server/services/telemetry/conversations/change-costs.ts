import { sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import { modelCalls } from "@/db/schema";
import { updateOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { mergeDuplicateTraces } from "../projection/rebuild-traces";

/** A call has moved to another conversation since it was read. Nothing was written: retry the batch. */
export class CallsMoved extends Error {
  override name = "CallsMoved";
}

export type CallKey = { traceId: string; spanId: string };
/** `costTotal` is exact decimal text; both are `null` where no price is known. */
export type StoredCost = CallKey & { costTotal: string | null; cost: object | null };

/** FROM clause of the keys as `t` and their calls as `m`. */
const callsOf = (tx: Ctx, keys: readonly CallKey[]) => sql`
  ${rowsOf(
    keys.map(({ traceId, spanId }) => ({ trace_id: traceId, span_id: spanId })),
    "trace_id text, span_id text",
  )}
  join model_calls m on m.project_id = ${tx.projectId} and m.trace_id = t.trace_id and m.span_id = t.span_id`;

/**
 * Locks these conversations and their calls against changes until the transaction ends. Throws `CallsMoved` if one of the
 * calls is no longer in them.
 */
export async function lockCalls(tx: Ctx, conversationIds: readonly string[], keys: readonly CallKey[]): Promise<void> {
  await tx.db.execute(sql`
    select 1 from conversations where project_id = ${tx.projectId} and id = any(${textArray([...conversationIds])})
    order by id for no key update`);
  const moved = await tx.db.execute(sql`
    select 1 from ${callsOf(tx, keys)} where m.conversation_id <> all(${textArray([...conversationIds])}) limit 1`);
  if (moved.length > 0) throw new CallsMoved();
}

/** Updates the costs of calls in locked conversations, and recomputes the conversations' costs from all their calls. */
export async function changeCosts(tx: Ctx, conversationIds: readonly string[], costs: readonly StoredCost[]) {
  const { db, projectId } = tx;
  const rows = costs.map(({ traceId, spanId, costTotal, cost }) => ({
    trace_id: traceId,
    span_id: spanId,
    cost_total: costTotal,
    cost,
  }));
  const change = updateOf(modelCalls, rows);
  await db.execute(sql`
    update model_calls set ${change.set} from ${change.rows}
    where model_calls.project_id = ${projectId} and ${change.matches}`);
  await recountCosts(tx, conversationIds);
}

async function recountCosts({ db, projectId }: Ctx, conversationIds: readonly string[]) {
  await db.execute(sql`
    update conversations c set cost = m.cost, unpriced_call_count = m.unpriced
    from (
      select conversation_id, sum(cost_total) as cost, count(*) filter (where cost_total is null)::int as unpriced
      from model_calls where project_id = ${projectId} and conversation_id = any(${textArray([...conversationIds])})
      group by conversation_id
    ) m
    where c.project_id = ${projectId} and c.id = m.conversation_id`);
}

/** Merges duplicate traces that projectors skipped because we held these conversations locked. Call last in the transaction. */
export async function mergeDuplicateTracesOf({ db, projectId }: Ctx, conversationIds: readonly string[]) {
  const calls = await db.execute<{ id: string }>(sql`
    select distinct response_id as id from model_calls
    where project_id = ${projectId} and conversation_id = any(${textArray([...conversationIds])}) and response_id is not null`);
  const responseIds = [...calls].map(({ id }) => id);
  await mergeDuplicateTraces(db, { projectId, receivedAt: 0, responseIds, changedResponseIds: [] }, { of: "all" });
}
