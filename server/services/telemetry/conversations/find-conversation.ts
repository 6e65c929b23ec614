import { and, eq, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { matchesConversationId } from "../ingest/conversation-key";
import { summaryColumns } from "../projection/summary-row";

/**
 * The transaction that last wrote the conversation. Every change to its messages or calls also writes the conversation, even if
 * none of its other columns change, so no timestamp or count would show it.
 */
const VERSION = sql<string>`${conversations}.xmin::text`;

/** Returns a conversation by our id or the client's own; ours wins if both match. */
export async function lookUpConversation(ctx: Ctx, idOrExternalId: string) {
  const [row] = await ctx.db
    .select({ ...summaryColumns, version: VERSION })
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), matchesConversationId(idOrExternalId)))
    .orderBy(sql`${conversations.id} = ${idOrExternalId} desc`)
    .limit(1);
  return row;
}

/** The same, but throws 404 if neither matches. */
export async function findConversation(ctx: Ctx, idOrExternalId: string) {
  const row = await lookUpConversation(ctx, idOrExternalId);
  if (!row) throw notFound("Conversation");
  return row;
}
