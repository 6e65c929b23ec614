import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { backUp, readBackup, restore } from "./backup";
import { databaseProblem, prepareDatabase } from "./prepare";
import { onServer, urlOf } from "./testing/template";

const databases: string[] = [];
const roles: string[] = [];
afterAll(async () => {
  for (const name of databases) await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  for (const role of roles) await onServer((sql) => sql.unsafe(`drop role if exists ${role}`));
});

const random = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;

/** Returns the URLs of a new database's owner and application role, neither of which exists yet. */
function newInstallation() {
  const [database, role] = [random("test"), random("app")];
  databases.push(database);
  roles.push(role);
  const ownerUrl = urlOf(database);
  return { role, ownerUrl, url: Object.assign(new URL(ownerUrl), { username: role, password: "s3cret'\\" }).href };
}

const on = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end());
};

const PEOPLE = `
insert into users (id, email) values ('usr_1', 'ann@example.test');
insert into projects (id, name) values ('prj_1', 'Shop');
insert into audit_log (project_id, id, action, actor_kind) values ('prj_1', 'aud_1', 'x', 'operator');
insert into account_audit_log (id, action, actor_kind) values ('aud_2', 'x', 'operator')`;
const DENIED = { code: "42501" };

/** Asserts everything that must hold for a role that the application connects as. */
async function expectApplication(url: string) {
  await on(url, async (sql) => {
    const [role] = await sql`
      select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolreplication from pg_roles where rolname = current_user`;
    expect(Object.values(role ?? {})).toEqual([false, false, false, false, false]);
    const [owned] = await sql`select count(*)::int as count from pg_class where relowner = current_user::regrole`;
    expect(owned?.count).toBe(0);
    for (const refused of [
      "update audit_log set action = 'y'",
      "delete from audit_log",
      "truncate audit_log",
      "update account_audit_log set action = 'y'",
      "delete from account_audit_log",
      "alter table audit_log disable trigger all",
      "drop trigger audit_log_append_only on audit_log",
      "alter table account_audit_log owner to current_user",
      "create table theirs (id int)",
      "create role other",
      "set role pg_read_server_files",
    ]) {
      await expect(sql.unsafe(refused), refused).rejects.toMatchObject(DENIED);
    }
  });
}

test("the application role is not a superuser, owns nothing, and can append to the audit log but not change it", async () => {
  const installation = newInstallation();
  await prepareDatabase(installation);
  await on(installation.url, (sql) => sql.unsafe(PEOPLE));
  await expectApplication(installation.url);
  await on(installation.url, async (sql) => {
    await sql`analyze projection_queue`;
    await sql`delete from projects`;
    // The project's audit log is deleted with the project, and in no other way.
    expect([...(await sql`select id from audit_log`)]).toEqual([]);
    expect([...(await sql`select id from account_audit_log`)]).toEqual([{ id: "aud_2" }]);
  });
});

test("an installation with a single owning user migrates to two roles at the next start, keeping its data", async () => {
  const { url, ownerUrl } = newInstallation();
  await prepareDatabase({ url: ownerUrl, ownerUrl: undefined });
  await on(ownerUrl, (sql) => sql.unsafe(PEOPLE));
  await prepareDatabase({ url, ownerUrl });
  await expectApplication(url);
  const kept = await on(url, (sql) => sql`select (select email from users), (select name from projects)`);
  expect([...kept]).toEqual([{ email: "ann@example.test", name: "Shop" }]);
});

test("an interrupted migration to two roles is completed by the next start, and a completed one changes nothing", async () => {
  const { url, ownerUrl, role } = newInstallation();
  await prepareDatabase({ url: ownerUrl, ownerUrl: undefined });
  await on(ownerUrl, async (sql) => {
    await sql.unsafe(`create role ${role} login password 'another'`);
    await sql.unsafe(`grant select on users to ${role}`);
  });
  // The database server is embedded, so the configured password replaces the role's.
  await prepareDatabase({ url, ownerUrl }, { embedded: true });
  await expectApplication(url);
  const rights = () => on(ownerUrl, (sql) => sql`select relname, xmin::text, relacl::text from pg_class order by 1`);
  const before = await rights();
  await prepareDatabase({ url, ownerUrl }, { embedded: true });
  expect([...(await rights())]).toEqual([...before]);
});

test("tables and sequences of a later migration are granted to the application role too", async () => {
  const { url, ownerUrl } = newInstallation();
  await prepareDatabase({ url, ownerUrl });
  await on(ownerUrl, (sql) => sql`create table later (id serial primary key, name text)`);
  await expect(on(url, (sql) => sql`insert into later (name) values ('x')`)).rejects.toMatchObject(DENIED);
  await prepareDatabase({ url, ownerUrl });
  await on(url, (sql) => sql`insert into later (name) values ('x')`);
  await on(url, (sql) => sql`update later set name = 'y'`);
});

test("a restored database is granted to the application role, except changes to the audit log", async () => {
  const [from, to] = [newInstallation(), newInstallation()];
  await prepareDatabase(from);
  await on(from.url, (sql) => sql.unsafe(PEOPLE));
  const place = `/tmp/${random("backup")}.tar`;
  await backUp(from.ownerUrl, place, { secret: "s".repeat(40) });
  await prepareDatabase(to);
  await restore(to.ownerUrl, await readBackup(place), to.role);
  await expectApplication(to.url);
  expect([...(await on(to.url, (sql) => sql`select name from projects`))]).toEqual([{ name: "Shop" }]);
});

test("an application role with too many privileges is refused, and the message names the remedy", async () => {
  const { url, ownerUrl, role } = newInstallation();
  const problem = async () => {
    const error = await prepareDatabase({ url, ownerUrl }).catch((refused: unknown) => refused);
    return databaseProblem(error, url);
  };
  await onServer((sql) => sql.unsafe(`create role ${role} superuser login password 's3cret''\\'`));
  expect(await problem()).toContain("is a superuser");
  await onServer((sql) => sql.unsafe(`alter role ${role} nosuperuser`));
  await on(ownerUrl, (sql) => sql.unsafe(`alter table audit_log owner to ${role}`));
  expect(await problem()).toContain("owns the audit log");
});

test("an owner that may not create roles gets an error that names the role to create", async () => {
  const { url, ownerUrl, role } = newInstallation();
  const owner = random("owner");
  roles.push(owner);
  await onServer((sql) => sql.unsafe(`create role ${owner} login password 'x'`));
  const database = new URL(ownerUrl).pathname.slice(1);
  await onServer((sql) => sql.unsafe(`create database ${database} owner ${owner}`));
  const theirs = Object.assign(new URL(ownerUrl), { username: owner, password: "x" }).href;
  const error = await prepareDatabase({ url, ownerUrl: theirs }).catch((refused: unknown) => refused);
  expect(databaseProblem(error, url)).toContain(`create role "${role}"`);
});
