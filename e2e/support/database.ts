import postgres from "postgres";
import { dataFolder } from "../../scripts/lib/data-folder.mjs";
import { urlOf } from "../../scripts/lib/postgres.mjs";

/** The database of the running product, for what no door can do: make something old, or somebody else of a person. */
export async function inDatabase<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const { access } = dataFolder(process.env.E2E_DATA_DIR ?? "").cluster;
  const sql = postgres(urlOf(access, "whetstone"), { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
