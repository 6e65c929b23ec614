import { verb } from "@/server/platform/verb";
import { listMessagesInput, listPartsInput, messagesReply, modelCallsReply, toolCallsReply } from "../schemas";
import { messagesPage, modelCallsPage, toolCallsNamed, toolCallsPage } from "./conversation-parts";
import { findConversation } from "./find-conversation";
import { PAGE_SIZE_NOTE } from "./parts-page";

const CAPABILITY = ["diagnostics:read", "project:data:read"] as const;
const DESCRIPTION = `\`conversationId\` is Whetstone's id or the client's own. ${PAGE_SIZE_NOTE}`;

export const listMessages = verb(
  {
    name: "conversations.messages",
    summary: "List the messages of a conversation by index, with the spans of the tool calls that they refer to.",
    description: `${DESCRIPTION} \`fromIndex\` starts at any message, such as the \`messageIndex\` of evidence; \`spanId\` limits the list to messages that this span was the first to send.`,
    effect: "read",
    capability: CAPABILITY,
    input: listMessagesInput,
    reply: messagesReply,
  },
  async (ctx, { conversationId, limit, ...input }) => {
    const { id, version } = await findConversation(ctx, conversationId);
    const { rows: messages, nextCursor } = await messagesPage(ctx, { conversationId: id, limit, ...input });
    const named = messages.flatMap(({ toolCalls, toolCallId }) => [...toolCalls.map((call) => call.id), toolCallId]);
    const callIds = [...new Set(named)].filter((callId) => callId !== null);
    const toolCalls = await toolCallsNamed(ctx, id, callIds);
    return { messages, toolCalls, version, pagination: { limit, nextCursor } };
  },
);

export const listModelCalls = verb(
  {
    name: "conversations.modelCalls",
    summary: "List the model calls of a conversation with their costs, oldest first.",
    description: DESCRIPTION,
    effect: "read",
    capability: CAPABILITY,
    input: listPartsInput,
    reply: modelCallsReply,
  },
  async (ctx, { conversationId, limit, cursor }) => {
    const { id, version } = await findConversation(ctx, conversationId);
    const { rows, nextCursor } = await modelCallsPage(ctx, { conversationId: id, limit, cursor });
    return { modelCalls: rows, version, pagination: { limit, nextCursor } };
  },
);

export const listToolCalls = verb(
  {
    name: "conversations.toolCalls",
    summary: "List the tool calls of a conversation, oldest first.",
    description: `\`reported\` is \`span\` for a call with a span of its own. A call that only messages contain is \`message\`: its span is the one whose messages request it, its times are those of the messages with the request and the result. ${DESCRIPTION}`,
    effect: "read",
    capability: CAPABILITY,
    input: listPartsInput,
    reply: toolCallsReply,
  },
  async (ctx, { conversationId, limit, cursor }) => {
    const { id, version } = await findConversation(ctx, conversationId);
    const { rows, nextCursor } = await toolCallsPage(ctx, { conversationId: id, limit, cursor });
    return { toolCalls: rows, version, pagination: { limit, nextCursor } };
  },
);
