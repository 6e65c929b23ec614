import { type SQL, sql } from "drizzle-orm";
import { CONVERSATION_KEYS, type Key } from "@/db/deletion-registry";
import type { Ctx } from "@/server/platform/context";
import { unassignedLogsMentioning, unassignedTracesMentioning } from "@/server/services/telemetry";
import type { Counts } from "./deletion-receipt";

type What = {
  /** Ids of conversations and of traces, as SQL subqueries. */
  conversations: SQL;
  traces: SQL;
  /** Condition on log records, in addition to those of the traces. */
  logs?: SQL;
};

/** Counts remaining rows by table. Verifies a deletion from the tables themselves, not from what it counted. */
async function countRemaining(tx: Ctx, { conversations, traces, logs = sql`false` }: What): Promise<Counts> {
  const among = (key: Key) =>
    key === "trace_id" ? sql`trace_id in (${traces})` : sql`${sql.identifier(key)} in (${conversations})`;
  const found: Record<string, number> = {};
  for (const [table, key] of CONVERSATION_KEYS) {
    const condition = table === "log_records" ? sql`(${among(key)} or (${logs}))` : among(key);
    const [row] = await tx.db.execute<{ rows: number }>(
      sql`select count(*)::int as rows from ${sql.identifier(table)} where project_id = ${tx.projectId} and ${condition}`,
    );
    found[table] = row?.rows ?? 0;
  }
  return found;
}

/** Returns the remaining rows of a conversation and of its former traces, by table. */
export const countRemainingOfConversation = (tx: Ctx, id: string, traceIds: readonly string[]) =>
  countRemaining(tx, {
    conversations: sql`select ${id}::text`,
    traces: sql`select unnest(${sql.param([...traceIds])}::text[])`,
  });

/** Returns the remaining rows of an end user, by table. Includes data that arrived just after the deletion. */
export function countRemainingOfUser(tx: Ctx, userId: string) {
  const conversations = sql`select id from conversations where project_id = ${tx.projectId} and user_id = ${userId}`;
  return countRemaining(tx, {
    conversations,
    traces: sql`
      select id from traces where project_id = ${tx.projectId} and conversation_id in (${conversations})
      union all select t.id from traces t where ${unassignedTracesMentioning(tx.projectId, userId)}`,
    logs: unassignedLogsMentioning(tx.projectId, userId),
  });
}
