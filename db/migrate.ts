import path from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";

/** Any number, as long as nothing else takes it: two processes that start together migrate one after the other. */
const MIGRATION_LOCK = 7_231_004_117;

/** Brings the database to the code's schema; a database that is there already is left as it is. */
export async function migrateDatabase(url: string, folder = path.resolve("db/migrations")) {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle(sql), { migrationsFolder: folder });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
