import { existsSync } from "node:fs";
import { getTableName, is, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import * as schema from "@/db/schema";
import { asOwner } from "@/db/testing/as-owner";
import { CONVERSATION_KEYS, type Entry, FILE_KIND_ENTRIES, type Holding, TABLES, type TableName, tablesWhere } from ".";

const entries = Object.entries(TABLES) as [TableName, Entry][];
const names = (rows: Iterable<{ name: string }>) => [...rows].map(({ name }) => name);

type ForeignKey = { child: string; parent: string };
let columns: Map<string, Set<string>>;
let cascades: ForeignKey[];

// pg_class rather than information_schema, which shows only what the application role may read.
const tablesOfDatabase = async () =>
  names(
    await db().execute<{ name: string }>(sql`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`),
  );

const notIn = (some: readonly string[], others: readonly string[]) => some.filter((name) => !others.includes(name));
const compared = (tables: readonly string[]) => ({
  withoutEntry: notIn(tables, Object.keys(TABLES)),
  entriesOfNoTable: notIn(Object.keys(TABLES), tables),
});
const NO_DIFFERENCE = { withoutEntry: [], entriesOfNoTable: [] };

beforeAll(async () => {
  const all = await db().execute<{ table: string; columns: string[] }>(sql`
    select table_name as table, array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = 'public' group by 1`);
  columns = new Map([...all].map((row) => [row.table, new Set(row.columns)]));
  cascades = [
    ...(await db().execute<ForeignKey>(sql`
      select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
      where contype = 'f' and confdeltype = 'c' and connamespace = 'public'::regnamespace`)),
  ];
});

test("every table of the schema and of the database has an entry, and every entry has a table", async () => {
  const declared = Object.values(schema).flatMap((one) => (is(one, PgTable) ? [getTableName(one)] : []));
  expect(compared(declared)).toEqual(NO_DIFFERENCE);
  expect(compared(await tablesOfDatabase())).toEqual(NO_DIFFERENCE);
});

test("a table without an entry is reported, and so is an entry without a table", async () => {
  await asOwner((owner) => owner.execute(sql`create table notes_about_conversations (words text)`));
  await asOwner((owner) => owner.execute(sql`alter table setup_tokens rename to setup_links`));
  expect(compared(await tablesOfDatabase())).toEqual({
    withoutEntry: ["notes_about_conversations", "setup_links"],
    entriesOfNoTable: ["setup_tokens"],
  });
  await asOwner((owner) => owner.execute(sql`drop table notes_about_conversations`));
  await asOwner((owner) => owner.execute(sql`alter table setup_links rename to setup_tokens`));
});

test("no table with a column that refers to a conversation, a person or a project is registered as holding nothing", () => {
  const LEADING: [column: string, holds: (entry: Entry) => boolean][] = [
    ["conversation_id", ({ conversation }) => conversation.holds !== "nothing"],
    ["trace_id", ({ conversation }) => conversation.holds !== "nothing"],
    ["trace_ids", ({ conversation }) => conversation.holds !== "nothing"],
    ["email", ({ person }) => person.holds !== "nothing"],
    ["user_id", ({ person, conversation }) => person.holds !== "nothing" || conversation.holds !== "nothing"],
    ["actor_id", ({ person }) => person.holds !== "nothing"],
    ["created_by", ({ person }) => person.holds !== "nothing"],
    ["project_id", ({ project }) => project !== "not a project's"],
  ];
  const wrong = entries.flatMap(([table, entry]) =>
    LEADING.filter(([column, holds]) => columns.get(table)!.has(column) && !holds(entry)).map(
      ([column]) => `${table} has ${column}`,
    ),
  );
  expect(wrong).toEqual([]);
});

test("the columns, foreign keys and statements named by entries exist", () => {
  const wrong = (table: string, held: Holding) => {
    if (held.holds === "nothing") return [];
    const missing = (held.by ?? []).filter((key) => !columns.get(table)!.has(key)).map((key) => `${table}.${key}`);
    if (held.erased === "cascade" && !cascades.some((key) => key.child === table && key.parent === held.with))
      missing.push(`${table} does not fall with ${held.with}`);
    if ("in" in held && held.in !== undefined && !existsSync(`server/services/${held.in}.ts`)) missing.push(held.in);
    return missing;
  };
  expect(
    entries.flatMap(([table, { conversation, person }]) => [conversation, person].flatMap((h) => wrong(table, h))),
  ).toEqual([]);
  const ofFiles = Object.values(FILE_KIND_ENTRIES).flatMap(({ conversation, person }) => [conversation, person]);
  expect(ofFiles.flatMap((held) => wrong("files", held))).toEqual([]);
  expect(entries.filter(([table, { address }]) => address && !columns.get(table)!.has(address))).toEqual([]);
});

test("every table deleted row by row has a key column or its own statement", () => {
  const unreachable = entries.flatMap(([table, { conversation, person }]) =>
    [conversation, person]
      .filter(
        (held) => held.holds !== "nothing" && held.erased === "deleted" && held.in === undefined && !held.by?.length,
      )
      .map(() => table),
  );
  expect(unreachable).toEqual([]);
  expect(CONVERSATION_KEYS.size).toBeGreaterThan(10);
});

test("each table is deleted with its project in the way that its entry states", () => {
  const falls = (table: string, seen: readonly string[] = []): boolean =>
    table === "projects" ||
    cascades.some(({ child, parent }) => child === table && !seen.includes(parent) && falls(parent, [...seen, table]));
  // Job runs are deleted by a statement, and their steps cascade.
  const fallsWithRun = (table: string) => cascades.some((key) => key.child === table && key.parent === "job_runs");
  const wrong = entries.flatMap(([table, { project }]) => {
    const owned = columns.get(table)!.has("project_id");
    if (project === "cascade")
      return falls(table) || fallsWithRun(table) ? [] : [`${table} does not fall with projects`];
    if (["batches", "at once", "at once, uncounted", "statement"].includes(project))
      return owned ? [] : [`${table} has no project_id`];
    return [];
  });
  expect(wrong).toEqual([]);
});

test("among a project's large tables, one whose rows cascade from another is deleted first", () => {
  const large = tablesWhere(({ project }) => project === "batches");
  const late = cascades.filter(
    ({ child, parent }) =>
      large.includes(child as TableName) &&
      large.indexOf(parent as TableName) >= 0 &&
      large.indexOf(child as TableName) > large.indexOf(parent as TableName),
  );
  expect(late).toEqual([]);
});
