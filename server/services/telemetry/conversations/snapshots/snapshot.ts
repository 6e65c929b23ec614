import { and, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { SnapshotFeedback } from "../../feedback";
import type { Message, ModelCall, ToolCall } from "../../schemas";

/**
 * A conversation as of `lastActivityAt` (Unix ms): spans that had ended and log records that were written by then, of the
 * named traces or, if `traceIds` is empty, of all.
 */
export type Snapshot = { conversationId: string; lastActivityAt: number; traceIds: readonly string[] };

export type SnapshotContent = {
  id: string;
  userId: string | null;
  startedAt: number;
  /** Time of the latest activity in the snapshot, Unix ms. */
  lastActivityAt: number;
  messages: readonly Message[];
  modelCalls: readonly (Omit<ModelCall, "cost"> & { costTotal: string | null })[];
  /** Those with a span of their own; the messages contain the others. */
  toolCalls: readonly ToolCall[];
  /** User feedback on its messages or on the conversation, oldest first. */
  feedback: readonly SnapshotFeedback[];
  /** Index of each message in the current conversation; `null` if it does not contain the message with the same text. */
  positions: readonly (number | null)[];
  /** Requested traces that are not part of the conversation. */
  unknownTraceIds: readonly string[];
};

/** What was said and done in a snapshot. */
export type SnapshotContents = Pick<SnapshotContent, "messages" | "modelCalls" | "toolCalls">;

export type ConversationRow = Pick<
  typeof conversations.$inferSelect,
  "id" | "userId" | "startedAt" | "lastActivityAt" | "traceIds" | "messageCount"
>;

/** Returns the stored conversations of snapshots by id. */
export async function conversationsOf(
  ctx: Ctx,
  wanted: readonly Snapshot[],
): Promise<ReadonlyMap<string, ConversationRow>> {
  const ids = [...new Set(wanted.map(({ conversationId }) => conversationId))];
  const rows = await ctx.db
    .select({
      id: conversations.id,
      userId: conversations.userId,
      startedAt: conversations.startedAt,
      lastActivityAt: conversations.lastActivityAt,
      traceIds: conversations.traceIds,
      messageCount: conversations.messageCount,
    })
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), isOneOf(conversations.id, ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns whether a snapshot is the whole conversation as it is stored. */
export const isWhole = (row: ConversationRow, { lastActivityAt, traceIds }: Snapshot) =>
  row.lastActivityAt <= lastActivityAt &&
  (traceIds.length === 0 || row.traceIds.every((traceId) => traceIds.includes(traceId)));

/** Returns the named traces that the conversation does not have. */
export const unknownIn = (row: ConversationRow, { traceIds }: Snapshot) => {
  const known = new Set(row.traceIds);
  return traceIds.filter((traceId) => !known.has(traceId));
};
