import { and, eq, or, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { keyOfExternalId } from "../ingest/conversation-key";
import { conversationFilters, conversationHistogramReply } from "../schemas";
import { narrowedBy, searchedFor } from "./list-conversations";
import { hasAny, hasTerms } from "./search-conversations";

/** Maximum number of bars in the chart. */
const BUCKETS_MAX = 48;
/** Conversations examined per bucket, which bounds the statement whatever the filters are. */
const COUNTED = 500;

/** Bucket widths that are easy to read on a time axis. */
const WIDTHS = [
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90, 365, 3650].map((days) => days * DAY_MS),
];

export const conversationHistogram = verb(
  {
    name: "conversations.histogram",
    summary: "Count conversations over time, by start time.",
    description: `Takes the list's filters. Buckets are of one width, at most ${BUCKETS_MAX}, and cover the part of the time range that has conversations; those without any are included. A bucket counts matches among its newest ${COUNTED} conversations: \`sampled\` is \`true\` if it has more.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: conversationFilters,
    reply: conversationHistogramReply,
  },
  async (ctx, { startedAfter = 0, startedBefore = Number.MAX_SAFE_INTEGER, ...filters }) => {
    const { terms, hasId } = searchedFor(filters);
    const matches =
      and(
        filters.externalId === undefined ? undefined : eq(conversations.key, keyOfExternalId(filters.externalId)),
        filters.userId === undefined ? undefined : eq(conversations.userId, filters.userId),
        hasAny(terms) ? or(hasTerms(terms), hasId) : undefined,
        narrowedBy(filters),
      ) ?? sql`true`;
    const edge = (order: "asc" | "desc") => sql`(
      select started_at from conversations where project_id = ${ctx.projectId}
      order by started_at ${sql.raw(order)}, id ${sql.raw(order)} limit 1)`;
    const rows = await ctx.db.execute<{ from: string; width: string; count: number; seen: number }>(sql`
      with bounds as (
        select greatest(${startedAfter}::bigint, ${edge("asc")}) as first,
               least(${startedBefore}::bigint, ${edge("desc")} + 1) as last
      ),
      step as (
        select first, last, (
          select min(width) from unnest(${sql.raw(`array[${WIDTHS.join(",")}]::bigint[]`)}) width
          where width * ${BUCKETS_MAX - 1} >= last - first) as width
        from bounds where first < last
      )
      select bucket as "from", width, counted.count, counted.seen
      from step, generate_series(first / width * width, last - 1, width) bucket, lateral (
        select count(*) filter (where ${matches})::int as count, count(*)::int as seen from (
          select * from conversations
          where project_id = ${ctx.projectId}
            and started_at >= greatest(bucket, first) and started_at < least(bucket + width, last)
          order by started_at desc, id desc limit ${COUNTED + 1}
        ) conversations
      ) counted
      order by bucket`);
    return {
      width: rows[0] ? Number(rows[0].width) : null,
      buckets: rows.map(({ from, count, seen }) => ({
        from: Number(from),
        count: Math.min(count, COUNTED),
        sampled: seen > COUNTED,
      })),
    };
  },
);
