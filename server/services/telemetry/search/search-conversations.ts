import { and, type SQL, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Position } from "@/server/platform/cursor";

/** Must match the SQL function `search_keys`. */
const DAY_MS = 86_400_000;
/** Newest conversations that are scanned before the index is used. */
const NEWEST = 100;
/** Scan size once one of those matches, as more matches are then likely. */
const NEWEST_OF_COMMON = 1000;

/** A conversation must have every term of `all`, and one of each list of `oneOf`. */
export type Terms = { all: readonly string[]; oneOf: readonly (readonly string[])[] };

type Search = {
  projectId: string;
  terms: Terms;
  startedAfter: number | undefined;
  startedBefore: number | undefined;
  /** Where the previous page ended. */
  position: Position | undefined;
  /** Additional conditions on the conversation. */
  narrowed: SQL | undefined;
  limit: number;
};

/** Condition: the conversation has these terms. OFFSET 0 forces one lookup per row; a join could read the whole project. */
export const hasTerms = (terms: Terms): SQL => sql`exists (
  select 1 from conversation_search s
  where s.project_id = ${conversations.projectId} and s.conversation_id = ${conversations.id}
    and ${matchesTerms(sql`s.terms`, terms, (wanted) => wanted)} offset 0)`;

/**
 * Condition: an array has these terms, as `keyOf` writes them. An empty `all` adds no condition, because an index would be read
 * whole for it.
 */
const matchesTerms = (array: SQL, { all, oneOf }: Terms, keyOf: (terms: SQL) => SQL): SQL | undefined => {
  const keys = (terms: readonly string[]) => keyOf(sql`${sql.param([...terms])}::text[]`);
  return and(
    all.length === 0 ? undefined : sql`${array} @> ${keys(all)}`,
    ...oneOf.map((terms) => sql`${array} && ${keys(terms)}`),
  );
};

export const hasAny = ({ all, oneOf }: Terms): boolean => all.length + oneOf.length > 0;

/**
 * Returns the ids of the newest conversations with these terms, as an SQL array. Scans the newest conversations first: a
 * common word is found there, and its index entries for a busy day are many. The rest comes from the index, day by day
 * backwards over the days that have conversations, until the page is full. A word without matches costs one lookup per day.
 * The choice does not depend on an estimate of how common a word is.
 */
export function searchConversations({ projectId, terms, narrowed, position, limit, ...time }: Search): SQL {
  const before = Math.min(
    time.startedBefore ?? Number.MAX_SAFE_INTEGER,
    (position?.[0] ?? Number.MAX_SAFE_INTEGER - 1) + 1,
  );
  // LIMIT is inlined: with a parameter, a generic plan would assume a tenth of the project.
  const newest = (many: number) => sql`
    select id, started_at, ${hasTerms(terms)} as has from (
      select project_id, id, started_at from conversations
      where ${and(
        sql`project_id = ${projectId}`,
        sql`started_at < ${before}::bigint`,
        time.startedAfter === undefined ? undefined : sql`started_at >= ${time.startedAfter}::bigint`,
        position && sql`(started_at, id) < (${position[0]}::bigint, ${position[1]}::text)`,
      )}
      order by started_at desc, id desc limit ${sql.raw(String(many))}
    ) conversations`;
  const meetsConditions = (id: SQL) =>
    narrowed &&
    sql`(
      select ${narrowed} from ${conversations} where ${conversations.projectId} = ${projectId} and ${conversations.id} = ${id})`;
  // OFFSET 0 keeps the index condition apart from the other conditions.
  return sql`array(
    with recursive near as materialized (${newest(NEWEST)}),
    far as materialized (
      ${newest(NEWEST_OF_COMMON)}
      where (select count(*) filter (where has) between 1 and ${limit}::int - 1 from near)
    ),
    seen as materialized (select * from far union all select * from near where not exists (select 1 from far)),
    common as materialized (
      select id from seen where ${and(sql`has`, meetsConditions(sql`seen.id`))} order by started_at desc, id desc limit ${limit}
    ),
    last as materialized (
      select started_at, id from seen where (select count(*) from common) < ${limit} order by started_at, id limit 1
    ),
    day(number) as (
      select started_at / ${DAY_MS}::bigint from last
      union all
      select (
        select started_at / ${DAY_MS}::bigint from conversations
        where project_id = ${projectId} and started_at < day.number * ${DAY_MS}::bigint
          and started_at >= ${time.startedAfter ?? 0}::bigint
        order by started_at desc, id desc limit 1) from day where day.number is not null
    )
    select id from common
    union all (
      select found.conversation_id from day cross join last cross join lateral (
        select s.conversation_id from (
          select project_id, conversation_id, started_at from conversation_search
          where ${matchesTerms(
            sql`search_keys(project_id, started_at, terms)`,
            terms,
            (wanted) => sql`search_keys(${projectId}, day.number * ${DAY_MS}::bigint, ${wanted})`,
          )}
          offset 0
        ) s
        where ${and(
          sql`s.project_id = ${projectId}`,
          sql`(s.started_at, s.conversation_id) < (last.started_at, last.id)`,
          time.startedAfter === undefined ? undefined : sql`s.started_at >= ${time.startedAfter}::bigint`,
          meetsConditions(sql`s.conversation_id`),
        )}
        order by s.started_at desc, s.conversation_id desc limit ${limit}
      ) found
      where day.number is not null limit ${limit}
    ))`;
}
