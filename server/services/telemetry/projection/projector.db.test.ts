import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { beforeEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db, pool } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  decodeTraces,
  listConversations,
  listParkedTraces,
  projectIsolatingFailures,
  projectionHealth,
  projectPending,
  replayParkedTraces,
  runProjector,
  storeTraces,
} from "..";
import { claimAlone, claimBacklog, claimTraces } from "../ingest/claim-traces";
import { chatSpan, otlpJson, type TestSpan } from "../testing";
import { createJournal } from "./projector-journal";
import { isolateOrphanedTraces } from "./retry-traces";

const SPANS = ["1111111111111111", "2222222222222222"] as const;
const NOW_MS = Date.UTC(2026, 10, 1);
const BROKEN = "b".repeat(32);
const trace = (n: number) => `${n}`.padStart(32, "c");

beforeEach(async () => {
  await db().execute(sql`delete from projection_queue`);
  await db().execute(sql`delete from projectors`);
});

const send = (to: Ctx, span: Partial<TestSpan>) =>
  storeTraces(
    to,
    decodeTraces(Buffer.from(JSON.stringify(otlpJson([chatSpan({ spanId: SPANS[0], ...span })]))), "json"),
  );
const conversationsOf = async (ctx: Ctx) => (await listConversations(ctx, {})).conversations;
const breakTrace = (ctx: Ctx, attributes = "null") =>
  ctx.db.execute(
    sql`update spans set attributes = ${attributes}::jsonb where trace_id = ${BROKEN} and project_id = ${ctx.projectId}`,
  );
/** Makes all scheduled retries due. */
const later = () => db().execute(sql`update projection_queue set retry_at = 0`);

test("a trace that cannot be rebuilt is retried later and does not block others", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  await send(ctx, { traceId: BROKEN });
  await breakTrace(ctx);
  for (let i = 0; i < 5; i++) await send(ctx, { traceId: trace(i) });
  await send(neighbour.ctx, { traceId: trace(0) });

  await expect(projectPending(db())).rejects.toThrow();
  expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 7, failed: 1 });
  expect(await conversationsOf(ctx)).toHaveLength(5);
  expect(await conversationsOf(neighbour.ctx)).toHaveLength(1);
  expect(await projectionHealth(db())).toMatchObject({ oldestMs: null, retried: 1, parked: 0 });
  await db().execute(sql`update projection_queue set retry_at = retry_at + 3600000`);
  expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 0, failed: 0 });

  await breakTrace(ctx, "{}");
  await later();
  expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 1, failed: 0 });
  expect(await conversationsOf(ctx)).toHaveLength(6);
  expect(await projectionHealth(db())).toMatchObject({ retried: 0 });
});

test("after five attempts a trace is parked with its reason, stays parked while it grows, and a replay retries it", async () => {
  const { ctx } = await testProject();
  const stranger = await testProject();
  await send(ctx, { traceId: BROKEN });
  await breakTrace(ctx);
  for (let n = 0; n < 5; n++) {
    await later();
    expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 1, failed: 1 });
  }
  const { parkedTraces } = await listParkedTraces(ctx, {});
  expect(parkedTraces).toMatchObject([{ traceId: BROKEN, attempts: 5, reason: expect.stringMatching(/null/) }]);
  expect((await listParkedTraces(stranger.ctx, {})).parkedTraces).toEqual([]);
  expect(await projectionHealth(db())).toMatchObject({ retried: 0, parked: 1 });

  await send(ctx, { traceId: BROKEN, spanId: SPANS[1] });
  expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 0, failed: 0 });
  expect(await db().execute(sql`select 1 from projection_queue`)).toHaveLength(0);

  await breakTrace(ctx, "{}");
  expect(await replayParkedTraces(stranger.ctx, {})).toEqual({ replayed: 0 });
  expect(await replayParkedTraces(ctx, {})).toEqual({ replayed: 1 });
  expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 1, failed: 0 });
  expect((await listParkedTraces(ctx, {})).parkedTraces).toEqual([]);
});

