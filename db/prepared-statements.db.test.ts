import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { env } from "@/env";
import { withPreparedStatements } from "./prepared-statements";

const client = withPreparedStatements(postgres(env().DATABASE_URL, { max: 1 }));
const db = drizzle(client);
afterAll(() => client.end());

const prepared = async (text: string) =>
  (await db.execute(sql`select 1 from pg_prepared_statements where statement like ${`${text}%`}`)).length;
const times = async (count: number, ask: (nth: number) => PromiseLike<unknown>) => {
  for (let nth = 0; nth < count; nth += 1) await ask(nth);
};

test("a frequent statement is prepared, and returns the same results", async () => {
  const ask = (nth: number) => db.execute<{ twice: number }>(sql`select ${nth}::int * 2 as twice`);
  await times(5, ask);
  expect(await prepared("select $1::int * 2")).toBe(0);
  await times(30, ask);
  expect(await prepared("select $1::int * 2")).toBe(1);
  expect([...(await ask(21))]).toEqual([{ twice: 42 }]);
});

test("a frequent statement is prepared inside transactions and savepoints too", async () => {
  await db.transaction((tx) =>
    tx.transaction((part) => times(30, (nth) => part.execute(sql`select ${nth}::int * 3 as thrice`))),
  );
  expect(await prepared("select $1::int * 3")).toBe(1);
});

test("a statement with its values inlined is not prepared", async () => {
  await times(30, (nth) => db.execute(sql`select ${sql.raw(String(nth))} + ${1}::int as sum`));
  expect(await prepared("select 7 + $1::int")).toBe(0);
});

test("a column added while a statement is prepared does not break it", async () => {
  await db.execute(sql`create temporary table things (id int)`);
  const ask = () => db.execute(sql`select * from things where id = ${1}::int`);
  await times(30, ask);
  await db.execute(sql`alter table things add column name text default 'new'`);
  await db.execute(sql`insert into things values (1)`);
  expect([...(await ask())]).toEqual([{ id: 1, name: "new" }]);
});
