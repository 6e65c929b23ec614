import { and, type Column, eq, gt, gte, lt, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { keyOfExternalId } from "./conversation-key";
import { conversationsReply, listConversationsInput } from "./schemas";
import { wordsOf } from "./search-words";
import { summaryColumns, summaryOf } from "./summary-row";

export const listConversations = verb(
  {
    name: "conversations.list",
    summary: "List conversations, newest start first.",
    description:
      "`startedAfter` is inclusive, `startedBefore` exclusive (Unix ms). `q` finds conversations with all of its words in their messages. `model` is a model name as it was answered.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: listConversationsInput,
    reply: conversationsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const list = newestFirst({
      name: "conversations",
      filters: { project: ctx.projectId, ...filters },
      time: conversations.startedAt,
      id: conversations.id,
      limit,
      cursor,
    });

    const rows = await ctx.db
      .select(summaryColumns)
      .from(conversations)
      .where(
        and(
          eq(conversations.projectId, ctx.projectId),
          filters.externalId === undefined ? undefined : eq(conversations.key, keyOfExternalId(filters.externalId)),
          filters.userId === undefined ? undefined : eq(conversations.userId, filters.userId),
          filters.model === undefined ? undefined : sql`${conversations.models} @> array[${filters.model}]::text[]`,
          filters.startedAfter === undefined ? undefined : gte(conversations.startedAt, filters.startedAfter),
          filters.startedBefore === undefined ? undefined : lt(conversations.startedAt, filters.startedBefore),
          someOrNone(conversations.findingCount, filters.hasFindings),
          someOrNone(conversations.errorCount, filters.hasErrors),
          search(filters.q),
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);

    const { rows: shown, nextCursor } = list.page(rows, (row) => [row.startedAt, row.id]);
    return { conversations: shown.map(summaryOf), pagination: { limit, nextCursor } };
  },
);

/** Of a count: more than none, none, or either. */
const someOrNone = (count: Column, wanted: boolean | undefined) =>
  wanted === undefined ? undefined : wanted ? gt(count, 0) : eq(count, 0);

const search = (q: string | undefined) => {
  const words = q === undefined ? [] : wordsOf(q);
  return words.length > 0 ? sql`${conversations.words} @> ${sql.param(words)}::text[]` : undefined;
};
