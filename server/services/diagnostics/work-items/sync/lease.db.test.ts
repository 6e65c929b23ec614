import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { jobEvents, workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createClockWatch } from "@/server/platform/database/clock-watch";
import { openTracker } from "@/server/services/connections";
import { startGithub } from "@/testbed/trackers/github-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { getWorkItem, handOff, handOffMany } from "../..";
import { readWorkItem } from "../rows";
import { connectTracker, failedTool, runTurns } from "../testing";
import { createTicket } from "./create-ticket";
import { LEASE_MS, leaseEnd, leaseWorkItem, whileLeased } from "./lease";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

/** How long GitHub's lists may lack a new ticket. */
const LAG_MS = 15_000;

let github: SimulatedTracker;
beforeEach(async () => {
  github = await startGithub();
});
afterEach(() => github.stop());

const isCreation = ({ method, path }: { method: string; path: string }) =>
  method === "POST" && path.endsWith("/issues");

/** Returns a pending work item that no process has begun. */
async function pendingItem() {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  const { results } = await handOffMany(ctx, { findingIds: [findingId], provider: "github" });
  return { ctx, id: results[0]!.workItemId! };
}

const set = (id: string, values: Partial<typeof workItems.$inferInsert>) =>
  db().update(workItems).set(values).where(eq(workItems.id, id));
const stateOf = async (ctx: Ctx, id: string) => (await getWorkItem(ctx, { workItemId: id })).workItem.state;

async function leased(ctx: Ctx, id: string) {
  const item = await leaseWorkItem(ctx, id);
  if (!item) throw new Error("Another process has the work item.");
  return item;
}

test("a handoff whose process is killed is woken when its short lease ends", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  const before = Date.now();
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  const [event] = await db()
    .select({ at: jobEvents.occurredAt })
    .from(jobEvents)
    .where(sql`${jobEvents.name} = 'repair/work-item.due' and ${jobEvents.data} ->> 'workItemId' = ${workItem.id}`);
  expect(event!.at - before).toBeGreaterThanOrEqual(LEASE_MS);
  expect(event!.at - before).toBeLessThan(LEASE_MS + (Date.now() - before) + 1);
});

test("a lease is renewed while the work goes on, and others wait for it", async () => {
  const { ctx, id } = await pendingItem();
  const item = await leased(ctx, id);
  await whileLeased(
    ctx,
    item,
    async () => {
      await vi.waitFor(async () =>
        expect((await readWorkItem(ctx, id)).leasedUntil).toBeGreaterThan(item.leasedUntil! + 1),
      );
      expect(await leaseWorkItem(ctx, id)).toBeUndefined();
    },
    2,
  );
});

test("a process that died before it called the tracker is followed at once when its lease ends", async () => {
  const { ctx, id } = await pendingItem();
  await set(id, { leasedUntil: Date.now() - 1 });
  expect(await runTurns(ctx, id)).toBeUndefined();
  expect(await stateOf(ctx, id)).toBe("open");
});

test("the lease of a process that died before the clock was set back has ended", async () => {
  const { ctx, id } = await pendingItem();
  await set(id, { leasedUntil: Date.now() + 3_600_000 });
  expect(await runTurns(ctx, id)).toBeUndefined();
  expect(await stateOf(ctx, id)).toBe("open");
});

test("a process that lives when the clock is set back keeps its lease by renewing it", async () => {
  const { ctx, id } = await pendingItem();
  const item = await leased(ctx, id);
  const later = item.leasedUntil! + 3_600_000;
  await set(id, { leasedUntil: later });
  await whileLeased(ctx, { ...item, leasedUntil: later }, async (renew) => {
    await renew();
    expect(await leaseWorkItem(ctx, id)).toBeUndefined();
    expect((await readWorkItem(ctx, id)).leasedUntil).toBeLessThan(later);
  });
});

const HOUR_MS = 3_600_000;

/** Makes all that is stored look as if the database's clock had jumped an hour ahead, and returns the watch of a process that saw it. */
async function jumpAhead(id: string, leaseMs: number) {
  const clock = createClockWatch(leaseMs);
  const askedAt = performance.now();
  clock.isSteady(Date.now() - HOUR_MS, askedAt);
  await db().execute(sql`update work_items set leased_until = leased_until - ${HOUR_MS}::bigint where id = ${id}`);
  return clock;
}

