import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { keyOfExternalId } from "../ingest/conversation-key";
import { summaryColumns, summaryOf } from "../projection/summary-row";
import { conversationsReply, listConversationsInput } from "../schemas";
import { hasTerms, searchConversations } from "./search-conversations";
import { termsOf } from "./search-terms";

export const listConversations = verb(
  {
    name: "conversations.list",
    summary: "List conversations, newest start first.",
    description:
      "`startedAfter` is inclusive, `startedBefore` exclusive (Unix ms). `q` finds conversations whose messages contain all of its words. `model` is a model name as reported in the response. `label` is one of the conversation's labels: tags on any of its spans (`langfuse.trace.tags`, `tag.tags` and others), or labels that people added.",
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

    const narrowed = and(
      someOrNone("finding_count", filters.hasFindings),
      someOrNone("error_count", filters.hasErrors),
    );
    const { externalId, userId, startedAfter, startedBefore } = filters;
    const terms = termsOf({
      texts: filters.q === undefined ? [] : [filters.q],
      models: filters.model === undefined ? [] : [filters.model],
      labels: filters.label === undefined ? [] : [filters.label],
    });
    // The client's own id matches one conversation at most: the search index is not needed.
    const byTerms = terms.length > 0 && externalId === undefined;
    const rows = await ctx.db
      .select(summaryColumns)
      .from(conversations)
      .where(
        and(
          eq(conversations.projectId, ctx.projectId),
          byTerms
            ? sql`${conversations.id} = any(${searchConversations({
                projectId: ctx.projectId,
                terms: [...terms, ...termsOf({ userId })],
                startedAfter,
                startedBefore,
                position: list.position,
                narrowed,
                limit: list.fetch,
              })})`
            : and(
                externalId === undefined ? undefined : eq(conversations.key, keyOfExternalId(externalId)),
                userId === undefined ? undefined : eq(conversations.userId, userId),
                startedAfter === undefined ? undefined : gte(conversations.startedAt, startedAfter),
                startedBefore === undefined ? undefined : lt(conversations.startedAt, startedBefore),
                terms.length === 0 ? undefined : hasTerms(terms),
                narrowed,
                list.after,
              ),
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);

    const { rows: shown, nextCursor } = list.page(rows, (row) => [row.startedAt, row.id]);
    return { conversations: shown.map(summaryOf), pagination: { limit, nextCursor } };
  },
);

/** Filters by whether a count is above zero. Inlined as text, because a generic plan with a parameter cannot use a partial index. */
const someOrNone = (count: "finding_count" | "error_count", wanted: boolean | undefined): SQL | undefined =>
  wanted === undefined ? undefined : sql.raw(`conversations.${count} ${wanted ? ">" : "="} 0`);
