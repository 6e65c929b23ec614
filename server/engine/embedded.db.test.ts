import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { databaseNow } from "@/db/database-now";
import { db } from "@/db/pool";
import { jobEvents, jobRuns, jobSchedules, jobSteps } from "@/db/schema/engine";
import { newGate } from "@/db/testing/gate";
import { newId } from "@/server/platform/ids";
import { emit } from "@/server/platform/outbox";
import { type Engine, type EngineOptions, startEngine } from "./engine";
import { jobHealth } from "./health";
import { replayRun } from "./replay/replay-run";
import { claimRuns, renewLeases } from "./runs/claim";
import { reap } from "./runs/reap";
import { embeddedClient, QUICK, until } from "./testing/describe-engine";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  engines = [];
  await db().delete(jobRuns);
  await db().delete(jobEvents);
  await db().delete(jobSchedules);
});

async function start(options: Pick<EngineOptions, "client" | "functions"> & Partial<EngineOptions>) {
  const engine = await startEngine({ db: db(), ...QUICK, ...options });
  engines.push(engine);
  return engine;
}

const runs = () => db().select().from(jobRuns);
const finished = (count: number) => until(async () => (await runs()).filter((run) => run.finishedAt).length === count);

test("an event emitted in a transaction that is rolled back never fires", async () => {
  const client = embeddedClient();
  const log: unknown[] = [];
  const fn = client.createFunction(
    { id: "fn", triggers: { event: "go" } },
    async ({ event }) => void log.push(event.data),
  );
  await start({ client, functions: [fn] });
  const undone = db().transaction(async (tx) => {
    await emit(tx, { name: "go", data: { n: 1 } });
    await sleep(100);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  await emit(db(), { name: "go", data: { n: 2 } });
  await finished(1);
  expect(log).toEqual([{ n: 2 }]);
});

test("an event with a future time is delayed until then", async () => {
  const client = embeddedClient();
  const times: number[] = [];
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async () => void times.push(Date.now()));
  await start({ client, functions: [fn] });
  const ts = Date.now() + 600;
  await client.send({ name: "go", data: {}, ts });
  await finished(1);
  expect(times[0]).toBeGreaterThanOrEqual(ts - 50);
});

test("a turn that is repeated sends its events only once", async () => {
  const client = embeddedClient();
  const told: unknown[] = [];
  let calls = 0;
  const sender = client.createFunction({ id: "sender", retries: 1, triggers: { event: "go" } }, async ({ step }) => {
    await step.run("tell", async () => {
      await client.send([
        { name: "told", data: { n: 1 } },
        { name: "told", data: { n: 1 } },
      ]);
      calls += 1;
      if (calls === 1) throw new Error("after the effect, before its row");
    });
  });
  const listener = client.createFunction(
    { id: "listener", triggers: { event: "told" } },
    async ({ event }) => void told.push(event.data),
  );
  await start({ client, functions: [sender, listener] });
  await client.send({ name: "go", data: {} });
  await until(() => calls === 2);
  await finished(3);
  expect(told).toHaveLength(2);
});

test("a concurrency limit applies across engines", async () => {
  const client = embeddedClient();
  let now = 0;
  let most = 0;
  let done = 0;
  const fn = client.createFunction(
    { id: "fn", concurrency: [{ limit: 2, key: "event.data.projectId" }], triggers: { event: "go" } },
    async () => {
      most = Math.max(most, ++now);
      await sleep(30);
      now -= 1;
      done += 1;
    },
  );
  await Promise.all([1, 2, 3].map(() => start({ client, functions: [fn] })));
  await emit(db(), ...Array.from({ length: 12 }, () => ({ name: "go", data: { projectId: "p" } })));
  await until(() => done === 12);
  expect(most).toBe(2);
});

test("queued runs start by priority, then by age", async () => {
  const client = embeddedClient();
  const order: string[] = [];
  const allWait = newGate();
  const fn = client.createFunction(
    { id: "fn", priority: { run: "event.data.interactive ? 300 : 0" }, triggers: { event: "go" } },
    async ({ event }) => {
      order.push(event.data.name);
      if (event.data.name === "first") await allWait.promise;
    },
  );
  // It occupies the only slot until the others are queued behind it.
  await emit(db(), { name: "go", data: { name: "first", interactive: false } });
  await start({ client, functions: [fn], slots: 1 });
  await until(async () => order.length === 1);
  for (const [name, interactive] of [
    ["a", false],
    ["b", false],
    ["c", true],
  ] as const) {
    await emit(db(), { name: "go", data: { name, interactive } });
    // One by one: runs of events that are dispatched together have the same age.
    await until(async () => (await runs()).some(({ event }) => event.data.name === name));
  }
  allWait.resolve();
  await finished(4);
  expect(order).toEqual(["first", "c", "a", "b"]);
});

test("one project's backlog does not hold up another's run", async () => {
  const client = embeddedClient();
  const order: string[] = [];
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async ({ event }) => {
    order.push(event.data.projectId);
    await sleep(10);
  });
  await emit(db(), ...Array.from({ length: 40 }, () => ({ name: "go", data: { projectId: "busy" } })));
  await emit(db(), { name: "go", data: { projectId: "small" } });
  await start({ client, functions: [fn], slots: 2 });
  await finished(41);
  expect(order.indexOf("small")).toBeLessThan(4);
});

