import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { and, eq, isNull, sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { compactions, conversationMessages } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import {
  compactContent,
  decodeLogs,
  decodeTraces,
  deleteUnusedContent,
  getCompaction,
  projectPending,
  runningCompactions,
  storeLogs,
  storeTraces,
  updateCompaction,
} from "..";
import { loadLogs, loadSpans } from "../projection/load-spans";
import { chatSpan, otlpJson } from "../testing";

const TRACE = (n: number) => `${n}`.padStart(32, "e");
const SPAN = (n: number) => `${n}`.padStart(16, "f");
const SPANS = 30;
/** Returns text that does not compress, much like real messages. */
const said = (n: number) =>
  Array.from({ length: 10 }, (_, m) => createHash("sha256").update(`${n} ${m}`).digest("base64url")).join(" ");

/** Stores a session as an earlier version did: each span and log record in one piece. */
async function storeWhole(ctx: Ctx) {
  for (let n = 0; n < SPANS; n++) {
    const span = chatSpan(
      { traceId: TRACE(n % 5), spanId: SPAN(n), attributes: { "gen_ai.conversation.id": "old" } },
      { input: Array.from({ length: n + 10 }, (_, m): [string, string] => [m % 2 ? "assistant" : "user", said(m)]) },
    );
    await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson([span]))), "json"));
  }
  const record = {
    traceId: TRACE(0),
    spanId: SPAN(0),
    timeUnixNano: `${Date.UTC(2026, 10, 1)}000000`,
    eventName: "noted",
    body: { stringValue: Array.from({ length: 40 }, (_, n) => said(n)).join("\n") },
  };
  const body = { resourceLogs: [{ scopeLogs: [{ scope: { name: "notes" }, logRecords: [record] }] }] };
  await storeLogs(ctx, decodeLogs(Buffer.from(JSON.stringify(body)), "json"));
  while ((await projectPending(db())) > 0);

  const before = await contents(ctx);
  for (const span of before.spans)
    await db().execute(sql`
      update spans set attributes = ${JSON.stringify(span.attributes)}::text::jsonb, content = null, chunk_ids = null
      where project_id = ${ctx.projectId} and trace_id = ${span.traceId} and span_id = ${span.spanId}`);
  for (const log of before.logs)
    await db().execute(sql`
      update log_records set body = ${JSON.stringify(log.body)}::text::jsonb, content = null, chunk_ids = null
      where project_id = ${ctx.projectId} and trace_id = ${log.traceId}`);
  await db().execute(sql`delete from content_chunks where project_id = ${ctx.projectId}`);
  await db().execute(sql`delete from content_parts where project_id = ${ctx.projectId}`);
  await db().insert(compactions).values({ projectId: ctx.projectId });
}

async function contents({ projectId }: Ctx) {
  const traceIds = Array.from({ length: 5 }, (_, n) => TRACE(n));
  const spans = [];
  for await (const page of loadSpans(db(), projectId, traceIds)) spans.push(...page);
  const inOrder = spans.sort((one, other) => one.spanId.localeCompare(other.spanId));
  return JSON.parse(JSON.stringify({ spans: inOrder, logs: await loadLogs(db(), projectId, traceIds) })) as {
    spans: { traceId: string; spanId: string; attributes: object }[];
    logs: { traceId: string; body: unknown }[];
  };
}
const charactersOf = async ({ projectId }: Ctx) => {
  const [row] = await db().execute<{ n: number }>(sql`
    select (select coalesce(sum(length(attributes::text)), 0) from spans where project_id = ${projectId})
         + (select coalesce(sum(length(body::text)), 0) from log_records where project_id = ${projectId})
         + (select coalesce(sum(length(content)), 0) from content_parts where project_id = ${projectId}) as n`);
  return Number(row!.n);
};

let ctx: Ctx;
let neighbour: Ctx;
beforeAll(async () => {
  ctx = (await testProject()).ctx;
  neighbour = (await testProject()).ctx;
  for (const project of [ctx, neighbour]) await storeWhole(project);
});
beforeEach(async () => {
  await db().update(compactions).set({ state: "paused" }).where(isNull(compactions.completedAt));
  await db()
    .update(compactions)
    .set({ state: "running" })
    .where(and(eq(compactions.projectId, ctx.projectId), isNull(compactions.completedAt)));
});

