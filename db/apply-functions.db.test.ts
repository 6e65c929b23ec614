import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { env } from "@/env";
import { migrateDatabase, SOURCES } from "./migrate";
import { onServer, urlOf } from "./testing/template";

const made: string[] = [];
const folders: string[] = [];
afterAll(async () => {
  for (const name of made) await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function emptyDatabase() {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  made.push(name);
  await onServer((sql) => sql.unsafe(`create database ${name} template template0`));
  return urlOf(name);
}

const on = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end());
};

type Stored = { name: string; body: string; version: string };
const functionsIn = (url: string) =>
  on(
    url,
    async (sql): Promise<Stored[]> => [
      ...(await sql<Stored[]>`
        select proname as name, prosrc as body, xmin::text as version from pg_proc
        where pronamespace = 'public'::regnamespace order by proname`),
    ],
  );

/** Writes a copy of the function files as a later version might have them: `change` receives each file's name and text. */
function changed(change: (file: string, text: string) => string) {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-functions-"));
  folders.push(folder);
  cpSync(SOURCES.functions, folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    const at = path.join(folder, file);
    writeFileSync(at, change(file, readFileSync(at, "utf8")));
  }
  return { ...SOURCES, functions: folder };
}

test("a prepared database has exactly the functions of the files", async () => {
  const stored = await functionsIn(env().MIGRATION_DATABASE_URL!);
  const files = readdirSync(SOURCES.functions);
  expect(stored.map(({ name }) => `${name.replaceAll("_", "-")}.sql`)).toEqual(files.sort());
  for (const { name, body } of stored) {
    const text = readFileSync(path.join(SOURCES.functions, `${name.replaceAll("_", "-")}.sql`), "utf8");
    expect(text).toContain(`$$${body}$$`);
  }
});

test("a start replaces a function whose text has changed, and no other", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url);
  const before = await functionsIn(url);
  const later = changed((file, text) =>
    file === "audit-append-only.sql" ? text.replace("is append-only'", "is written once'") : text,
  );
  await migrateDatabase(url, later);
  const after = await functionsIn(url);
  const differing = after.filter(({ version }, n) => version !== before[n]!.version);
  expect(differing.map(({ name }) => name)).toEqual(["audit_append_only"]);
  await expect(on(url, (sql) => sql`truncate account_audit_log`)).rejects.toThrow("is written once");
  // Downgrading restores the previous version's functions.
  await migrateDatabase(url);
  await expect(on(url, (sql) => sql`truncate account_audit_log`)).rejects.toThrow("is append-only");
});

test("a start replaces nothing when every function is up to date", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url);
  const before = await functionsIn(url);
  await migrateDatabase(url);
  expect(await functionsIn(url)).toEqual(before);
});

test("when one function cannot be created, all functions stay unchanged", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url);
  const before = await functionsIn(url);
  const broken = changed((file, text) => (file === "search-keys.sql" ? text.replace("SELECT", "SELEKT") : `${text}\n`));
  await expect(migrateDatabase(url, broken)).rejects.toThrow("syntax error");
  expect(await functionsIn(url)).toEqual(before);
  await migrateDatabase(url);
});

test("a database from before functions had their own files gets the functions of the files", async () => {
  const url = await emptyDatabase();
  const none = mkdtempSync(path.join(tmpdir(), "whetstone-functions-"));
  folders.push(none);
  await migrateDatabase(url, { ...SOURCES, functions: none });
  await on(url, async (sql) => {
    await sql`drop table if exists drizzle.applied_functions`;
    await sql.unsafe(`create or replace function audit_append_only() returns trigger language plpgsql as
      $$ begin return null; end $$`);
  });
  await migrateDatabase(url);
  const bodies = async (database: string) => (await functionsIn(database)).map(({ name, body }) => ({ name, body }));
  expect(await bodies(url)).toEqual(await bodies(env().MIGRATION_DATABASE_URL!));
});
