import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  decodeTraces,
  listConversations,
  projectIsolatingFailures,
  projectPending,
  runProjector,
  storeTraces,
} from "..";
import { claimBacklog } from "../ingest/claim-traces";
import { READER_VERSION } from "../otlp";
import { chatSpan, otlpJson } from "../testing";
import { createReReader } from "./read-again";

const EARLIER = READER_VERSION - 1;
const trace = (n: number) => `${n}`.padStart(32, "c");

beforeEach(async () => {
  await db().execute(sql`delete from projection_queue`);
  await db().execute(sql`update conversations set reader_version = ${READER_VERSION}`);
});

async function read(ctx: Ctx, ...numbers: number[]) {
  for (const n of numbers) {
    const span = chatSpan({ traceId: trace(n), spanId: "1".repeat(16) });
    await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson([span]))), "json"));
  }
  while ((await projectPending(db())) > 0);
}

/** Makes conversations look as if the given version of the readers had counted seven errors in them. */
const misread = (ctx: Ctx, version: number) =>
  db().execute(sql`
    update conversations set error_count = 7, reader_version = ${version} where project_id = ${ctx.projectId}`);
const errorsOf = async (ctx: Ctx) =>
  (await listConversations(ctx, {})).conversations.map(({ errorCount }) => errorCount).sort();
const rebuildBacklog = () => projectIsolatingFailures(db(), undefined, claimBacklog);

test("conversations read by an earlier version are read again, and others are not", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  await read(ctx, 1, 2);
  await read(neighbour.ctx, 1);
  await misread(ctx, EARLIER);
  await misread(neighbour.ctx, READER_VERSION);

  const readAgain = createReReader();
  expect(await readAgain(db())).toBe(true);
  expect(await rebuildBacklog()).toMatchObject({ taken: 2, failed: 0 });
  expect(await errorsOf(ctx)).toEqual([0, 0]);
  expect(await errorsOf(neighbour.ctx)).toEqual([7]);
  expect(await readAgain(db())).toBe(false);
  expect(await createReReader()(db())).toBe(false);
});

test("a conversation that an earlier release stored can be filtered by its traits once it was read again", async () => {
  const { ctx } = await testProject();
  await read(ctx, 1);
  const provider = ["openai"];
  const ofProvider = async () => (await listConversations(ctx, { provider })).conversations.length;
  expect(await ofProvider()).toBe(1);
  await misread(ctx, EARLIER);
  await db().execute(sql`update conversations set traits = '{}' where project_id = ${ctx.projectId}`);
  await db().execute(sql`
    update conversation_search set terms = array(select term from unnest(terms) term where term not like 'provider:%')
    where project_id = ${ctx.projectId}`);
  expect(await ofProvider()).toBe(0);
  await createReReader()(db());
  await rebuildBacklog();
  expect(await ofProvider()).toBe(1);
});

test("none is queued while others are pending, and a process that starts later queues the remaining ones", async () => {
  const { ctx } = await testProject();
  await read(ctx, 1, 2);
  await misread(ctx, EARLIER);
  const readAgain = createReReader();
  expect(await readAgain(db())).toBe(true);
  expect(await createReReader()(db())).toBe(false);
  // As if the process had been killed with one of them read.
  await db().execute(sql`delete from projection_queue where trace_id = ${trace(1)}`);
  expect(await rebuildBacklog()).toMatchObject({ taken: 1 });
  expect(await errorsOf(ctx)).toEqual([0, 7]);
  expect(await createReReader()(db())).toBe(true);
  expect(await rebuildBacklog()).toMatchObject({ taken: 1 });
  expect(await errorsOf(ctx)).toEqual([0, 0]);
});

test("a parked conversation is not read again without a replay", async () => {
  const { ctx } = await testProject();
  await read(ctx, 1);
  await misread(ctx, EARLIER);
  await db().execute(sql`
    insert into parked_traces (project_id, trace_id, received_at, attempts, reason, alone, version)
    values (${ctx.projectId}, ${trace(1)}, 1, 5, 'unreadable', false, '0')`);
  expect(await createReReader()(db())).toBe(false);
});

test("a pass takes only a few long conversations", async () => {
  const { ctx } = await testProject();
  await read(ctx, 1, 2, 3);
  await misread(ctx, EARLIER);
  await db().execute(sql`update conversations set message_count = 400 where project_id = ${ctx.projectId}`);
  await createReReader()(db());
  expect(await rebuildBacklog()).toMatchObject({ taken: 2 });
  expect(await rebuildBacklog()).toMatchObject({ taken: 1 });
});

test("a running projector reads conversations of an earlier version again", async () => {
  const { ctx } = await testProject();
  await read(ctx, 1);
  await misread(ctx, EARLIER);
  const stop = new AbortController();
  const running = runProjector({ signal: stop.signal });
  await expect.poll(() => errorsOf(ctx), { timeout: 30_000 }).toEqual([0]);
  stop.abort();
  await running;
});