test("a due schedule runs once across engines, and advances", async () => {
  const client = embeddedClient();
  const log: unknown[] = [];
  const fn = client.createFunction(
    { id: "fn", triggers: [{ cron: "TZ=Asia/Kathmandu 30 3 * * *" }] },
    async ({ event }) => void log.push(event),
  );
  await Promise.all([1, 2].map(() => start({ client, functions: [fn] })));
  const [schedule] = await db().select().from(jobSchedules);
  expect(new Date(schedule?.nextAt ?? 0).toISOString()).toMatch(/T21:45:00/);

  // Long overdue: all missed times together result in one run.
  await db().update(jobSchedules).set({ nextAt: 0 });
  await finished(1);
  await sleep(100);
  expect(log).toMatchObject([{ name: "inngest/scheduled.timer", data: { cron: expect.any(String) } }]);
  expect((await db().select().from(jobSchedules))[0]?.nextAt).toBe(schedule?.nextAt);
});

test("a schedule whose next time is far ahead after the clock was set back is due at its next regular time", async () => {
  const client = embeddedClient();
  const fn = client.createFunction({ id: "fn", triggers: [{ cron: "* * * * *" }] }, async () => {});
  await start({ client, functions: [fn] });
  await engines.pop()?.stop();
  await db()
    .update(jobSchedules)
    .set({ nextAt: Date.now() + 86_400_000 });
  await start({ client, functions: [fn] });
  await until(async () => ((await db().select().from(jobSchedules))[0]?.nextAt ?? 0) < Date.now() + 60_001);
});

test("a run whose lease expired is claimed by another engine, and the first one's writes are refused", async () => {
  const client = embeddedClient();
  const log: string[] = [];
  const taken = newGate();
  let first = true;
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async ({ step }) => {
    await step.run("slow", async () => {
      const mine = first ? "first" : "second";
      first = false;
      log.push(`${mine} begins`);
      if (mine === "first") await taken.promise;
      else taken.resolve();
      log.push(`${mine} ends`);
      return mine;
    });
    await step.run("end", () => void log.push("end"));
  });
  // This engine never renews in time: the shortened lease expires while its step is running.
  await start({ client, functions: [fn], leaseMs: 3_600_000 });
  await emit(db(), { name: "go", data: {} });
  await until(() => log.includes("first begins"));
  await db().update(jobRuns).set({ leaseUntil: 0 });
  await start({ client, functions: [fn] });
  await finished(1);
  await until(() => log.includes("first ends"));
  await sleep(100);
  expect(log.filter((entry) => entry === "end")).toHaveLength(1);
  const steps = await db().select().from(jobSteps);
  expect(steps.find((step) => step.name === "slow")?.data).toBe("second");
});

