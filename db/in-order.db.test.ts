import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { inOrder } from "./in-order";
import { db } from "./pool";

const STATEMENTS = 40;

test("statements run in order, each seeing what the earlier ones have written, prepared or not", async () => {
  await db().transaction(async (tx) => {
    await tx.execute(sql`create temporary table steps (n int) on commit drop`);
    // A statement that has run often is prepared and from then on sent differently.
    const results = await inOrder<{ n: number; before: number[] | null }>(
      tx,
      Array.from({ length: STATEMENTS }, (_, n) =>
        n % 2
          ? sql`select ${n}::int as n, array_agg(s.n order by s.ctid) as before from steps s`
          : sql.raw(`insert into steps (n) values (${n})`),
      ),
    );
    const evens = (below: number) =>
      Array.from({ length: STATEMENTS }, (_, n) => n).filter((n) => n % 2 === 0 && n < below);
    expect(results).toEqual(Array.from({ length: STATEMENTS }, (_, n) => (n % 2 ? [{ n, before: evens(n) }] : [])));
  });
});

test("the first failure is reported, and nothing of the transaction remains", async () => {
  const failing = db().transaction(async (tx) => {
    await inOrder(tx, [
      sql`insert into projects (id, name) values ('prj_never', 'never')`,
      sql`select 1 / 0`,
      sql`select 2`,
      sql`select * from nowhere`,
    ]);
  });
  await expect(failing).rejects.toMatchObject({ cause: { message: "division by zero" } });
  expect(await db().execute(sql`select 1 from projects where id = 'prj_never'`)).toHaveLength(0);
});
