import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { env } from "@/env";
import { socketOpener } from "./open-socket";
import { openPool } from "./pool";
import { onServer } from "./testing/template";

/** Opens a client with one connection, opened as the pool's are, and returns its newest socket too. */
function clientOf({ silentMs }: { silentMs: number }) {
  const open = socketOpener({ silentMs });
  const sockets: Socket[] = [];
  const options = {
    max: 1,
    backoff: () => 0.01,
    socket: (where: Parameters<typeof open>[0]) => {
      const socket = open(where);
      sockets.push(socket);
      return socket;
    },
  };
  const sql = postgres(env().DATABASE_URL, options);
  onTestFinished(() => sql.end({ timeout: 1 }));
  return { sql, newest: () => sockets.at(-1) as Socket };
}

const one = async (sql: postgres.Sql | postgres.TransactionSql) => (await sql`select 1 as n`)[0]?.n;

test("an idle connection of the pool is closed before its silence counts as a fault", async () => {
  const { sql } = openPool({ statementSeconds: 1, name: "idle" });
  await one(sql);
  const open = () =>
    onServer((owner) =>
      owner`select 1 from pg_stat_activity where application_name = 'idle'`.then((rows) => rows.length),
    );
  expect(await open()).toBe(1);
  // Silence counts after six seconds.
  await expect.poll(open, { timeout: 4_000 }).toBe(0);
  expect(await one(sql)).toBe(1);
});

test("a query fails when the database is silent for longer than a statement may take", async () => {
  const { sql } = clientOf({ silentMs: 200 });
  await one(sql);
  await expect(sql`select pg_sleep(10)`).rejects.toMatchObject({ code: "ETIMEDOUT" });
  expect(await one(sql)).toBe(1);
});

test("a query that arrives while its connection is breaking is answered on another", async () => {
  const { sql, newest } = clientOf({ silentMs: 0 });
  await one(sql);
  const arriving = new Promise((answered) => newest().once("error", () => answered(one(sql))));
  newest().destroy(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
  expect(await Promise.race([arriving, sleep(3_000, "never answered")])).toBe(1);
});

test("a query of a transaction fails when its connection is breaking", async () => {
  const { sql, newest } = clientOf({ silentMs: 0 });
  let arriving: Promise<unknown> | undefined;
  const transaction = sql.begin(async (tx) => {
    await tx`select 1`;
    await new Promise<void>((broken) => {
      newest().once("error", () => {
        arriving = one(tx).catch((error: Error) => error);
        broken();
      });
      newest().destroy(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    });
    await arriving;
  });
  await expect(transaction).rejects.toThrow();
  expect(await Promise.race([arriving, sleep(3_000, "never answered")])).toBeInstanceOf(Error);
  expect(await one(sql)).toBe(1);
});
