import { sql } from "drizzle-orm";
import type { TableName } from "@/db/deletion-registry";
import type { Ctx } from "@/server/platform/context";
import type { Counts } from "./deletion-receipt";

/** Deletes the project's rows from some small tables, one after the other. Returns the deleted rows by table. */
export async function deleteOfProject(tx: Ctx, tables: readonly TableName[]): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { count } = await tx.db.execute(sql`delete from ${sql.identifier(table)} where project_id = ${tx.projectId}`);
    counts[table] = count;
  }
  return counts;
}
