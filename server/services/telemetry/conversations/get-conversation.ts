import { and, asc, eq, sql } from "drizzle-orm";
import { conversationMessages, modelCalls, toolCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { summaryOf } from "../projection/summary-row";
import { conversationReply, getConversationInput } from "../schemas";
import {
  inOrder,
  messageOf,
  messagesPage,
  modelCallOf,
  modelCallsPage,
  toolCallOf,
  toolCallsPage,
} from "./conversation-parts";
import { findConversation } from "./find-conversation";
import { embeddedNote, firstParts } from "./parts-page";

export const getConversation = verb(
  {
    name: "conversations.get",
    summary: "Get a conversation with its messages, model calls and tool calls.",
    description: `Accepts Whetstone's id or the client's own (\`externalId\`). ${embeddedNote("items of each kind", "To continue, pass `messagesCursor`, `modelCallsCursor` and `toolCallsCursor` as `cursor` to `…/messages`, `…/model-calls` and `…/tool-calls`.")}`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: getConversationInput,
    reply: conversationReply,
  },
  async (ctx, { conversationId, parts }) => {
    const row = await findConversation(ctx, conversationId);
    const first = { conversationId: row.id, limit: parts };
    const [messages, models, tools] = await Promise.all([
      firstParts(parts, () => messagesPage(ctx, first)),
      firstParts(parts, () => modelCallsPage(ctx, first)),
      firstParts(parts, () => toolCallsPage(ctx, first)),
    ]);
    return {
      conversation: {
        ...summaryOf(row),
        messages: messages.rows,
        messagesCursor: messages.nextCursor,
        modelCalls: models.rows,
        modelCallsCursor: models.nextCursor,
        toolCalls: tools.rows,
        toolCallsCursor: tools.nextCursor,
      },
    };
  },
);

type ConversationContent = {
  messages: ReturnType<typeof messageOf>[];
  modelCalls: ReturnType<typeof modelCallOf>[];
  toolCalls: ReturnType<typeof toolCallOf>[];
};

/**
 * Returns messages and calls of the project's conversations by id, in order; empty lists for an id that does not exist. Of the
 * tool calls, only those with a span of their own: the messages contain the others.
 */
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
      .orderBy(...inOrder(modelCalls)),
    ctx.db
      .select()
      .from(toolCalls)
      .where(and(within(toolCalls), eq(toolCalls.requestNumber, 0)))
      .orderBy(...inOrder(toolCalls)),
  ]);
  const contents = new Map<string, ConversationContent>();
  for (const id of ids) contents.set(id, { messages: [], modelCalls: [], toolCalls: [] });
  for (const row of messages) contents.get(row.conversationId)!.messages.push(messageOf(row));
  for (const row of models) contents.get(row.conversationId)!.modelCalls.push(modelCallOf(row));
  for (const row of tools) contents.get(row.conversationId)!.toolCalls.push(toolCallOf(row));
  return contents;
}
