import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";

const TABLES = [
  "traces",
  "spans",
  "span_sources",
  "conversations",
  "conversation_search",
  "conversation_messages",
  "model_calls",
  "tool_calls",
  "rule_runs",
  "occurrences",
];
/** A table this many times larger than when it was last looked at is looked at again. */
const GROWTH = 4;
const FEWEST_ROWS = 100;
const EVERY_MS = 2000;

/**
 * Gives the planner statistics while a database is young. Autovacuum looks once a minute; until then a filling table is
 * planned as if it were empty, any index that begins with the project looks as good as the primary key, and each
 * foreign-key check reads the whole project (measured: 40 times slower after a minute's ingest).
 */
export function createStatisticsRefresher() {
  let lookedAt = 0;
  return async (db: Db, now = Date.now()) => {
    if (now - lookedAt < EVERY_MS) return;
    lookedAt = now;
    const grown = await db.execute<{ name: string }>(sql`
      select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.schemaname = current_schema() and s.relname = any(${sql.param(TABLES)}::text[])
        and s.n_live_tup >= ${FEWEST_ROWS} and s.n_live_tup > ${GROWTH} * greatest(c.reltuples, 0)`);
    for (const { name } of grown) await db.execute(sql`analyze ${sql.identifier(name)}`);
  };
}
