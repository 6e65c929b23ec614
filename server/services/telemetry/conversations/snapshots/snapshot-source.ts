import { and, asc, eq, sql } from "drizzle-orm";
import { conversationMessages, modelCalls, toolCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { PlacedMessage } from "../../schemas";
import { amongKeys, inOrder, messageOf, modelCallOf, TABLES, toolCallOf } from "../conversation-parts";
import type { Outline, OutlineCall, OutlineMessage } from "../place-calls";
import type { Range } from "../windows/window-layout";
import {
  type ConversationRow,
  type Snapshot,
  type SnapshotContent,
  type SnapshotContents,
  unknownIn,
} from "./snapshot";

type CallKey = Pick<OutlineCall, "kind" | "traceId" | "spanId">;

/** What a snapshot and every part of it have in common. */
type SnapshotHead = Pick<SnapshotContent, "id" | "userId" | "startedAt" | "lastActivityAt" | "unknownTraceIds">;

/** A snapshot whose messages and calls are read a part at a time. Messages are identified by their index in the snapshot. */
export type SnapshotSource = SnapshotHead & {
  positions: SnapshotContent["positions"];
  outline(): Promise<Outline>;
  messages(range: Range): Promise<PlacedMessage[]>;
  /** Returns these calls in the order in which they ended. */
  calls(keys: readonly CallKey[]): Promise<Omit<SnapshotContents, "messages">>;
};

export const headOf = ({ id, userId, startedAt, lastActivityAt, unknownTraceIds }: SnapshotHead): SnapshotHead => ({
  id,
  userId,
  startedAt,
  lastActivityAt,
  unknownTraceIds,
});

/** Returns the whole conversation as it is stored, which is read from its rows. */
export function storedSnapshot(ctx: Ctx, row: ConversationRow, snapshot: Snapshot): SnapshotSource {
  const { projectId, db } = ctx;
  return {
    id: row.id,
    userId: row.userId,
    startedAt: row.startedAt,
    lastActivityAt: row.lastActivityAt,
    positions: Array.from({ length: row.messageCount }, (_, position) => position),
    unknownTraceIds: unknownIn(row, snapshot),
    outline: () => storedOutline(ctx, row.id),
    messages: async ({ from, to }) =>
      (
        await db
          .select()
          .from(conversationMessages)
          .where(
            and(
              eq(conversationMessages.projectId, projectId),
              eq(conversationMessages.conversationId, row.id),
              sql`${conversationMessages.position} >= ${from}::int and ${conversationMessages.position} < ${to}::int`,
            ),
          )
          .orderBy(asc(conversationMessages.position))
      ).map(messageOf),
    calls: async (keys) => {
      const among = (table: typeof modelCalls | typeof toolCalls, kind: CallKey["kind"]) =>
        and(
          eq(table.projectId, projectId),
          amongKeys(
            table,
            keys
              .filter((key) => key.kind === kind)
              .map(({ traceId, spanId }) => ({ trace_id: traceId, span_id: spanId, request_number: 0 })),
          ),
        );
      const models = await db
        .select()
        .from(modelCalls)
        .where(among(modelCalls, "model"))
        .orderBy(...inOrder(modelCalls));
      const tools = await db
        .select()
        .from(toolCalls)
        .where(among(toolCalls, "tool"))
        .orderBy(...inOrder(toolCalls));
      return { modelCalls: models.map(modelCallOf), toolCalls: tools.map(toolCallOf) };
    },
  };
}

async function storedOutline({ db, projectId }: Ctx, conversationId: string): Promise<Outline> {
  const messages = await db.execute<Omit<OutlineMessage, "at"> & { at: string | null }>(sql`
    select role, agent, span_id as "spanId", at, octet_length(parts::text) + octet_length(tool_calls::text) as length
    from conversation_messages where project_id = ${projectId} and conversation_id = ${conversationId} order by position`);
  const calls = await db.execute<Omit<OutlineCall, "startedAt"> & { startedAt: string }>(sql`
    select 'model' as kind, trace_id as "traceId", span_id as "spanId", started_at as "startedAt",
      ${TABLES.model_calls.length} as length
    from model_calls c where project_id = ${projectId} and conversation_id = ${conversationId}
    union all
    select 'tool', trace_id, span_id, started_at, ${TABLES.tool_calls.length}
    from tool_calls c
    where project_id = ${projectId} and conversation_id = ${conversationId} and request_number = 0`);
  return {
    messages: messages.map((message) => ({ ...message, at: message.at === null ? null : Number(message.at) })),
    calls: calls.map((call) => ({ ...call, startedAt: Number(call.startedAt) })),
  };
}
