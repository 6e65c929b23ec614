import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { prepareApplicationRole } from "../application-role";
import { migrateDatabase } from "../migrate";

const server = () => {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error("TEST_DATABASE_URL is not set: run `npm test`, which starts a database for the tests.");
  return url;
};

/** The product's role in tests: unprivileged, so that missing grants fail here first. */
const APPLICATION = { name: "whetstone_test_app", password: "app" };

const sqlFilesIn = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .map((file) => `${folder}/${file}`);

/** One template per state of the migrations, functions and grants, so that a stale copy is never reused. */
export const TEMPLATE = `whetstone_template_${createHash("sha256")
  .update(
    [
      ...sqlFilesIn("db/migrations"),
      ...sqlFilesIn("db/functions"),
      "db/migrations/meta/_journal.json",
      "db/application-role.ts",
    ]
      .map((file) => readFileSync(file, "utf8"))
      .join("\n"),
  )
  .digest("hex")
  .slice(0, 12)}`;
export const urlOf = (database: string) => Object.assign(new URL(server()), { pathname: `/${database}` }).href;
/** The same database, as the application role. */
export const applicationUrlOf = (database: string) =>
  Object.assign(new URL(urlOf(database)), { username: APPLICATION.name, password: APPLICATION.password }).href;
export const onServer = <T>(work: (sql: postgres.Sql) => Promise<T>) => {
  const sql = postgres(server(), { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end());
};

/** Vitest globalSetup: migrates once; every test file then copies the template. */
export default async function setup() {
  const [exists] = await onServer((sql) => sql`select 1 from pg_database where datname = ${TEMPLATE}`);
  if (exists) return;
  await onServer((sql) => sql.unsafe(`create database ${TEMPLATE}_new`).catch(() => {}));
  await migrateDatabase(urlOf(`${TEMPLATE}_new`));
  const owner = postgres(urlOf(`${TEMPLATE}_new`), { max: 1, onnotice: () => {} });
  await prepareApplicationRole(owner, { ...APPLICATION, ours: false }).finally(() => owner.end());
  await onServer((sql) => sql.unsafe(`alter database ${TEMPLATE}_new rename to ${TEMPLATE}`));
}