test("a newer version retries traces that an older one parked when it starts", async () => {
  const { ctx } = await testProject();
  await send(ctx, { traceId: BROKEN });
  await db().execute(sql`delete from projection_queue`);
  await db().execute(sql`
    insert into parked_traces (project_id, trace_id, received_at, attempts, reason, alone, version)
    values (${ctx.projectId}, ${BROKEN}, 1, 5, 'unknown convention', false, '0.0.0')`);
  const stop = new AbortController();
  const running = runProjector({ signal: stop.signal });
  await expect.poll(() => conversationsOf(ctx)).toHaveLength(1);
  stop.abort();
  await running;
  expect(await db().execute(sql`select 1 from projectors`)).toHaveLength(0);
});

/** Simulates a projector whose process dies in the middle of a pass. */
async function dieWhileRebuilding(claim: (tx: Db) => ReturnType<typeof claimTraces>) {
  const own = postgres(process.env.DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  let taken = 0;
  await drizzle(own)
    .transaction(async (tx) => {
      const claims = await claim(tx as unknown as Db);
      taken = claims.flatMap(({ traceIds }) => traceIds).length;
      await createJournal(db()).begin(tx as unknown as Db, claims);
      await own.end({ timeout: 0 });
    })
    .catch(() => {});
  const gone = async () =>
    (
      await db().execute(sql`
    select 1 from projectors p join pg_stat_activity a on a.pid || ' ' || a.backend_start = p.backend`)
    ).length;
  await expect.poll(gone).toBe(0);
  return taken;
}

test("a trace that crashes its process is retried alone, affects no others, and is parked in the end", async () => {
  const { ctx } = await testProject();
  await send(ctx, { traceId: BROKEN });
  for (let i = 0; i < 3; i++) await send(ctx, { traceId: trace(i) });

  expect(await dieWhileRebuilding(claimTraces)).toBe(4);
  await isolateOrphanedTraces(db());
  await later();
  expect(await projectPending(db())).toBe(0); // none of them is rebuilt together with others
  await send(ctx, { traceId: BROKEN, spanId: SPANS[1] });
  expect(await projectPending(db())).toBe(0); // not even when more spans arrive
  await send(ctx, { traceId: trace(9) });
  expect(await projectPending(db())).toBe(1);

  for (let tries = 2; tries <= 5; tries++) {
    await later();
    expect(await dieWhileRebuilding(claimAlone)).toBe(1);
    await isolateOrphanedTraces(db());
  }
  expect((await listParkedTraces(ctx, {})).parkedTraces).toMatchObject([
    { traceId: BROKEN, attempts: 5, reason: expect.stringMatching(/process died/) },
  ]);
  await later();
  for (let i = 0; i < 3; i++)
    expect(await projectIsolatingFailures(db(), undefined, claimAlone)).toMatchObject({ taken: 1, failed: 0 });
  expect(await conversationsOf(ctx)).toHaveLength(4);
});

test("a pass that fails without ending its process isolates no traces", async () => {
  const { ctx } = await testProject();
  await send(ctx, { traceId: BROKEN });
  const journal = createJournal(db());
  await db()
    .transaction(async (tx) => {
      await journal.begin(tx, await claimTraces(tx));
      await isolateOrphanedTraces(db());
      throw new Error("the database went away");
    })
    .catch(() => {});
  await journal.clear();
  await isolateOrphanedTraces(db());
  expect(await projectPending(db())).toBe(1);
});

test("the backlog of an earlier version is rebuilt while nothing new is pending, and nothing else changes", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  const attributes = { "gen_ai.conversation.id": "s" };
  for (const of of [ctx, neighbour.ctx]) await send(of, { traceId: trace(0), attributes });
  while ((await projectPending(db())) > 0);
  const before = await conversationsOf(ctx);
  const stored = () => db().execute(sql`select id, received_at from conversations order by project_id, id`);
  const arrived = [...(await stored())];
  for (const of of [ctx, neighbour.ctx]) {
    await db().execute(
      sql`update conversations set error_count = 7, trace_ids = '{}' where project_id = ${of.projectId}`,
    );
    await db().execute(sql`
      insert into projection_queue (project_id, trace_id, received_at, backlog)
      select project_id, ${trace(0)}, received_at, true from conversations where project_id = ${of.projectId}`);
  }
  await send(ctx, { traceId: trace(1) });
  expect(await projectPending(db())).toBe(1);
  expect(await projectPending(db())).toBe(0);
  expect(await projectionHealth(db())).toMatchObject({ oldestMs: null });
  expect((await conversationsOf(ctx)).find(({ externalId }) => externalId === "s")).toMatchObject({ errorCount: 7 });

  // One project's trace cannot be read, the other's can.
  await db().execute(sql`update spans set attributes = 'null'::jsonb where project_id = ${neighbour.ctx.projectId}`);
  expect(await projectIsolatingFailures(db(), undefined, claimBacklog)).toMatchObject({ taken: 2, failed: 1 });
  expect((await conversationsOf(ctx)).find(({ externalId }) => externalId === "s")).toEqual(before[0]);
  expect(await projectIsolatingFailures(db(), undefined, claimBacklog)).toMatchObject({ taken: 0 });
  expect([...(await stored())]).toEqual(expect.arrayContaining(arrived));
});

