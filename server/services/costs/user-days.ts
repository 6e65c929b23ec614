import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { inDays } from "./daily-costs";

/** A day is recounted once nothing has changed it for this long, not after each batch of its calls. */
const SETTLED_MS = MINUTE_MS;

type Range = { from: number; to: number };

/** A subquery with the columns of a daily table, and the CTEs that it reads, so that a statement may name it twice. */
type UserCosts = { ctes: SQL; table: SQL };

/** Returns the model calls of some days with the columns of a daily table. A user is known only from the call's conversation. */
const callsOf = (projectId: string, days: SQL) => sql`
  select d.day, coalesce(c.user_id, '') as user_id, 1 as calls, (m.cost_total is null)::int as unpriced_calls,
         coalesce(m.cost_total, 0) as cost, case jsonb_typeof(m.usage) when 'object' then m.usage else '{}' end as usage
  from ${days} d
  join model_calls m on m.project_id = ${projectId} and m.started_at >= d.day and m.started_at < d.day + ${DAY_MS}::bigint
  join conversations c on c.project_id = m.project_id and c.id = m.conversation_id`;

/**
 * Returns a range's sums by day and user: as last counted, or, on days that changed since, its calls one by one. Either way
 * they are those of the calls that the statement sees.
 */
export function costsByUser(ctx: Ctx, range: Range): UserCosts {
  const mine = inDays(ctx, range);
  const columns = sql`d.calls, d.unpriced_calls, d.cost, d.usage`;
  return {
    ctes: sql`
      stale as materialized (select distinct d.day from stale_user_days d where ${mine}),
      changed as materialized (${callsOf(ctx.projectId, sql`stale`)}),`,
    table: sql`(
      select d.day, d.user_id, ${columns} from daily_user_costs d where ${mine} and d.day not in (select day from stale)
      union all select * from changed
      -- A day without users is not stored again.
      union all select d.day, '', ${columns} from daily_costs d
      where ${mine} and d.day not in (select day from stale)
        and not exists (select 1 from daily_user_costs u where u.project_id = d.project_id and u.day = d.day))`,
  };
}

/** Returns how many calls of a range `costsByUser` reads one by one. */
export async function countStaleCalls(ctx: Ctx, range: Range): Promise<number> {
  const [row] = await ctx.db.execute<{ calls: number }>(sql`
    select coalesce(sum(d.calls), 0)::float8 as calls from daily_costs d where ${inDays(ctx, range)}
      and d.day in (select s.day from stale_user_days s where s.project_id = d.project_id)`);
  return row?.calls ?? 0;
}

/**
 * Recounts settled days by user for about `forMs`, each in a transaction of its own. Only one process does at a time; in others
 * it is a no-op. Returns how many days were recounted.
 */
export async function recountUserDays(
  db: Db,
  { forMs, settledMs = SETTLED_MS }: { forMs: number; settledMs?: number },
): Promise<{ days: number }> {
  const until = performance.now() + forMs;
  // One mark keeps a day stale. Those of transactions that have yet to commit are not seen, and stay.
  await db.execute(sql`
    delete from stale_user_days s using (
      select project_id, day, max(id) as newest from stale_user_days group by project_id, day having count(*) > 1
    ) m where s.project_id = m.project_id and s.day = m.day and s.id < m.newest`);
  const settled = await db.execute<{ project_id: string; day: string }>(sql`
    select project_id, day from stale_user_days
    group by project_id, day having max(changed_at) <= ${NOW} - ${settledMs}::bigint order by project_id, day`);
  let days = 0;
  for (const { project_id: projectId, day } of settled) {
    if (!(await db.transaction((tx) => recount(tx, projectId, day)))) break;
    days++;
    if (performance.now() > until) break;
  }
  return { days };
}

/** Returns false while another process recounts. */
async function recount(tx: Db, projectId: string, day: string): Promise<boolean> {
  const [lock] = await tx.execute<{ mine: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended('recount user days', 0)) as mine`,
  );
  if (!lock?.mine) return false;
  await tx.execute(sql`delete from daily_user_costs where project_id = ${projectId} and day = ${day}::bigint`);
  // One statement, so that the marks that it removes are of changes that it counts.
  await tx.execute(sql`
    with counted as (
      delete from stale_user_days where project_id = ${projectId} and day = ${day}::bigint
    ),
    calls as materialized (${callsOf(projectId, sql`(select ${day}::bigint as day)`)}),
    units as (
      select user_id, jsonb_object_agg(bucket, units) as usage from (
        select user_id, u.key as bucket, sum(u.value::numeric) as units
        from calls, jsonb_each_text(usage) u group by 1, 2 having sum(u.value::numeric) <> 0
      ) b group by 1
    )
    insert into daily_user_costs (project_id, day, user_id, calls, unpriced_calls, cost, usage)
    select ${projectId}, ${day}::bigint, s.*, coalesce(u.usage, '{}')
    from (select user_id, sum(calls), sum(unpriced_calls), sum(cost) from calls group by user_id) s
    left join units u using (user_id)
    where exists (select 1 from calls where user_id <> '')`);
  return true;
}

/** Deletes what was counted for a user whose calls are deleted. The deletion has marked their days, which readers sum from the calls. */
export async function forgetUserCosts({ db, projectId }: Ctx, userId: string): Promise<{ daily_user_costs: number }> {
  const gone = await db.execute(sql`
    delete from daily_user_costs where project_id = ${projectId} and user_id = ${userId}
      and day in (select day from stale_user_days where project_id = ${projectId}) returning 1`);
  return { daily_user_costs: gone.length };
}