test("content stored whole is moved in steps, and reads the same after each", async () => {
  const [before, characters] = [await contents(ctx), await charactersOf(ctx)];
  const messages = () =>
    db().select().from(conversationMessages).where(eq(conversationMessages.projectId, ctx.projectId));
  const read = await messages();
  expect(await runningCompactions(db())).toEqual([ctx.projectId]);
  let steps = 0;
  while (!(await compactContent(ctx, { forMs: 0 })).done) {
    steps += 1;
    expect(isDeepStrictEqual(await contents(ctx), before)).toBe(true);
  }
  // Spans until none is left, then log records.
  expect(steps).toBeGreaterThanOrEqual(3);
  expect(isDeepStrictEqual(await contents(ctx), before)).toBe(true);
  const saved = characters - (await charactersOf(ctx));
  const { compaction } = await getCompaction(ctx, {});
  expect(compaction).toMatchObject({ state: "completed", rowsExamined: SPANS + 1, completedAt: expect.any(Number) });
  expect(compaction?.rowsMoved).toBeGreaterThan(SPANS - 5);
  expect(saved).toBeGreaterThan(0.8 * characters);
  // For text in a JSON column, the row also contained the quotes and escapes.
  expect(compaction?.charactersSaved).toBeGreaterThan(0.7 * saved);
  expect(compaction?.charactersSaved).toBeLessThanOrEqual(saved);

  await db().execute(sql`
    insert into projection_queue (project_id, trace_id, received_at)
    select project_id, id, 1 from traces where project_id = ${ctx.projectId}`);
  while ((await projectPending(db())) > 0);
  expect(isDeepStrictEqual(await messages(), read)).toBe(true);
  await expect(updateCompaction(ctx, { paused: true })).rejects.toMatchObject({ code: "conflict" });
  await inTransaction(ctx, (tx) => deleteUnusedContent(tx));
  expect(isDeepStrictEqual(await contents(ctx), before)).toBe(true);
});

test("a paused compaction does nothing, and resumes where it stopped", async () => {
  await updateCompaction(neighbour, { paused: false });
  await compactContent(neighbour, { forMs: 0 });
  const at = (await getCompaction(neighbour, {})).compaction;
  expect(at).toMatchObject({ state: "running", rowsExamined: SPANS });
  await updateCompaction(neighbour, { paused: true });
  expect(await compactContent(neighbour, { forMs: 100 })).toEqual({ done: true });
  expect((await getCompaction(neighbour, {})).compaction).toEqual({ ...at, state: "paused" });
  await updateCompaction(neighbour, { paused: false });
  while (!(await compactContent(neighbour, { forMs: 100 })).done);
  expect((await getCompaction(neighbour, {})).compaction).toMatchObject({
    state: "completed",
    rowsExamined: SPANS + 1,
  });
});

test("pending telemetry goes first, and a locked row is left unchanged", async () => {
  const { ctx: own } = await testProject();
  await storeWhole(own);
  await db().execute(sql`
    insert into projection_queue (project_id, trace_id, received_at) values (${own.projectId}, ${TRACE(0)}, 1)`);
  expect(await compactContent(own, { forMs: 1_000 })).toEqual({ done: false });
  expect((await getCompaction(own, {})).compaction).toMatchObject({ rowsExamined: 0 });
  while ((await projectPending(db())) > 0);

  await db().transaction(async (deleting) => {
    await deleting.execute(
      sql`select 1 from spans where project_id = ${own.projectId} and span_id = ${SPAN(20)} for update`,
    );
    while (!(await compactContent(own, { forMs: 1_000 })).done);
  });
  const whole = await db().execute(
    sql`select span_id from spans where project_id = ${own.projectId} and content is null and length(attributes::text) > 5000`,
  );
  expect([...whole]).toEqual([{ span_id: SPAN(20) }]);
});

test("a new project has nothing to move", async () => {
  const { ctx: fresh } = await testProject();
  expect(await getCompaction(fresh, {})).toEqual({ compaction: null });
  await expect(updateCompaction(fresh, { paused: true })).rejects.toMatchObject({ code: "not_found" });
});
