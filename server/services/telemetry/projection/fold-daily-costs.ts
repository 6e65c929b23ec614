import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";

/** Appended rows that one statement folds into totals. */
const ROWS_A_FOLD = 10_000;
const EVERY_MS = 5_000;
/** Usage names stored per row: clients invent names, and each fold rewrites the row. */
const NAMES_MAX = 500;

/** The key columns of each table besides the project, its sums, and the column with a sum per name. */
const FOLDED = {
  daily_costs: {
    keys: ["day", "model", "provider", "model_price_id", "vendor"],
    sums: ["calls", "unpriced_calls", "cost"],
    named: "usage",
  },
  daily_label_costs: { keys: ["day", "label"], sums: ["calls", "unpriced_calls", "cost"], named: "usage" },
  minute_calls: {
    keys: ["minute", "model", "labels"],
    sums: ["calls", "errors", "unpriced_calls", "cost"],
    named: "durations",
  },
} as const;
type Table = keyof typeof FOLDED;
const TABLES = Object.keys(FOLDED) as Table[];

/**
 * Folds rows that writers appended to the daily costs and to the calls by minute into one row per key, and deletes rows that
 * sum to zero. The sum of all rows is preserved, except for the smallest figures of a row with more than 500 usage names. Only
 * one process folds at a time; in others it is a no-op. Returns the number of appended rows folded.
 */
export const foldDailyCosts = (database: Db): Promise<number> =>
  database.transaction(async (tx) => {
    const [lock] = await tx.execute<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('fold daily costs', 0)) as mine`,
    );
    if (!lock?.mine) return 0;
    let folded = 0;
    for (const table of TABLES) folded += await fold(tx, table);
    return folded;
  });

async function fold(tx: Db, name: Table): Promise<number> {
  const table = sql.identifier(name);
  const { keys, sums, named } = FOLDED[name];
  const columns = ["project_id", ...keys];
  const key = sql.raw(columns.join(", "));
  const sameKey = sql.raw(columns.map((column) => `d.${column} = k.${column}`).join(" and "));
  const sumNames = sql.raw(sums.join(", "));
  const summed = sql.raw(sums.map((column) => `sum(${column}) as ${column}`).join(", "));
  const isAny = sql.raw(sums.map((column) => `p.${column} <> 0`).join(" or "));
  const names = sql.raw(named);
  const [row] = await tx.execute<{ folded: number }>(sql`
    with unfolded as materialized (
      select id, ${key} from ${table} where not folded order by id limit ${ROWS_A_FOLD} for update skip locked
    ),
    taken as (
      delete from ${table} d using unfolded u
      where d.project_id = u.project_id and d.id = u.id
      returning d.*
    ),
    joined as (
      delete from ${table} d using (select distinct ${key} from unfolded) k
      where d.folded and ${sameKey}
      returning d.*
    ),
    parts as (select * from taken union all select * from joined),
    units as (
      select ${key}, jsonb_object_agg(bucket, units) as ${names} from (
        select ${key}, u.key as bucket, sum(u.value::numeric) as units,
               row_number() over (partition by ${key} order by sum(u.value::numeric) desc, u.key) as place
        from parts, jsonb_each_text(${names}) u group by ${key}, u.key having sum(u.value::numeric) <> 0
      ) b where place <= ${NAMES_MAX} group by ${key}
    ),
    made as (
      insert into ${table} (${key}, ${sumNames}, ${names}, folded)
      select p.*, coalesce(u.${names}, '{}'), true
      from (select ${key}, ${summed} from parts group by ${key}) p left join units u using (${key})
      where ${isAny} or u.${names} is not null
    )
    select count(*)::int as folded from taken`);
  return row?.folded ?? 0;
}

/** Returns a throttled `foldDailyCosts`, for a loop that calls it often. */
export function createThrottledFold() {
  let foldedAt = 0;
  return async (db: Db, now = Date.now()) => {
    if (now - foldedAt < EVERY_MS) return;
    foldedAt = now;
    // Readers also sum rows that are not folded, so a failure must not hold up conversations.
    const folded = await foldDailyCosts(db).catch((error: unknown) => {
      logger("projector").warn({ err: loggable(error) }, "Folding the daily costs failed; retrying.");
      return 0;
    });
    // More rows than one fold takes: continue without the delay.
    if (folded >= ROWS_A_FOLD) foldedAt = 0;
  };
}
