import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";

/** Every table of the schema with rows that have this text in any column, and how many. */
export async function tablesNaming(db: Db, text: string): Promise<Record<string, number>> {
  const tables = await db.execute<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`);
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await db.execute<{ count: number }>(
      sql`select count(*)::int as count from ${sql.identifier(name)} t where position(${text}::text in t::text) > 0`,
    );
    if (row && row.count > 0) found[name] = row.count;
  }
  return found;
}