test("when the clock jumps ahead, a process that lives keeps its lease by renewing it", async () => {
  const { ctx, id } = await pendingItem();
  const item = await leased(ctx, id);
  const clock = await jumpAhead(id, LEASE_MS);
  expect(await leaseWorkItem(ctx, id, clock)).toBeUndefined();
  await whileLeased(ctx, await readWorkItem(ctx, id), async (renew) => {
    await renew();
    expect((await readWorkItem(ctx, id)).leasedUntil).toBeGreaterThanOrEqual(item.leasedUntil!);
    expect(await leaseWorkItem(ctx, id)).toBeUndefined();
  });
});

test("when the clock jumps ahead, a process that died is followed once its lease would have ended", async () => {
  const { ctx, id } = await pendingItem();
  await leased(ctx, id);
  const clock = await jumpAhead(id, 300);
  expect(await leaseWorkItem(ctx, id, clock)).toBeUndefined();
  await vi.waitFor(async () => expect(await leaseWorkItem(ctx, id, clock)).toBeDefined());
});

test("while the clock is unsteady, a process that finds a lease ended looks again soon, and not at once", async () => {
  const { ctx, id } = await pendingItem();
  await leased(ctx, id);
  await set(id, { leasedUntil: Date.now() - HOUR_MS });
  const [row] = await db()
    .select({ at: leaseEnd.mapWith(Number), now: sql`${NOW}`.mapWith(Number) })
    .from(workItems)
    .where(eq(workItems.id, id));
  expect(row!.at).toBeGreaterThan(row!.now);
});

test("a process that may have created a ticket is followed once the tracker lists it, and no other is created", async () => {
  const { ctx, id } = await pendingItem();
  github.fault = (request) => (isCreation(request) ? "lose" : undefined);
  const died = { ...ctx, db: withoutTransactions(ctx) };
  await expect(createTicket(died, await leased(ctx, id))).rejects.toThrow("The process was killed.");
  const lapsedAt = Date.now() - 1;
  await set(id, { leasedUntil: lapsedAt });
  github.fault = () => undefined;
  const sent = github.received.length;
  expect(await runTurns(ctx, id)).toBe(lapsedAt + LAG_MS);
  expect(github.received).toHaveLength(sent);
  await set(id, { dueAt: 0 });
  await runTurns(ctx, id);
  expect(await stateOf(ctx, id)).toBe("open");
  expect(github.tickets()).toHaveLength(1);
});

test("a process that lost its lease creates nothing and stores nothing", async () => {
  const { ctx, id } = await pendingItem();
  const item = await leased(ctx, id);
  const theirs = item.leasedUntil! + 60_000;
  await set(id, { leasedUntil: theirs });
  expect(await createTicket(ctx, item)).toEqual({ created: false, pending: true });
  expect(github.received.filter(isCreation)).toEqual([]);
  expect(await readWorkItem(ctx, id)).toMatchObject({
    ...{ leasedUntil: theirs, state: "pending", error: null, attempts: 0, uncertainSince: null },
  });
});

test("a process that loses its lease between two calls of a tracker does not write", async () => {
  const { ctx, id } = await pendingItem();
  const { externalId, connectionId, destination } = await (async () => {
    await runTurns(ctx, id);
    return readWorkItem(ctx, id);
  })();
  const item = await leased(ctx, id);
  const result = await whileLeased(ctx, item, async (renew) => {
    const { tracker } = await openTracker(ctx, connectionId, "sync", renew);
    await tracker.read(destination, externalId!);
    await set(id, { leasedUntil: item.leasedUntil! + 60_000 });
    await tracker.setDone(destination, externalId!, true);
  });
  expect(result).toBeUndefined();
  expect(github.tickets()).toMatchObject([{ isDone: false }]);
});

/** A database handle whose transactions fail: the tracker was called, and its reply is never stored. */
const withoutTransactions = (ctx: Ctx): Ctx["db"] =>
  new Proxy(ctx.db, {
    get(target, name, receiver) {
      if (name === "transaction") return () => Promise.reject(new Error("The process was killed."));
      return Reflect.get(target, name, receiver);
    },
  });
