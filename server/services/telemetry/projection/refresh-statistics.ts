import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import {
  contentChunks,
  contentParts,
  conversationMessages,
  conversationSearch,
  conversations,
  modelCalls,
  occurrences,
  ruleRuns,
  spanSources,
  spans,
  toolCalls,
  traces,
} from "@/db/schema";

const TABLES = [
  traces,
  spans,
  spanSources,
  contentChunks,
  contentParts,
  conversations,
  conversationSearch,
  conversationMessages,
  modelCalls,
  toolCalls,
  ruleRuns,
  occurrences,
];
/** Tables that grew by this factor since they were last analysed are analysed again. */
const GROWTH = 4;
const MIN_ROWS = 100;
const EVERY_MS = 2000;
/**
 * Rows sampled, in units of 300: a tenth of PostgreSQL's default, since these statistics only tell a full table from an empty
 * one until autovacuum replaces them. Sampling conversations of half a gigabyte took two seconds.
 */
const STATISTICS_TARGET = 10;

/** Content is long to read and compare (two thirds of the time for `model_calls`), and no statement selects rows by it. */
const hasStatistics = (column: PgColumn) => column.getSQLType() !== "jsonb";
const analyze = (table: PgTable): SQL => {
  const columns = Object.values<PgColumn>(getTableColumns(table)).filter(hasStatistics);
  return sql`analyze ${table} (${sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  )})`;
};
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
      where s.schemaname = current_schema() and s.relname = any(${sql.param(TABLES.map(getTableName))}::text[])
        and s.n_live_tup >= ${MIN_ROWS} and s.n_live_tup > ${GROWTH} * greatest(c.reltuples, 0)`);
    const names = new Set([...grown].map(({ name }) => name));
    for (const table of TABLES) {
      if (!names.has(getTableName(table))) continue;
      await db.transaction(async (tx) => {
        await tx.execute(sql`set local default_statistics_target = ${sql.raw(String(STATISTICS_TARGET))}`);
        await tx.execute(analyze(table));
      });
    }
  };
}
