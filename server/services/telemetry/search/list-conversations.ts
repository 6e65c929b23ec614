import { and, eq, gte, isNotNull, isNull, lt, not, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { z } from "zod";
import { isOneOf } from "@/db/rows";
import { conversations, feedback, occurrences } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { byTime, type Position } from "@/server/platform/cursor";
import { SORTED_MAX } from "@/server/platform/schemas";
import { inOrderOf, sortedPage } from "@/server/platform/sorted-page";
import { verb } from "@/server/platform/verb";
import { keyOfExternalId, matchesConversationId } from "../ingest/conversation-key";
import { summaryColumns, summaryOf } from "../projection/summary-row";
import {
  CONVERSATION_TRAITS,
  type ConversationSort,
  type conversationFilters,
  conversationsReply,
  listConversationsInput,
} from "../schemas";
import { NEWEST, SORTS } from "./conversation-sorts";
import { hasAny, hasTerms, searchConversations, type Terms } from "./search-conversations";
import { searchMatches } from "./search-matches";
import { searchTermsOf, termsOf, traitTerms } from "./search-terms";

type Input = Omit<z.output<typeof listConversationsInput>, "sort">;
export type ConversationFilters = z.output<typeof conversationFilters>;

export const listConversations = verb(
  {
    name: "conversations.list",
    summary: "List conversations, by default newest start first.",
    description: `\`startedAfter\` is inclusive, \`startedBefore\` exclusive (Unix ms). \`q\` finds conversations whose messages contain all of its words or, if it has only symbols such as \`%\`, all of those, and the one whose id it is (Whetstone's or the client's); \`match\` is where the longest of the words, or the symbols, occur, if in the first 60 messages. \`model\` is a model name as reported in the response, \`label\` one of the conversation's labels; if several are given, any of them matches. \`hasUser=false\` finds conversations for which the client sent no user, \`findingId\` those in which a Finding occurred, \`hasFeedback\` those on which users gave feedback, \`hasThumbsDown\` those with a thumbs down. \`provider\`, \`version\`, \`tool\` and \`prompt\` are values that the facets list; conversations that an earlier release stored have them once they were read again in the background. \`minCost\` and \`maxCost\` (US dollars) and \`minDurationMs\` and \`maxDurationMs\` are inclusive; a conversation without a known cost is in no range of costs. Labels are tags on any of its spans (\`langfuse.trace.tags\`, \`tag.tags\` and others), or labels that people added. \`sort\` and \`order\` (\`desc\` or \`asc\`) order the list; conversations whose cost or tokens are unknown come last in both directions. By anything but \`started\` together with a filter, the newest ${SORTED_MAX.toLocaleString("en")} matching conversations are sorted: \`sampled\` is \`true\` if more match.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: listConversationsInput,
    reply: conversationsReply,
  },
  // A search finds the newest first.
  async (ctx, { sort, ...input }) => {
    const byStart = sort === "started" && (input.order === "desc" || !isSearch(input));
    const { conversations: found, ...reply } = await (byStart ? listByStart(ctx, input) : listSorted(ctx, sort, input));
    const ids = found.map(({ id }) => id);
    const matches = input.q === undefined ? undefined : await searchMatches(ctx, ids, input.q);
    return { conversations: found.map((one) => ({ ...one, match: matches?.get(one.id) ?? null })), ...reply };
  },
);

const isSearch = (filters: ConversationFilters) => hasAny(searchedFor(filters).terms);

async function listByStart(ctx: Ctx, { limit, cursor, order, ...filters }: Input) {
  const list = byTime({
    name: "conversations",
    filters: { project: ctx.projectId, ...filters },
    time: conversations.startedAt,
    id: conversations.id,
    order,
    limit,
    cursor,
  });
  const rows = await ctx.db
    .select(summaryColumns)
    .from(conversations)
    .where(and(matchingConversations(ctx, filters, { position: list.position, limit: list.fetch }), list.after))
    .orderBy(...list.order)
    .limit(list.fetch);
  const { rows: shown, nextCursor } = list.page(rows, (row) => [row.startedAt, row.id]);
  return { conversations: shown.map(summaryOf), sampled: false, pagination: { limit, nextCursor } };
}

async function listSorted(ctx: Ctx, sort: ConversationSort, { limit, cursor, order, ...filters }: Input) {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const { ids, nextCursor, sampled } = await sortedPage(ctx.db, {
    name: "conversations",
    filters: { project: ctx.projectId, ...filters },
    table: conversations,
    id: conversations.id,
    where: matchingConversations(ctx, filters, { position: undefined, limit: SORTED_MAX + 1 }),
    sort,
    key: SORTS[sort],
    order,
    among: isFiltered ? NEWEST : undefined,
    limit,
    cursor,
  });
  const rows = await ctx.db
    .select(summaryColumns)
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), isOneOf(conversations.id, ids)));
  return { conversations: inOrderOf(ids, rows).map(summaryOf), sampled, pagination: { limit, nextCursor } };
}

/** Condition: a conversation of the project that matches the filters. A search returns its newest `limit` from `position` on. */
export function matchingConversations(
  { projectId }: Pick<Ctx, "projectId">,
  filters: ConversationFilters,
  { position, limit }: { position: Position | undefined; limit: number },
): SQL | undefined {
  const narrowed = narrowedBy(filters);
  const { externalId, userId, startedAfter, startedBefore } = filters;
  const { terms, hasId } = searchedFor(filters);
  const rest = [
    eq(conversations.projectId, projectId),
    userId === undefined ? undefined : eq(conversations.userId, userId),
    startedAfter === undefined ? undefined : gte(conversations.startedAt, startedAfter),
    startedBefore === undefined ? undefined : lt(conversations.startedAt, startedBefore),
    narrowed,
  ];
  // The client's own id matches one conversation at most: the search index is not needed.
  if (hasAny(terms) && externalId === undefined) {
    const found = searchConversations({
      projectId,
      terms: { ...terms, all: [...terms.all, ...termsOf({ userId })] },
      startedAfter,
      startedBefore,
      position,
      narrowed,
      limit,
    });
    const named = hasId && sql` || array(select id from ${conversations} where ${and(...rest, hasId)})`;
    return and(eq(conversations.projectId, projectId), sql`${conversations.id} = any(${found}${named ?? sql``})`);
  }
  return and(
    ...rest,
    externalId === undefined ? undefined : eq(conversations.key, keyOfExternalId(externalId)),
    hasAny(terms) ? hasTerms(terms) : undefined,
  );
}

/** Returns the terms of a search, and the condition for the conversation whose id is searched for. */
export function searchedFor({ q, model, label, ...filters }: ConversationFilters) {
  const chosen = [
    termsOf({ models: model ?? [] }),
    termsOf({ labels: label ?? [] }),
    ...CONVERSATION_TRAITS.map((dimension) => traitTerms(dimension, filters[dimension] ?? [])),
  ];
  const others: Terms = {
    all: chosen.flatMap((terms) => (terms.length === 1 ? terms : [])),
    oneOf: chosen.filter((terms) => terms.length > 1),
  };
  const id = q?.trim();
  return {
    terms: { ...others, all: [...(q === undefined ? [] : searchTermsOf(q)), ...others.all] },
    hasId: id ? and(matchesConversationId(id), hasAny(others) ? hasTerms(others) : undefined) : undefined,
  };
}

/** Returns the filters that are conditions on the conversation itself. */
export const narrowedBy = (filters: ConversationFilters): SQL | undefined => {
  const { hasFindings, findingId, hasErrors, hasUser, hasFeedback, hasThumbsDown } = filters;
  return and(
    someOrNone("finding_count", hasFindings),
    findingId === undefined
      ? undefined
      : sql`exists (
          select 1 from ${occurrences} o
          where o.project_id = ${conversations.projectId} and o.finding_id = ${findingId}
            and o.conversation_id = ${conversations.id})`,
    someOrNone("error_count", hasErrors),
    hasUser === undefined ? undefined : (hasUser ? isNotNull : isNull)(conversations.userId),
    hasFeedback === undefined ? undefined : hasFeedback ? HAS_FEEDBACK : not(HAS_FEEDBACK),
    hasThumbsDown === undefined ? undefined : hasThumbsDown ? HAS_THUMBS_DOWN : not(HAS_THUMBS_DOWN),
    within(conversations.cost, filters.minCost, filters.maxCost, "numeric"),
    within(SORTS.duration.by, filters.minDurationMs, filters.maxDurationMs, "bigint"),
  );
};

const OF_USERS = sql`${feedback} f
  where f.project_id = ${conversations.projectId} and f.conversation_id = ${conversations.id} and f.given_by_user`;
const IS_THUMBS_DOWN = sql`f.kind = 'thumb' and f.value = '"down"'`;

/** Condition: users of the application gave feedback on the conversation. */
export const HAS_FEEDBACK = sql`exists (select 1 from ${OF_USERS})`;

/** Condition: a user of the application gave it, or one of its turns, a thumbs down. */
export const HAS_THUMBS_DOWN = sql`exists (select 1 from ${OF_USERS} and ${IS_THUMBS_DOWN})`;

/** Both conditions with one look at the index: whether there is a thumbs down, `null` without feedback. */
export const THUMBS_DOWN_IN_FEEDBACK = sql`(select bool_or(${IS_THUMBS_DOWN}) from ${OF_USERS})`;

/** Condition: the value, if it is known, is in a range that includes its ends. */
const within = (value: SQLWrapper, min: number | undefined, max: number | undefined, type: "numeric" | "bigint") =>
  and(
    min === undefined ? undefined : sql`${value} >= ${min}::${sql.raw(type)}`,
    max === undefined ? undefined : sql`${value} <= ${max}::${sql.raw(type)}`,
  );

/** Filters by whether a count is above zero. Inlined as text, because a generic plan with a parameter cannot use a partial index. */
const someOrNone = (count: "finding_count" | "error_count", wanted: boolean | undefined): SQL | undefined =>
  wanted === undefined ? undefined : sql.raw(`conversations.${count} ${wanted ? ">" : "="} 0`);
