import { readFileSync } from "node:fs";
import path from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { applyFunctions, changedFunctions } from "./apply-functions";

/** Arbitrary advisory-lock key: processes that start together migrate one after the other. */
export const MIGRATION_LOCK = 7_231_004_117;

/** Migrations and functions, read from disk when a database is prepared. */
export const SOURCES = { migrations: path.resolve("db/migrations"), functions: path.resolve("db/functions") };

/** Thrown for a database that a later version of the code has migrated. */
export class NewerDatabaseError extends Error {
  override name = "NewerDatabaseError";
}

/** Brings the database to the code's schema and functions; does nothing when it is up to date. */
export async function migrateDatabase(url: string, sources = SOURCES) {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const [newest, applied] = [newestMigration(sources.migrations), await newestApplied(sql)];
    if (applied > newest) {
      throw new NewerDatabaseError(
        "The database was written by a newer version of Whetstone. Update this installation, or restore the backup that was made before the update.",
      );
    }
    if (applied < newest) await migrate(drizzle(sql), { migrationsFolder: sources.migrations });
    const changed = await changedFunctions(sql, sources.functions);
    if (changed.length > 0) await sql.begin((tx) => applyFunctions(tx, changed));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function newestMigration(folder: string) {
  const journal = JSON.parse(readFileSync(path.join(folder, "meta/_journal.json"), "utf8")) as {
    entries: { when: number }[];
  };
  return Math.max(0, ...journal.entries.map(({ when }) => when));
}

/** Returns the creation time of the last applied migration in Unix ms; 0 before the first. */
async function newestApplied(sql: postgres.Sql) {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (!table?.name) return 0;
  const [row] = await sql`select coalesce(max(created_at), 0)::float8 as newest from drizzle.__drizzle_migrations`;
  return Number(row?.newest);
}