test("a lease is renewed while a step is running, and only by its holder", async () => {
  const client = embeddedClient();
  const work = newGate();
  let calls = 0;
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async () => {
    calls += 1;
    await work.promise;
  });
  await Promise.all([1, 2].map(() => start({ client, functions: [fn], leaseMs: 4000 })));
  await emit(db(), { name: "go", data: {} });
  const run = await until(async () => (await runs()).find(({ state }) => state === "running"));
  expect(await renewLeases(db(), [{ runId: run.id, token: "stale" }], 1000)).toEqual([]);
  await until(async () => (await databaseNow(db())) > (run.leaseUntil ?? 0));
  expect((await runs())[0]).toMatchObject({ leaseToken: run.leaseToken, state: "running" });
  work.resolve();
  await finished(1);
  expect(calls).toBe(1);
});

test("a run that keeps crashing its process is marked as failed", async () => {
  const client = embeddedClient();
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async () => {});
  await start({ client, functions: [fn] });
  await emit(db(), { name: "go", data: {}, ts: Date.now() + 3_600_000 });
  const run = await until(async () => (await runs())[0]);
  await db().update(jobRuns).set({ crashes: 5, callAt: 0, dueAt: 0 });
  await finished(1);
  const [dead] = await runs();
  expect(dead).toMatchObject({ id: run.id, state: "failed", error: { name: "TurnBrokenOff" } });
});

test("a stop lets running calls end, and releases runs that take longer", async () => {
  const client = embeddedClient();
  const log: string[] = [];
  const calls = { short: newGate(), long: newGate() };
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async ({ event, step }) => {
    const name = event.data.name as keyof typeof calls;
    await step.run("work", async () => {
      log.push(`${name} begins`);
      await calls[name].promise;
      log.push(`${name} ends`);
    });
    await step.run("more", () => void log.push(`${name} goes on`));
  });
  const engine = await start({ client, functions: [fn] });
  await emit(db(), { name: "go", data: { name: "short" } }, { name: "go", data: { name: "long" } });
  await until(() => log.length === 2);
  const stopped = engine.stop(2000);
  calls.short.resolve();
  await stopped;
  expect(log.slice(2)).toEqual(["short ends"]);
  expect((await runs()).map(({ state, leaseToken }) => [state, leaseToken])).toEqual([
    ["queued", null],
    ["queued", null],
  ]);
  calls.long.resolve();
});

test("a failed run is replayed from its failed step", async () => {
  const client = embeddedClient();
  const log: string[] = [];
  let broken = true;
  const fn = client.createFunction({ id: "fn", retries: 0, triggers: { event: "go" } }, async ({ step }) => {
    await step.run("first", () => void log.push("first"));
    await step.run("second", () => {
      if (broken) throw new Error("broken");
      log.push("second");
    });
  });
  await start({ client, functions: [fn] });
  await emit(db(), { name: "go", data: {} });
  await finished(1);
  const [dead] = await runs();
  expect(dead).toMatchObject({ state: "failed", error: { message: "broken" } });

  broken = false;
  await replayRun(db(), dead?.id ?? "");
  await until(async () => (await runs())[0]?.state === "completed");
  expect(log).toEqual(["first", "second"]);
  await expect(replayRun(db(), dead?.id ?? "")).rejects.toMatchObject({ code: "conflict" });
  await expect(replayRun(db(), "jr_unknown")).rejects.toMatchObject({ code: "not_found" });
});

test("a database outage only delays runs", async () => {
  const client = embeddedClient();
  const done = new Set<string>();
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async ({ runId, step }) => {
    for (const name of ["a", "b", "c"]) {
      await step.run(name, async () => {
        await sleep(20);
        done.add(`${runId} ${name}`);
      });
    }
  });
  const flaky = unreliable();
  // A claim whose response is lost is reclaimed when its lease ends.
  await start({ client, functions: [fn], db: flaky.db, leaseMs: 600 });
  await emit(db(), ...Array.from({ length: 10 }, () => ({ name: "go", data: {} })));
  await until(() => done.size > 0);
  flaky.away("before");
  await sleep(300);
  flaky.away("after");
  await sleep(300);
  flaky.away(undefined);
  await until(async () => (await runs()).filter(({ state }) => state === "completed").length === 10);
  expect(done.size).toBe(30);
});

