import { and, asc, eq } from "drizzle-orm";
import { conversationMessages, modelCalls, toolCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import type { Cost } from "@/server/services/pricing";
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
    return { conversation: { ...summaryOf(row), ...(await contentOf(ctx, row.id)) } };
  },
);

/** Messages and calls of a conversation of the context's project, in order. */
export async function contentOf(ctx: Ctx, conversationId: string) {
  const [messages, models, tools] = await Promise.all([
    ctx.db
      .select()
      .from(conversationMessages)
      .where(
        and(eq(conversationMessages.projectId, ctx.projectId), eq(conversationMessages.conversationId, conversationId)),
      )
      .orderBy(asc(conversationMessages.position)),
    ctx.db
      .select()
      .from(modelCalls)
      .where(and(eq(modelCalls.projectId, ctx.projectId), eq(modelCalls.conversationId, conversationId)))
      .orderBy(asc(modelCalls.startedAt), asc(modelCalls.endedAt), asc(modelCalls.spanId)),
    ctx.db
      .select()
      .from(toolCalls)
      .where(and(eq(toolCalls.projectId, ctx.projectId), eq(toolCalls.conversationId, conversationId)))
      .orderBy(asc(toolCalls.startedAt), asc(toolCalls.endedAt), asc(toolCalls.spanId)),
  ]);
  return {
    messages: messages.map((message) => ({
      ...message,
      parts: message.parts as MessagePart[],
      toolCalls: message.toolCalls as MessageToolCall[],
    })),
    modelCalls: models.map((call) => ({
      ...call,
      error: call.error as SpanError | null,
      cost: call.cost as Cost | null,
      reportedCost: call.reportedCost === null ? null : Number(call.reportedCost),
    })),
    toolCalls: tools.map((call) => ({ ...call, error: call.error as SpanError | null })),
  };
}
