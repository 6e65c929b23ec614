import { and, type SQL, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Position } from "@/server/platform/cursor";

/** As the database's function `search_keys` has it. */
const DAY_MS = 86_400_000;

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

/** That the conversation of the row at hand has these terms. */
export const hasTerms = (terms: readonly string[]): SQL => sql`exists (
  select 1 from conversation_search s
  where s.project_id = ${conversations.projectId} and s.conversation_id = ${conversations.id}
    and s.terms @> ${sql.param([...terms])}::text[])`;

/**
 * The ids of the newest conversations with these terms, as an array. It walks back through the days on which the project
 * has conversations, asks the index for each day, and stops at enough: a word of everything is found within a day, one of
 * nothing costs a look a day. No estimate of how common a word is decides between the two.
 */
export function searchConversations({ projectId, terms, narrowed, position, limit, ...time }: Search): SQL {
  const before = Math.min(
    time.startedBefore ?? Number.MAX_SAFE_INTEGER,
    (position?.[0] ?? Number.MAX_SAFE_INTEGER - 1) + 1,
  );
  const dayBefore = (until: SQL) => sql`(
    select started_at / ${DAY_MS}::bigint from conversations
    where project_id = ${projectId} and started_at < ${until} and started_at >= ${time.startedAfter ?? 0}::bigint
    order by started_at desc, id desc limit 1)`;
  const within = and(
    sql`s.project_id = ${projectId}`,
    sql`s.started_at < ${before}::bigint`,
    time.startedAfter === undefined ? undefined : sql`s.started_at >= ${time.startedAfter}::bigint`,
    position && sql`(s.started_at, s.conversation_id) < (${position[0]}::bigint, ${position[1]}::text)`,
    // One look a row: joined, each day would read all that is asked for of the project.
    narrowed &&
      sql`(
      select ${narrowed} from ${conversations}
      where ${conversations.projectId} = s.project_id and ${conversations.id} = s.conversation_id)`,
  );
  // OFFSET 0 keeps the two apart: the index finds a day's terms, and what else is asked is asked of those rows.
  return sql`array(
    with recursive day(number) as (
      select ${dayBefore(sql`${before}::bigint`)}
      union all
      select ${dayBefore(sql`day.number * ${DAY_MS}::bigint`)} from day where day.number is not null
    )
    select found.conversation_id from day cross join lateral (
      select s.conversation_id from (
        select project_id, conversation_id, started_at from conversation_search
        where search_keys(project_id, started_at, terms)
          @> search_keys(${projectId}, day.number * ${DAY_MS}::bigint, ${sql.param([...terms])}::text[])
        offset 0
      ) s
      where ${within}
      order by s.started_at desc, s.conversation_id desc limit ${limit}
    ) found
    where day.number is not null limit ${limit})`;
}
