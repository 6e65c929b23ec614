import { z } from "zod";
import { operations } from "@/server/operations";
import { count } from "@/server/platform/text/amounts";
import { CONVERSATION_SORTS, type ListedConversation } from "@/server/services/telemetry/schemas";
import { at, clampNote, dollars, line, moreOf, paragraphs } from "../markdown";
import { clamped, cursor, id, msOf, time, tool } from "../tool";

const BLOCK_TOKENS = 120;

export const searchConversations = tool({
  name: "search_conversations",
  title: "Search conversations",
  description:
    "Lists recorded conversations of the application, newest first, with a preview each. All filters must match. Read one with read_conversation.",
  effect: "read",
  input: z.object({
    q: z.string().max(500).optional().describe("Words that its messages contain, all of them; or an id."),
    findingId: id("Only those in which this Finding occurred.").optional(),
    hasFindings: z.boolean().optional(),
    hasErrors: z.boolean().optional(),
    hasThumbsDown: z.boolean().optional(),
    model: z.string().max(500).optional(),
    label: z.string().max(200).optional(),
    tool: z.string().max(200).optional().describe("Name of a tool that was called."),
    userId: z.string().max(1000).optional(),
    startedAfter: time("ISO 8601, inclusive.").optional(),
    startedBefore: time("ISO 8601, exclusive.").optional(),
    sort: z.enum(CONVERSATION_SORTS).optional().describe("Largest first."),
    limit: clamped(1, 25, 10),
    cursor,
  }),
  run: async ({ call, shown }, { limit, ...input }) => {
    const { startedAfter, startedBefore } = input;
    const { conversations, pagination } = await call(operations.conversations.list, {
      ...input,
      limit: limit.used,
      startedAfter: startedAfter && msOf(startedAfter),
      startedBefore: startedBefore && msOf(startedBefore),
    });
    return paragraphs(
      clampNote("limit", limit),
      conversations.length === 0 && "No conversation matches.",
      ...conversations.flatMap((one) => [`### ${headOf(one)}`, shown.block(textOf(one), BLOCK_TOKENS)]),
      moreOf("search_conversations", { ...input, limit: limit.used }, pagination.nextCursor),
    );
  },
});

const headOf = (one: ListedConversation) =>
  line(
    one.id,
    at(one.startedAt),
    count(one.messageCount, "message"),
    one.toolCallCount > 0 && count(one.toolCallCount, "tool call"),
    one.findingCount > 0 && count(one.findingCount, "Finding"),
    one.errorCount > 0 && count(one.errorCount, "error"),
    dollars(one.cost, one.costComplete),
  );

const textOf = ({ preview, match, models, labels, userId }: ListedConversation) =>
  [
    preview ?? "(no user message)",
    match && `message ${match.messageIndex}: …${match.before}${match.found}${match.after}…`,
    models.length > 0 && `models: ${models.join(", ")}`,
    labels.length > 0 && `labels: ${labels.join(", ")}`,
    userId !== null && `user: ${userId}`,
  ]
    .filter(Boolean)
    .join("\n");
