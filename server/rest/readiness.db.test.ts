import { sql } from "drizzle-orm";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { GET } from "@/app/readyz/route";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { recordDatabaseSuccess, unavailable } from "@/server/platform/database/database-fault";
import { MINUTE_MS } from "@/server/platform/durations";
import { eventLoopDelay, watchEventLoop } from "@/server/platform/event-loop/watch";
import { type Check, readiness } from "./readiness";

type Body = { status: string; checks: Record<string, Check>; eventLoopDelay: { p99Ms: number; maxMs: number } | null };
const ask = async (...given: Parameters<typeof readiness>) => {
  const reply = await readiness(...given);
  return { ...((await reply.json()) as Body), http: reply.status };
};
const ago = (ms: number) => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint - ${ms}::bigint`;

beforeEach(async () => {
  recordDatabaseSuccess("write");
  await db().execute(sql`delete from job_events`);
  await db().execute(sql`delete from job_runs`);
});

test("an unreachable database is failing, and the other components are unknown", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7"), { code: "ECONNREFUSED" });
  const { http, status, checks } = await ask({ execute: () => Promise.reject(refused) } as never);
  expect([http, status]).toEqual([503, "not_ready"]);
  expect(checks.database).toEqual({ status: "failing", reason: "The database cannot be reached." });
  expect([checks.jobs?.status, checks.projector?.status]).toEqual(["unknown", "unknown"]);
  expect(JSON.stringify(checks)).not.toContain("10.0.0.7");
});

test("a database without disk space is failing, until a write succeeds", async () => {
  unavailable("full", undefined);
  const full = await ask();
  expect([full.http, full.checks.database?.reason]).toEqual([503, expect.stringContaining("out of disk space")]);
  expect(full.checks.jobs?.status).toBe("ok");
  recordDatabaseSuccess("read");
  expect((await ask()).http).toBe(503);
  recordDatabaseSuccess("write");
  expect((await ask()).http).toBe(200);
});

const event = (id: string, createdMs: number, takenMs: number | null) =>
  db().execute(sql`
    insert into job_events (id, name, data, created_at, dispatched_at)
    values (${id}, 'nobody/listens', '{}', ${ago(createdMs)}, ${takenMs === null ? sql`null` : ago(takenMs)})`);
const run = (id: string, dueMs: number, finishedMs: number | null) =>
  db().execute(sql`
    insert into job_runs (id, function_id, event_id, event, state, max_attempts, lane, due_at, queue_at, finished_at)
    values (${id}, 'fn', ${id}, '{}', ${finishedMs === null ? "queued" : "completed"}, 1, 'lane',
            ${finishedMs === null ? ago(dueMs) : sql`null`}, ${ago(dueMs)}, ${finishedMs === null ? sql`null` : ago(finishedMs)})`);

test("pending events are a failure when none are being dispatched, and a backlog when others are", async () => {
  await event("waits", 10 * MINUTE_MS, null);
  expect((await ask()).checks.jobs).toMatchObject({
    status: "failing",
    reason: expect.stringMatching(/60\d s.*none are being dispatched/),
  });
  await event("taken", 10 * MINUTE_MS, 0);
  expect((await ask()).checks.jobs?.status).toBe("ok");
});

test("due runs are a failure when none are completing, and a backlog when others do", async () => {
  await run("due", 10 * MINUTE_MS, null);
  await run("done-long-ago", 20 * MINUTE_MS, 15 * MINUTE_MS);
  expect((await ask()).checks.jobs).toMatchObject({
    status: "failing",
    reason: expect.stringMatching(/60\d s.*none are completing/),
  });
  await run("done", 10 * MINUTE_MS, MINUTE_MS);
  expect((await ask()).checks.jobs).toMatchObject({
    status: "ok",
    reason: expect.stringMatching(/60\d s, but others are completing/),
  });
});

test("waiting spans are a failure when no projector makes progress, and a backlog when one does", async () => {
  const { ctx } = await testProject();
  const queued = (attempts: number) =>
    db().execute(sql`
      insert into projection_queue (project_id, trace_id, received_at, attempts)
      values (${ctx.projectId}, ${`trace-${attempts}`}, ${ago(MINUTE_MS)}, ${attempts})`);
  await queued(0);
  expect((await ask()).checks.projector).toMatchObject({
    status: "failing",
    reason: expect.stringMatching(/6\d s.*none are becoming/),
  });
  await db().execute(
    sql`insert into projectors (id, backend, working_on, progressed_at) values ('one', '', '[]', ${ago(0)})`,
  );
  expect((await ask()).checks.projector).toMatchObject({
    status: "ok",
    reason: expect.stringMatching(/6\d s.*others are becoming/),
  });

  // Traces that cannot be rebuilt are reported, but do not affect readiness.
  await db().execute(sql`delete from projection_queue`);
  await queued(3);
  await db().execute(sql`insert into traces (project_id, id) values (${ctx.projectId}, 'hopeless')`);
  await db().execute(sql`
    insert into parked_traces (project_id, trace_id, received_at, attempts, reason, alone, version)
    values (${ctx.projectId}, 'hopeless', 1, 5, 'secret of a customer', false, '0')`);
  const { http, checks } = await ask();
  expect([http, checks.projector?.status]).toEqual([200, "ok"]);
  expect(checks.projector?.reason).toMatch(
    /1 could not be rebuilt and will be retried, and 1 could not be rebuilt and are quarantined/,
  );
  expect(JSON.stringify(checks)).not.toMatch(/secret|hopeless/);
});

test("a web process reports how late its event loop was, which never makes it unready", async () => {
  expect(await ask()).toMatchObject({ http: 200, eventLoopDelay: null, checks: { web: { status: "unknown" } } });
  onTestFinished(watchEventLoop({ report: () => {} }));
  await vi.waitUntil(() => eventLoopDelay() !== null, { timeout: 30_000 });
  const { http, eventLoopDelay: delay, checks } = await ask();
  expect([http, delay]).toEqual([200, { p99Ms: expect.any(Number), maxMs: expect.any(Number) }]);
  expect(checks.web).toEqual({ status: "ok", reason: expect.stringContaining(`at most ${delay?.maxMs} ms late`) });
});

test("concurrent probes query the database once", async () => {
  const asked = vi.spyOn(db(), "execute");
  const alone = await GET();
  const questions = asked.mock.calls.length;
  const replies = await Promise.all(Array.from({ length: 50 }, () => GET()));
  expect(asked.mock.calls.length).toBe(2 * questions);
  expect(new Set(await Promise.all(replies.map((reply) => reply.text())))).toEqual(new Set([await alone.text()]));
  asked.mockRestore();
});
