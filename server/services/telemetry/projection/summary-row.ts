import { conversations } from "@/db/schema";
import type { ConversationSummary } from "../schemas";

/** Columns of a conversation in a list. */
export const summaryColumns = {
  id: conversations.id,
  externalId: conversations.externalId,
  userId: conversations.userId,
  preview: conversations.preview,
  traceIds: conversations.traceIds,
  models: conversations.models,
  labels: conversations.labels,
  ownLabels: conversations.ownLabels,
  startedAt: conversations.startedAt,
  lastActivityAt: conversations.lastActivityAt,
  messageCount: conversations.messageCount,
  modelCallCount: conversations.modelCallCount,
  toolCallCount: conversations.toolCallCount,
  errorCount: conversations.errorCount,
  findingCount: conversations.findingCount,
  unpricedCallCount: conversations.unpricedCallCount,
  usage: conversations.usage,
  cost: conversations.cost,
};

/** Converts a row to a summary. `cost` is exact decimal text in the database and the nearest JSON number in the API. */
export const summaryOf = <Row extends { cost: string | null; unpricedCallCount: number }>(
  row: Row,
): Omit<Row, "cost"> & Pick<ConversationSummary, "cost" | "costComplete"> => ({
  ...row,
  cost: row.cost === null ? null : Number(row.cost),
  costComplete: row.unpricedCallCount === 0,
});
