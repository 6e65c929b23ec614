import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";

/** Appended rows that one statement folds. */
const ROWS_A_FOLD = 10_000;
const EVERY_MS = 5_000;

/**
 * Adds up what writers have appended to the days' costs, into one row a key; what comes to nothing goes. The sum of all
 * rows is the same before and after. One process at a time; others have nothing to do meanwhile.
 */
export const foldDailyCosts = (database: Db): Promise<number> =>
  database.transaction(async (tx) => {
    const [lock] = await tx.execute<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('fold daily costs', 0)) as mine`,
    );
    if (!lock?.mine) return 0;
    const [row] = await tx.execute<{ folded: number }>(sql`
      with loose as materialized (
        select project_id, id, day, model, provider, model_price_id, vendor from daily_costs
        where not folded order by id limit ${ROWS_A_FOLD} for update skip locked
      ),
      taken as (
        delete from daily_costs d using loose l
        where d.project_id = l.project_id and d.id = l.id
        returning d.*
      ),
      joined as (
        delete from daily_costs d
        using (select distinct project_id, day, model, provider, model_price_id, vendor from loose) k
        where d.folded and d.project_id = k.project_id and d.day = k.day and d.model = k.model and d.provider = k.provider
          and d.model_price_id = k.model_price_id and d.vendor = k.vendor
        returning d.*
      ),
      parts as (select * from taken union all select * from joined),
      units as (
        select project_id, day, model, provider, model_price_id, vendor, jsonb_object_agg(bucket, units) as usage from (
          select project_id, day, model, provider, model_price_id, vendor, u.key as bucket, sum(u.value::numeric) as units
          from parts, jsonb_each_text(usage) u group by 1, 2, 3, 4, 5, 6, 7 having sum(u.value::numeric) <> 0
        ) b group by 1, 2, 3, 4, 5, 6
      ),
      made as (
        insert into daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage, folded)
        select p.*, coalesce(u.usage, '{}'), true
        from (
          select project_id, day, model, provider, model_price_id, vendor, sum(calls) as calls,
                 sum(unpriced_calls) as unpriced_calls, sum(cost) as cost
          from parts group by 1, 2, 3, 4, 5, 6
        ) p left join units u using (project_id, day, model, provider, model_price_id, vendor)
        where p.calls <> 0 or p.unpriced_calls <> 0 or p.cost <> 0 or u.usage is not null
      )
      select count(*)::int as folded from taken`);
    return row?.folded ?? 0;
  });

/** For a loop that comes by often. */
export function createDailyCostsFolder() {
  let foldedAt = 0;
  return async (db: Db, now = Date.now()) => {
    if (now - foldedAt < EVERY_MS) return;
    foldedAt = now;
    // What is not folded is summed all the same: no reason to hold up conversations.
    await foldDailyCosts(db).catch((error: unknown) => {
      logger("projector").warn({ err: loggable(error) }, "The days' costs were not folded; trying again.");
    });
  };
}
