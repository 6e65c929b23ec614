import { type SQL, sql } from "drizzle-orm";
import { CONVERSATION_KEYS, type Key } from "@/db/deletion-registry";
import type { Ctx } from "@/server/platform/context";
import { unassignedLogsMentioning, unassignedTracesMentioning } from "@/server/services/telemetry";
import type { Counts } from "./deletion-receipt";

type What = {
  /** Ids of conversations and of traces, as subqueries or lists. */
  conversations: SQL;
  traces: SQL;
  /** Log records besides those of the traces. */
  logs?: SQL;
};

/** Rows that are still there, by table: what a deletion is proved with, asked of the tables and not of what it counted. */
async function lookFor(tx: Ctx, { conversations, traces, logs = sql`false` }: What): Promise<Counts> {
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

/** What is still there of a conversation and of the traces that were its. */
export const countRemainingOfConversation = (tx: Ctx, id: string, traceIds: readonly string[]) =>
  lookFor(tx, {
    conversations: sql`select ${id}::text`,
    traces: sql`select unnest(${sql.param([...traceIds])}::text[])`,
  });

/** What is still there of an end user. What came when it was just done is theirs as well, and new. */
export function countRemainingOfUser(tx: Ctx, userId: string) {
  const conversations = sql`select id from conversations where project_id = ${tx.projectId} and user_id = ${userId}`;
  return lookFor(tx, {
    conversations,
    traces: sql`
      select id from traces where project_id = ${tx.projectId} and conversation_id in (${conversations})
      union all select t.id from traces t where ${unassignedTracesMentioning(tx.projectId, userId)}`,
    logs: unassignedLogsMentioning(tx.projectId, userId),
  });
}
