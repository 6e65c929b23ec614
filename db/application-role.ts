import type postgres from "postgres";
import { MIGRATION_LOCK } from "./migrate";

/** Written once: whatever goes wrong in the application, it cannot change or remove what these tell. */
const APPEND_ONLY = ["audit_log", "account_audit_log"];
/** The first PostgreSQL in which somebody who does not own a table can be let gather its statistics. */
const HAS_MAINTAIN = 17;

/** Who asks and with what: the user and password of a database's URL. */
export const roleOf = (url: string) => {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
};

/**
 * Grants the application's role what it needs and takes away what it must not have; nothing where that is so already.
 * Asked by the owner of the tables, after each migration: tables that came with one are granted then.
 */
export async function grantToApplication(sql: postgres.Sql | postgres.TransactionSql, role: string): Promise<void> {
  if (await isGranted(sql, role)) return;
  const to = sql(role);
  await sql`grant usage on schema public to ${to}`;
  await sql`grant select, insert, update, delete on all tables in schema public to ${to}`;
  await sql`grant select, usage, update on all sequences in schema public to ${to}`;
  await sql`grant execute on all functions in schema public to ${to}`;
  await sql`revoke update, delete, truncate, references, trigger on ${sql(APPEND_ONLY)} from ${to}`;
  const [server] = await sql`select current_setting('server_version_num')::int / 10000 as version`;
  if (server?.version >= HAS_MAINTAIN) await sql`grant maintain on all tables in schema public to ${to}`;
}

async function isGranted(sql: postgres.Sql | postgres.TransactionSql, role: string) {
  const [found] = await sql`
    with tables as (
      select oid, relname = any (${APPEND_ONLY}) as append_only from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    )
    select has_schema_privilege(${role}::name, 'public', 'usage')
      and not exists (
        select 1 from tables where not (
          has_table_privilege(${role}::name, oid, 'select') and has_table_privilege(${role}::name, oid, 'insert')
          and has_table_privilege(${role}::name, oid, 'update') <> append_only
          and has_table_privilege(${role}::name, oid, 'delete') <> append_only)
      ) and not exists (
        select 1 from pg_sequence join pg_class c on c.oid = seqrelid
        where relnamespace = 'public'::regnamespace
          and not (has_sequence_privilege(${role}::name, seqrelid, 'usage')
            and has_sequence_privilege(${role}::name, seqrelid, 'update'))
      ) and not exists (
        select 1 from pg_proc where pronamespace = 'public'::regnamespace
          and not has_function_privilege(${role}::name, oid, 'execute')
      ) as granted`;
  return found?.granted === true;
}

/** What is wrong with the application's role, as a sentence. */
export class RoleProblem extends Error {
  override name = "RoleProblem";
}

/**
 * Makes the role that the application connects as, where it is not there, and grants it what it needs. It is no
 * superuser, makes no roles and no databases, and owns nothing. Told again, also after an interruption, it completes
 * what is missing. `ours`: the role is this installation's alone, so that its password can be set.
 */
export async function prepareApplicationRole(
  owner: postgres.Sql,
  given: { name: string; password: string; ours: boolean },
): Promise<void> {
  const { name, password, ours } = given;
  // As migrations: one process at a time, in any number that start together.
  await owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const [role] = await tx`select rolsuper as superuser from pg_roles where rolname = ${name}`;
    if (!role) await createRole(tx, name, password);
    if (role?.superuser) {
      throw new RoleProblem(
        `The database user "${name}" in DATABASE_URL is a superuser: beside MIGRATION_DATABASE_URL it has to be one without rights of its own.`,
      );
    }
    const [owned] = await tx`
      select pg_get_userbyid(relowner) as owner from pg_class
      where oid = 'public.audit_log'::regclass and pg_has_role(${name}, relowner, 'member')`;
    if (owned) {
      throw new RoleProblem(
        `The database user "${name}" in DATABASE_URL owns the audit log, by "${owned.owner}". Keep the owner in MIGRATION_DATABASE_URL, and put a user of its own into DATABASE_URL.`,
      );
    }
    if (ours) {
      if (role) await tx.unsafe(`alter role ${quoted(name)} password ${literal(password)}`);
      // What a statement of the application is refused for, it tells itself, and without the values in it.
      await tx.unsafe(`alter role ${quoted(name)} set log_min_messages = 'log'`);
    }
    await grantToApplication(tx, name);
  });
}

const NOT_ALLOWED = "42501";
/** Roles are the server's: an installation in another of its databases may just have made it. */
const EXISTS_ALREADY = ["42710", "23505"];

async function createRole(tx: postgres.TransactionSql, name: string, password: string) {
  const attributes = "nosuperuser nocreatedb nocreaterole noreplication nobypassrls login";
  await tx
    .savepoint((inner) => inner.unsafe(`create role ${quoted(name)} ${attributes} password ${literal(password)}`))
    .catch((error: { code?: string }) => {
      if (EXISTS_ALREADY.includes(error.code ?? "")) return;
      if (error.code !== NOT_ALLOWED) throw error;
      throw new RoleProblem(
        `The database user "${name}" in DATABASE_URL is not there, and that of MIGRATION_DATABASE_URL may not make it. Make it: create role "${name}" login password '…'`,
      );
    });
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Statements about roles take no parameters. */
const literal = (text: string) => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
