import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";

const TABLES = [
  "traces",
  "spans",
  "span_sources",
  "content_chunks",
  "content_parts",
  "conversations",
  "conversation_search",
  "conversation_messages",
  "model_calls",
  "tool_calls",
  "rule_runs",
  "occurrences",
];
/** Tables that grew by this factor since they were last analysed are analysed again. */
const GROWTH = 4;
const MIN_ROWS = 100;
const EVERY_MS = 2000;

/**
 * Returns a throttled function that analyses fast-growing tables of a young database. Autovacuum runs once a minute; until
 * then the planner assumes an empty table, any index that starts with the project looks as good as the primary key, and each
 * foreign-key check reads the whole project (measured: 40 times slower after a minute of ingest).
 */
export function createStatisticsRefresher() {
  let lookedAt = 0;
  return async (db: Db, now = Date.now()) => {
    if (now - lookedAt < EVERY_MS) return;
    lookedAt = now;
    const grown = await db.execute<{ name: string }>(sql`
      select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.schemaname = current_schema() and s.relname = any(${sql.param(TABLES)}::text[])
        and s.n_live_tup >= ${MIN_ROWS} and s.n_live_tup > ${GROWTH} * greatest(c.reltuples, 0)`);
    for (const { name } of grown) await db.execute(sql`analyze ${sql.identifier(name)}`);
  };
}