/** The database, whose transactions can be made to fail before they begin or, worse, after they were committed. */
function unreliable() {
  let when: "before" | "after" | undefined;
  const gone = () => Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });
  const real = db();
  const transaction: typeof real.transaction = async (work, config) => {
    if (when === "before") throw gone();
    const result = await real.transaction(work, config);
    if (when === "after") throw gone();
    return result;
  };
  return {
    db: new Proxy(real, { get: (target, key) => (key === "transaction" ? transaction : Reflect.get(target, key)) }),
    away: (now: typeof when) => {
      when = now;
    },
  };
}

test("expired runs are deleted, failed ones later", async () => {
  const day = 86_400_000;
  const run = (state: "completed" | "failed", age: number) => ({
    id: newId("jr"),
    functionId: "fn",
    eventId: newId("evt"),
    event: { id: "e", name: "go", data: {}, ts: 0 },
    state,
    maxAttempts: 1,
    lane: "",
    finishedAt: Date.now() - age,
  });
  await db()
    .insert(jobRuns)
    .values([run("completed", 1), run("completed", 4 * day), run("failed", 4 * day), run("failed", 31 * day)]);
  await emit(db(), { name: "old", data: {} }, { name: "waiting", data: {} });
  await db().update(jobEvents).set({ dispatchedAt: 0 }).where(eq(jobEvents.name, "old"));
  await reap(db());
  expect((await runs()).map(({ state }) => state).sort()).toEqual(["completed", "failed"]);
  expect((await db().select().from(jobEvents)).map(({ name }) => name)).toEqual(["waiting"]);
});

test("health reports the age of due work", async () => {
  expect(await jobHealth(db())).toMatchObject({ oldestDueMs: null, oldestEventMs: null, waitingEvents: 0, runs: {} });
  const client = embeddedClient();
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async ({ step }) => {
    await step.sleep("nap", "1h");
  });
  await emit(db(), { name: "go", data: {} });
  await sleep(50);
  const before = await jobHealth(db());
  expect(before.waitingEvents).toBe(1);
  expect(before.oldestEventMs).toBeGreaterThanOrEqual(50);
  const engine = await start({ client, functions: [fn] });
  await until(async () => (await runs())[0]?.state === "sleeping");
  expect(await jobHealth(db())).toMatchObject({ oldestDueMs: null, runs: { sleeping: 1 } });
  await engine.stop();
  await db()
    .update(jobRuns)
    .set({ dueAt: Date.now() - 5000 });
  expect((await jobHealth(db())).oldestDueMs).toBeGreaterThanOrEqual(5000);
});

test("an unsupported option of a function is refused at start, and the error names it", async () => {
  const client = embeddedClient();
  const refused = async (options: object, why: string) => {
    const fn = client.createFunction({ id: "fn", triggers: { event: "go" }, ...options }, async () => {});
    await expect(startEngine({ db: db(), client, functions: [fn] })).rejects.toThrow(why);
  };
  await refused({ throttle: { limit: 1, period: "1s" } }, "`throttle`");
  await refused({ concurrency: { limit: 1, key: "lower(event.data.id)" } }, "lower");
  await refused({ triggers: { event: "app/*" } }, "`app/*`");
  await refused({ triggers: { cron: "every day" } }, "`every day`");
  await refused({ triggers: { event: "go", if: "user.id == 1" } }, "user.id == 1");
});

test("a claim reads the front of every lane, however long the others are", async () => {
  const values = (lane: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: newId("jr"),
      projectId: lane,
      functionId: "fn",
      eventId: newId("evt"),
      event: { id: "e", name: "go", data: {}, ts: 0 },
      state: "queued" as const,
      maxAttempts: 1,
      lane,
      callAt: 1000 + index,
      dueAt: 1000 + index,
      queueAt: 1000 + index,
      concurrencyKeys: [{ key: lane, limit: 1 }],
    }));
  await db()
    .insert(jobRuns)
    .values([...values("a", 300), ...values("b", 300), ...values("c", 1)]);
  await db().execute(sql`analyze job_runs`);
  const claim = () => claimRuns(db(), { functionIds: ["fn"], slots: 10, leaseMs: 60_000, except: [] });
  expect(await claim()).toHaveLength(3);
  expect(await claim()).toHaveLength(0);
});
