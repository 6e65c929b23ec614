import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "./pool";

/**
 * What a database that is distributed by project, such as Citus, needs of a schema: keys within a project. The tables named here
 * belong to the installation and stay on one node.
 */

/** Jobs are claimed for all projects, mail and links are found by their token, and a sample is loaded once for a person. */
const OF_THE_INSTALLATION = [
  "job_events",
  "job_runs",
  "outgoing_mail",
  "password_resets",
  "sample_projects",
  "share_links",
];

const has = (table: string, keys: string) => sql`exists (
  select 1 from pg_attribute a
  where a.attrelid = ${sql.raw(table)} and a.attname = 'project_id' and a.attnum = any(${sql.raw(keys)}))`;
const isOfProject = (table: string) => sql`exists (
  select 1 from pg_attribute a where a.attrelid = ${sql.raw(table)} and a.attname = 'project_id')`;

test("what is unique in a project's table is unique in its project", async () => {
  const across = await db().execute<{ table: string }>(sql`
    select distinct i.indrelid::regclass::text as "table" from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = 'public'::regnamespace and ${isOfProject("i.indrelid")}
      and not ${has("i.indrelid", "i.indkey")} order by 1`);
  expect(across.map(({ table }) => table)).toEqual(OF_THE_INSTALLATION);
});

test("a foreign key of a project's table leads within its project", async () => {
  const across = await db().execute<{ name: string }>(sql`
    select k.conname as name from pg_constraint k
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace
      and ${isOfProject("k.conrelid")} and ${isOfProject("k.confrelid")}
      and not (${has("k.conrelid", "k.conkey")} and ${has("k.confrelid", "k.confkey")}) order by 1`);
  expect(across.map(({ name }) => name)).toEqual([]);
});
