import { eq, isNotNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { jobRuns } from "@/db/schema/engine";
import { asOwner } from "@/db/testing/as-owner";
import { newGate } from "@/db/testing/gate";
import { HOUR_MS } from "@/server/platform/durations";
import { emit } from "@/server/platform/outbox";
import { type Engine, startEngine } from "./engine";
import { embeddedClient, QUICK, until } from "./testing/describe-engine";

/** Longer than a loaded machine stalls: a lease that expires without a jump is rightly taken over. */
const LEASE_MS = 6_000;

const jump = (ms: number) => asOwner((owner) => owner.execute(sql`update jump.by set ms = ms + ${ms}`));
const engines: Engine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
/** In its own file because it replaces the clock of its database, from before the first connection. */
beforeAll(() =>
  asOwner(async (owner) => {
    await owner.execute(sql`create schema jump`);
    await owner.execute(sql`create table jump.by as select 0::bigint as ms`);
    await owner.execute(sql`create function jump.clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.clock_timestamp() + ms * interval '1 ms' from jump.by $$`);
    await owner.execute(sql`grant usage on schema jump to public`);
    await owner.execute(sql`grant select on jump.by to public`);
    const [row] = await owner.execute<{ name: string }>(sql`select current_database() as name`);
    await owner.execute(sql`alter database ${sql.identifier(row!.name)} set search_path = jump, public, pg_catalog`);
  }),
);

test("a run in progress is not started again by another process when the clock jumps an hour ahead", async () => {
  const client = embeddedClient();
  const gate = newGate();
  let starts = 0;
  const held = client.createFunction({ id: "held", triggers: { event: "hold" } }, async () => {
    starts++;
    await gate.promise;
  });
  let polled = false;
  const other = client.createFunction({ id: "other", triggers: { event: "poll" } }, async () => {
    polled = true;
  });
  const functions = [held, other];
  const start = async () =>
    engines.push(await startEngine({ db: db(), client, functions, ...QUICK, leaseMs: LEASE_MS, slots: 1 }));
  await start();
  await emit(db(), { name: "hold", data: {} });
  await until(async () => starts === 1);
  await start();
  // A process notices a jump only if it has read the clock before. The first one has no slot left for this.
  await emit(db(), { name: "poll", data: {} });
  await until(async () => polled);
  const lease = async () => {
    const [row] = await db()
      .select({ until: jobRuns.leaseUntil, now: sql<string>`${NOW}` })
      .from(jobRuns)
      .where(eq(jobRuns.functionId, held.id(client.id)));
    return row!.until! - Number(row!.now);
  };
  const before = await lease();
  expect(before).toBeGreaterThan(0);
  await jump(HOUR_MS);
  await until(async () => (await lease()) > 0);
  gate.resolve();
  await until(async () => (await db().$count(jobRuns, isNotNull(jobRuns.finishedAt))) === 2);
  expect(starts).toBe(1);
});

test("the run of a process that died is taken over at once after the clock was set back", async () => {
  const client = embeddedClient();
  let starts = 0;
  const fn = client.createFunction({ id: "left", triggers: { event: "leave" } }, async () => void starts++);
  await db()
    .insert(jobRuns)
    .values({
      ...{
        id: "jr_left",
        functionId: fn.id(client.id),
        eventId: "evt_left",
        event: { id: "e", name: "leave", data: {}, ts: 0 },
      },
      ...{ state: "running", maxAttempts: 3, lane: "left", callAt: 1000, dueAt: 1000, queueAt: 1000 },
      ...{ concurrencyKeys: [], leaseToken: crypto.randomUUID(), leaseUntil: sql`${NOW} + ${HOUR_MS}::bigint` },
    } as never);
  engines.push(await startEngine({ db: db(), client, functions: [fn], ...QUICK }));
  await until(async () => starts === 1);
});
