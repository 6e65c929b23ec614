import postgres from "postgres";
import { loggable, postgresCondition } from "@/server/platform/logging/loggable";
import { prepareApplicationRole, RoleProblem, roleOf } from "./application-role";
import { migrateDatabase, NewerDatabaseError } from "./migrate";

const OLDEST_SERVER = 15;
/** SQLSTATE codes (appendix A of the PostgreSQL manual). */
const NO_SUCH_DATABASE = "3D000";
const EXISTS_ALREADY = "42P04";
const WRONG_PASSWORD = ["28P01", "28000"];
const NOT_ALLOWED = "42501";
const SQLSTATE = /^[0-9A-Z]{5}$/;
const OF_THE_SCHEMA = /^(42|3[DF])/;
const UNREACHABLE = /^(E[A-Z]{4,}|CONNECT_TIMEOUT|CONNECTION_\w+)$/;

/** A problem that is explained to the operator in one sentence. */
class DatabaseProblem extends Error {
  override name = "DatabaseProblem";
}

/** `ownerUrl`: the owner of the tables, when it is not the role that the application connects as. */
export type DatabaseUrls = { url: string; ownerUrl: string | undefined };

/**
 * Checks the server, creates the database if there is none, migrates it, and grants the application's role its privileges.
 * `embedded`: the server belongs to this installation.
 */
export async function prepareDatabase({ url, ownerUrl = url }: DatabaseUrls, { embedded = false } = {}) {
  const serverVersion = await connectOrCreate(ownerUrl);
  await migrateDatabase(ownerUrl);
  const role = roleOf(url);
  // With a single user the two URLs are two routes to the same role (a pooler's and the server's own).
  if (role.name !== roleOf(ownerUrl).name) {
    const ours = embedded && !(await logsIn(url));
    await once(ownerUrl, (sql) => prepareApplicationRole(sql, { ...role, ours }));
  }
  return { serverVersion, users: await once(url, countUsers) };
}

/** Returns whether the application can log in: the first start after an update may find no role, or a lost password. */
const logsIn = (url: string) =>
  once(url, checkVersion).then(
    () => true,
    (error: unknown) => {
      if (WRONG_PASSWORD.some((wrong) => wrong === codeOf(error))) return false;
      throw error;
    },
  );

async function connectOrCreate(url: string) {
  try {
    return await once(url, checkVersion);
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_DATABASE) throw error;
  }
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await once(Object.assign(new URL(url), { pathname: "/postgres" }).href, async (sql) => {
    await checkVersion(sql);
    await sql`create database ${sql(name)}`.catch((error: unknown) => {
      if (codeOf(error) !== EXISTS_ALREADY) throw error;
    });
  });
  return once(url, checkVersion);
}

async function checkVersion(sql: postgres.Sql) {
  const [row] =
    await sql`select current_setting('server_version') as version, current_setting('server_version_num')::int as number`;
  if (row?.number < OLDEST_SERVER * 10_000) {
    throw new DatabaseProblem(`This PostgreSQL is version ${row?.version}; Whetstone needs ${OLDEST_SERVER} or later.`);
  }
  return String(row?.version);
}

async function countUsers(sql: postgres.Sql) {
  const [row] = await sql`select count(*)::int as users from users`;
  return Number(row?.users);
}

async function once<T>(url: string, work: (sql: postgres.Sql) => Promise<T>) {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  return work(sql).finally(() => sql.end({ timeout: 1 }));
}

const codeOf = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined;
  return "code" in error ? error.code : codeOf(error.cause);
};

/** Returns what is wrong with the database and how to fix it, without its password. */
export function databaseProblem(error: unknown, url: string) {
  if (error instanceof DatabaseProblem || error instanceof NewerDatabaseError || error instanceof RoleProblem)
    return error.message;
  const { where, name } = parts(url);
  const code = codeOf(error);
  const said = saidBy(error);
  if (WRONG_PASSWORD.some((wrong) => wrong === code)) {
    return `The database at ${where} refused the user or password in DATABASE_URL (${said}).`;
  }
  if (code === NOT_ALLOWED) {
    return `The database user in DATABASE_URL lacks privileges that Whetstone needs in "${name}" (${said}). Make it the owner of the database.`;
  }
  if (typeof code === "string" && UNREACHABLE.test(code)) {
    return `Cannot reach the database at ${where} (${code}). Check DATABASE_URL, and that PostgreSQL is running at that address and accepts connections from this machine.`;
  }
  if (error instanceof Error && SQLSTATE.test(String(code))) {
    // Messages of these classes name schema objects; others may quote stored data.
    const why = OF_THE_SCHEMA.test(String(code)) ? `${said} (SQLSTATE ${code})` : (postgresCondition(error) ?? code);
    return `The database "${name}" at ${where} could not be migrated to this version of Whetstone and was left unchanged: ${why}. Does it belong to another program?`;
  }
  const safe = loggable(error);
  return safe instanceof Error ? (safe.stack ?? safe.message) : String(safe);
}

/** Returns PostgreSQL's message, which a query's wrapper error hides behind the whole query. */
const saidBy = (error: unknown): string =>
  error instanceof Error ? (error.cause === undefined ? error.message : saidBy(error.cause)) : String(error);

function parts(url: string) {
  try {
    const { host, pathname } = new URL(url);
    return { where: host, name: decodeURIComponent(pathname.slice(1)) };
  } catch {
    return { where: "DATABASE_URL", name: "" };
  }
}
