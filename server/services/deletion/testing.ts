import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { tablesExpiring, tablesRetainingIds } from "@/db/deletion-registry";
import { fileStore } from "@/server/platform/files";

/** Returns the number of rows that contain this text in any column, by table; tables without such rows are left out. */
export async function tablesNaming(db: Db, text: string): Promise<Record<string, number>> {
  // Not the information schema, which omits tables that the application may not read.
  const tables = await db.execute<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`);
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await db.execute<{ count: number }>(
      sql`select count(*)::int as count from ${sql.identifier(name)} t where position(${text}::text in t::text) > 0`,
    );
    if (row && row.count > 0) found[name] = row.count;
  }
  return found;
}

/** Returns the same for an erased id, without the tables where the registry says that ids stay or expire. */
export async function tablesStillNaming(db: Db, id: string, of: "conversation" | "person" = "conversation") {
  const left: readonly string[] = [...tablesRetainingIds(of), ...tablesExpiring(of)];
  return Object.fromEntries(Object.entries(await tablesNaming(db, id)).filter(([table]) => !left.includes(table)));
}

/** Returns the keys of all files in the store, of any project, that contain this text. */
export async function filesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const project of fileStore().projects())
    for await (const { key } of fileStore().list(`${project}/`)) {
      const content = Buffer.concat(await (await fileStore().read(key)).toArray());
      if (content.includes(text)) found.push(key);
    }
  return found;
}