test("a running projector processes the backlog", async () => {
  const { ctx } = await testProject();
  await send(ctx, { traceId: trace(0) });
  while ((await projectPending(db())) > 0);
  await db().execute(sql`update conversations set error_count = 7 where project_id = ${ctx.projectId}`);
  await db().execute(sql`
    insert into projection_queue (project_id, trace_id, received_at, backlog)
    values (${ctx.projectId}, ${trace(0)}, 1, true)`);
  const stop = new AbortController();
  const running = runProjector({ signal: stop.signal });
  await expect.poll(async () => (await conversationsOf(ctx))[0]?.errorCount, { timeout: 30_000 }).toBe(0);
  stop.abort();
  await running;
});

test("a burst larger than one pass is read completely and only once", async () => {
  const { ctx } = await testProject();
  const SESSIONS = 20;
  const TURNS = 120;
  // Each turn in a batch of its own: more queue rows than one pass claims, and every session in several passes.
  for (let turn = 0; turn < TURNS; turn++) {
    const spans = Array.from({ length: SESSIONS }, (_, n) =>
      chatSpan(
        {
          traceId: `${n}x${turn}`.replace("x", "0".repeat(8)).padStart(32, "e"),
          spanId: SPANS[0],
          startMs: NOW_MS + turn * 1000,
          attributes: { "session.id": `s${n}` },
        },
        { input: [["user", `question ${turn}`]], output: `answer ${turn}` },
      ),
    );
    await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson(spans))), "json"));
  }
  const stop = new AbortController();
  const running = runProjector({ signal: stop.signal });
  await expect
    .poll(async () => [...(await db().execute(sql`select 1 from projection_queue limit 1`))].length, {
      timeout: 60_000,
    })
    .toBe(0);
  stop.abort();
  await running;
  const read = await db().execute(sql`
    select c.message_count, c.model_call_count, cardinality(c.trace_ids) as traces,
           (select count(*)::int from conversation_messages m where m.project_id = c.project_id and m.conversation_id = c.id) as messages
    from conversations c where c.project_id = ${ctx.projectId}`);
  expect([...read]).toEqual(
    Array.from({ length: SESSIONS }, () => ({
      message_count: 2 * TURNS,
      model_call_count: TURNS,
      traces: TURNS,
      messages: 2 * TURNS,
    })),
  );
});

test("two projectors with one half of a duplicate pair each merge it, whichever commits first", async () => {
  const { ctx } = await testProject();
  const response = { "gen_ai.response.id": "msg_1" };
  const holder = await pool().sql.reserve();
  await holder`select pg_advisory_lock(hashtextextended(${`duplicate traces ${ctx.projectId}`}, 0))`;
  // Other tests wait in other databases of the same server.
  const waiting = async () =>
    (
      await holder`
        select 1 from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
    ).length;
  const passes: Promise<number>[] = [];
  const halves = [
    { traceId: trace(1), scope: "sdk", attributes: response },
    { traceId: trace(2), attributes: { ...response, "session.id": "s" } },
  ];
  for (const [n, half] of halves.entries()) {
    await send(ctx, half);
    passes.push(projectPending(db()));
    await expect.poll(waiting).toBe(n + 1);
  }
  await holder`select pg_advisory_unlock_all()`;
  holder.release();
  expect(await Promise.all(passes)).toEqual([1, 1]);
  expect(await conversationsOf(ctx)).toMatchObject([
    { externalId: "s", traceIds: [trace(1), trace(2)], modelCallCount: 1 },
  ]);
});
