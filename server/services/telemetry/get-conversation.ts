import { and, asc, eq, sql } from "drizzle-orm";
import { conversationMessages, modelCalls, toolCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { type Cost, completeCost } from "@/server/services/pricing";
import { findConversation } from "./find-conversation";
import {
  conversationReply,
  getConversationInput,
  type MessagePart,
  type MessageToolCall,
  type SpanError,
} from "./schemas";
import { summaryOf } from "./summary-row";

export const getConversation = verb(
  {
    name: "conversations.get",
    summary: "Read one conversation with its messages, model calls and tool calls.",
    description: "Takes our id or the client's own (`externalId`).",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: getConversationInput,
    reply: conversationReply,
  },
  async (ctx, { conversationId }) => {
    const row = await findConversation(ctx, conversationId);
    const contents = await contentsOf(ctx, [row.id]);
    return { conversation: { ...summaryOf(row), ...contents.get(row.id)! } };
  },
);

type ConversationContent = {
  messages: ReturnType<typeof messageOf>[];
  modelCalls: ReturnType<typeof modelCallOf>[];
  toolCalls: ReturnType<typeof toolCallOf>[];
};

/** Messages and calls of conversations of the context's project, in order: empty for one that is not there. */
export async function contentsOf(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, ConversationContent>> {
  const within = (table: typeof conversationMessages | typeof modelCalls | typeof toolCalls) =>
    and(eq(table.projectId, ctx.projectId), sql`${table.conversationId} = any(${sql.param([...ids])}::text[])`);
  const [messages, models, tools] = await Promise.all([
    ctx.db
      .select()
      .from(conversationMessages)
      .where(within(conversationMessages))
      .orderBy(asc(conversationMessages.conversationId), asc(conversationMessages.position)),
    ctx.db
      .select()
      .from(modelCalls)
      .where(within(modelCalls))
      .orderBy(asc(modelCalls.startedAt), asc(modelCalls.endedAt), asc(modelCalls.spanId)),
    ctx.db
      .select()
      .from(toolCalls)
      .where(within(toolCalls))
      .orderBy(asc(toolCalls.startedAt), asc(toolCalls.endedAt), asc(toolCalls.spanId)),
  ]);
  const contents = new Map<string, ConversationContent>();
  for (const id of ids) contents.set(id, { messages: [], modelCalls: [], toolCalls: [] });
  for (const row of messages) contents.get(row.conversationId)!.messages.push(messageOf(row));
  for (const row of models) contents.get(row.conversationId)!.modelCalls.push(modelCallOf(row));
  for (const row of tools) contents.get(row.conversationId)!.toolCalls.push(toolCallOf(row));
  return contents;
}

const messageOf = (row: typeof conversationMessages.$inferSelect) => ({
  ...row,
  parts: row.parts as MessagePart[],
  toolCalls: row.toolCalls as MessageToolCall[],
});

const modelCallOf = (row: typeof modelCalls.$inferSelect) => ({
  ...row,
  error: row.error as SpanError | null,
  cost: row.cost === null ? null : completeCost(row.cost as Cost),
  reportedCost: row.reportedCost === null ? null : Number(row.reportedCost),
});

const toolCallOf = (row: typeof toolCalls.$inferSelect) => ({ ...row, error: row.error as SpanError | null });
