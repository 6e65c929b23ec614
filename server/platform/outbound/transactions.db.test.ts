import { once } from "node:events";
import { get } from "node:http";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { inTransaction } from "../context";
import { projectPool } from "../database/project-pool";
import { transact } from "../database/transact";
import { outbound } from ".";
import { respondWith, startService } from "./testing/service";

process.env.OUTBOUND_ALLOW = "127.0.0.1";
const projectId = "prj_1";
const error = /^A call to another service inside a transaction\./;

test("a call to another service fails inside a transaction, however the transaction was opened", async () => {
  const service = await startService(respondWith());
  const request = (): Promise<unknown> => outbound().request({ projectId, url: service.url });
  const stream = (): Promise<unknown> => outbound().stream({ projectId, url: service.url });
  for (const [form, call] of Object.entries({ request, stream })) {
    await expect(transact(db(), call), form).rejects.toThrow(error);
    await expect(db().transaction(call), form).rejects.toThrow(error);
    await expect(
      db().transaction((tx) => tx.transaction(call)),
      form,
    ).rejects.toThrow(error);
    await expect(projectPool(db(), projectId).transaction(call), form).rejects.toThrow(error);
    await expect(inTransaction({ db: db() }, call), form).rejects.toThrow(error);
  }
  // Also later in the transaction, in a call that it does not wait for.
  const later = transact(db(), async (tx) => {
    await tx.execute(sql`select 1`);
    return { late: request().catch((failed: Error) => failed.message) };
  });
  expect(await (await later).late).toMatch(error);
  expect(service.connections()).toBe(0);
});

test("in tests, any library's connection to another server fails inside a transaction", async () => {
  const service = await startService(respondWith());
  const withFetch = (): Promise<unknown> => fetch(service.url);
  const withHttp = (): Promise<unknown> => once(get(service.url), "response");
  for (const call of [withFetch, withHttp]) {
    const failed: Error = await transact(db(), call).then(
      () => expect.fail("It connected."),
      (error) => error,
    );
    expect(String(failed.cause ?? failed)).toContain("A connection to another server is opened inside a transaction.");
    await call();
  }
  expect(service.hits).toHaveLength(2);
  // Connections to the database itself are allowed.
  await transact(db(), () => Promise.all(Array.from({ length: 4 }, () => db().execute(sql`select pg_sleep(0.1)`))));
});

test("the same call succeeds before and after a transaction", async () => {
  const service = await startService(respondWith());
  const call = () => outbound().request({ projectId, url: service.url });
  await call();
  await transact(db(), (tx) => tx.execute(sql`select 1`));
  await call();
  expect(service.hits).toHaveLength(2);
});

test("the process's outbound client does not call its own database, even on an allowed address", async () => {
  const { host } = new URL(process.env.DATABASE_URL as string);
  await expect(outbound().request({ projectId, url: `http://${host}/` })).rejects.toMatchObject({
    reason: "refused",
    message: "The database of this installation can't be called.",
  });
});
