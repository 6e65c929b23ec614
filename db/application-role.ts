import type postgres from "postgres";
import { MIGRATION_LOCK } from "./migrate";

/** Append-only tables: even a compromised application cannot change or delete their rows. */
const APPEND_ONLY = ["audit_log", "account_audit_log"];
/** First PostgreSQL version with the MAINTAIN privilege, which lets a non-owner gather statistics. */
const HAS_MAINTAIN = 17;

/** Returns the user and password of a database URL. */
export const roleOf = (url: string) => {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
};

/**
 * Grants the application's role the privileges it needs and revokes the rest; does nothing when they already match.
 * Run as the owner of the tables after each migration, so that new tables are covered.
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

/** A misconfigured application role; the message is shown to the operator. */
export class RoleProblem extends Error {
  override name = "RoleProblem";
}

/**
 * Creates the role that the application connects as if it is missing, and grants it what it needs. The role is no
 * superuser, cannot create roles or databases, and owns nothing. Idempotent, so an interrupted run can be repeated.
 * `ours`: the role belongs to this installation alone, so its password may be set.
 */
export async function prepareApplicationRole(
  owner: postgres.Sql,
  given: { name: string; password: string; ours: boolean },
): Promise<void> {
  const { name, password, ours } = given;
  // Under the migration lock: one process at a time, however many start together.
  await owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const [role] = await tx`select rolsuper as superuser from pg_roles where rolname = ${name}`;
    if (!role) await createRole(tx, name, password);
    if (role?.superuser) {
      throw new RoleProblem(
        `The database user "${name}" in DATABASE_URL is a superuser. When MIGRATION_DATABASE_URL is set, DATABASE_URL must name an unprivileged user.`,
      );
    }
    const [owned] = await tx`
      select pg_get_userbyid(relowner) as owner from pg_class
      where oid = 'public.audit_log'::regclass and pg_has_role(${name}, relowner, 'member')`;
    if (owned) {
      throw new RoleProblem(
        `The database user "${name}" in DATABASE_URL owns the audit log (as "${owned.owner}"). Keep the owner in MIGRATION_DATABASE_URL and use a separate user in DATABASE_URL.`,
      );
    }
    if (ours) {
      if (role) await tx.unsafe(`alter role ${quoted(name)} password ${literal(password)}`);
      // Keeps the server from logging the application's failed statements, which may quote stored values; the application logs its own.
      await tx.unsafe(`alter role ${quoted(name)} set log_min_messages = 'log'`);
    }
    await grantToApplication(tx, name);
  });
}

const NOT_ALLOWED = "42501";
/** Roles are server-wide: an installation in another database may have created it at the same moment. */
const EXISTS_ALREADY = ["42710", "23505"];

async function createRole(tx: postgres.TransactionSql, name: string, password: string) {
  const attributes = "nosuperuser nocreatedb nocreaterole noreplication nobypassrls login";
  await tx
    .savepoint((inner) => inner.unsafe(`create role ${quoted(name)} ${attributes} password ${literal(password)}`))
    .catch((error: { code?: string }) => {
      if (EXISTS_ALREADY.includes(error.code ?? "")) return;
      if (error.code !== NOT_ALLOWED) throw error;
      throw new RoleProblem(
        `The database user "${name}" in DATABASE_URL does not exist, and the user in MIGRATION_DATABASE_URL may not create it. Create it yourself: create role "${name}" login password '…'`,
      );
    });
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Quotes a literal: role statements take no bind parameters. */
const literal = (text: string) => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
