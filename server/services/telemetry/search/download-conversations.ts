import { type CsvColumns, LIST_MEDIA_TYPES, listFile, timeCell } from "@/server/platform/list-file";
import { streamVerb } from "@/server/platform/stream-verb";
import { TOKEN_NAMES } from "@/server/services/pricing/usage/schemas";
import { downloadConversationsInput, type ListedConversation } from "../schemas";
import { listConversations } from "./list-conversations";

/** Enough for some hundred thousand conversations and a slow reader. */
const SECONDS = 3600;

/** A cell of several values: a JSON array, because a value may contain any separator. */
const severalCell = (values: readonly string[]) => JSON.stringify(values);

const COLUMNS: CsvColumns<ListedConversation> = {
  id: (one) => one.id,
  externalId: (one) => one.externalId,
  userId: (one) => one.userId,
  startedAt: (one) => timeCell(one.startedAt),
  lastActivityAt: (one) => timeCell(one.lastActivityAt),
  preview: (one) => one.preview,
  models: (one) => severalCell(one.models),
  labels: (one) => severalCell(one.labels),
  messageCount: (one) => one.messageCount,
  modelCallCount: (one) => one.modelCallCount,
  toolCallCount: (one) => one.toolCallCount,
  errorCount: (one) => one.errorCount,
  findingCount: (one) => one.findingCount,
  ...Object.fromEntries(TOKEN_NAMES.map((name) => [name, (one: ListedConversation) => one.usage[name]])),
  costUsd: (one) => one.cost,
  costComplete: (one) => one.costComplete,
  unpricedCallCount: (one) => one.unpricedCallCount,
};

export const downloadConversations = streamVerb(
  {
    name: "conversations.download",
    summary: "Download the list of conversations as CSV or JSON Lines, newest start first.",
    description:
      "All conversations that match the filters, which are the same as for the list. A line of `jsonl` is a conversation as the list has it. In `csv`, times are ISO 8601, `models` and `labels` are JSON arrays, costs are US dollars, and unknown values are empty.",
    capability: ["diagnostics:read", "project:data:read"],
    effect: "read",
    input: downloadConversationsInput,
    produces: LIST_MEDIA_TYPES,
    limits: { seconds: SECONDS },
  },
  async (ctx, { format, ...filters }, { signal }) =>
    listFile({
      name: "conversations",
      format,
      columns: COLUMNS,
      signal,
      read: async (page) => {
        const { conversations, pagination } = await listConversations(ctx, { ...filters, ...page });
        return { items: conversations, nextCursor: pagination.nextCursor };
      },
    }),
);
