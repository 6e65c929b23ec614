import { and, type SQL, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Position } from "@/server/platform/cursor";

/** As the database's function `search_keys` has it. */
const DAY_MS = 86_400_000;
/** The newest conversations, which are looked at one by one before an index is asked. */
const NEWEST = 100;
/** How many of them where one of those has the terms, so that others are likely to. */
const NEWEST_OF_COMMON = 1000;

type Search = {
  projectId: string;
  /** A conversation has to have all of them. */
  terms: readonly string[];
  startedAfter: number | undefined;
  startedBefore: number | undefined;
  /** Where the page before ended. */
  position: Position | undefined;
  /** More that is asked of a conversation. */
  narrowed: SQL | undefined;
  limit: number;
};

/** That the conversation of the row at hand has these terms. OFFSET 0: one look a row, where a join could read all of the project. */
export const hasTerms = (terms: readonly string[]): SQL => sql`exists (
  select 1 from conversation_search s
  where s.project_id = ${conversations.projectId} and s.conversation_id = ${conversations.id}
    and s.terms @> ${sql.param([...terms])}::text[] offset 0)`;

/**
 * The ids of the newest conversations with these terms, as an array. First it looks at the newest conversations one by one:
 * a word of everything is found there, and on a busy day its index entries are many. What is missing then it looks for day by
 * day, back through the days on which the project has conversations: each by the index, until there is enough. A word of
 * nothing costs a look a day. No estimate of how common a word is decides between the two.
 */
export function searchConversations({ projectId, terms, narrowed, position, limit, ...time }: Search): SQL {
  const before = Math.min(
    time.startedBefore ?? Number.MAX_SAFE_INTEGER,
    (position?.[0] ?? Number.MAX_SAFE_INTEGER - 1) + 1,
  );
  const wanted = sql`${sql.param([...terms])}::text[]`;
  // The LIMIT is part of the text: of a parameter, a plan for any values would think that it takes a tenth of the project.
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
  const asked = (id: SQL) =>
    narrowed &&
    sql`(
      select ${narrowed} from ${conversations} where ${conversations.projectId} = ${projectId} and ${conversations.id} = ${id})`;
  // OFFSET 0 keeps what the index finds apart from what else is asked of those rows.
  return sql`array(
    with recursive near as materialized (${newest(NEWEST)}),
    far as materialized (
      ${newest(NEWEST_OF_COMMON)}
      where (select count(*) filter (where has) between 1 and ${limit}::int - 1 from near)
    ),
    seen as materialized (select * from far union all select * from near where not exists (select 1 from far)),
    common as materialized (
      select id from seen where ${and(sql`has`, asked(sql`seen.id`))} order by started_at desc, id desc limit ${limit}
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
          where search_keys(project_id, started_at, terms)
            @> search_keys(${projectId}, day.number * ${DAY_MS}::bigint, ${wanted})
          offset 0
        ) s
        where ${and(
          sql`s.project_id = ${projectId}`,
          sql`(s.started_at, s.conversation_id) < (last.started_at, last.id)`,
          time.startedAfter === undefined ? undefined : sql`s.started_at >= ${time.startedAfter}::bigint`,
          asked(sql`s.conversation_id`),
        )}
        order by s.started_at desc, s.conversation_id desc limit ${limit}
      ) found
      where day.number is not null limit ${limit}
    ))`;
}
