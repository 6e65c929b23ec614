import { sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  decodeLogs,
  decodeTraces,
  deleteConversations,
  projectIsolatingFailures,
  projectPending,
  ReadingCache,
  storeLogs,
  storeTraces,
} from "..";
import type { LogRecord, SpanRecord } from "../otlp/types";
import { chatSpan, hasRealPayloads, otlpJson, realPayloads, type TestSpan } from "../testing";

/** A cache in another process, which erasures do not reach. */
class DistantCache extends ReadingCache {
  override forget() {}
}

beforeEach(async () => {
  await db().execute(sql`delete from projection_queue`);
});

const project = async (cache?: ReadingCache) => {
  while ((await projectPending(db(), cache)) > 0);
};

/** Returns everything stored of each conversation, except ids that differ between projects and the times of writing. */
async function contentsOf({ projectId }: Ctx) {
  const rows = (table: string, order: string) =>
    db().execute<{ row: Record<string, unknown> }>(sql`
      select to_jsonb(t) - array['project_id', 'id', 'conversation_id', 'received_at', 'created_at', 'updated_at', 'identity', 'digest']
        || jsonb_build_object('of', c.key) as row
      from ${sql.identifier(table)} t join conversations c
        on c.project_id = t.project_id and c.id = ${sql.raw(table === "conversations" ? "t.id" : "t.conversation_id")}
      where t.project_id = ${projectId} order by c.key, ${sql.raw(order)}`);
  const all = {
    conversations: await rows("conversations", "1"),
    messages: await rows("conversation_messages", "position"),
    modelCalls: await rows("model_calls", "trace_id, span_id"),
    toolCalls: await rows("tool_calls", "trace_id, span_id"),
    search: await rows("conversation_search", "1"),
    feedback: await rows("feedback", "trace_id, span_id, kind, value::text"),
  };
  return Object.fromEntries(Object.entries(all).map(([name, found]) => [name, [...found].map(({ row }) => row)]));
}

/** Expects that rebuilding every trace from scratch, including a search for duplicates of every call, changes nothing. */
async function expectUnchangedByRebuild(ctx: Ctx) {
  const before = await contentsOf(ctx);
  await db().execute(sql`
    insert into projection_queue (project_id, trace_id, received_at)
    select project_id, id, 1 from traces where project_id = ${ctx.projectId}`);
  while ((await projectIsolatingFailures(db())).taken > 0);
  expect(await contentsOf(ctx)).toEqual(before);
  return before;
}

const TRACE = (n: number) => `${n}`.padStart(32, "a");
const SPAN = (n: number) => `${n}`.padStart(16, "b");

const send = (ctx: Ctx, span: TestSpan) =>
  storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson([span]))), "json"));

const say = (ctx: Ctx, n: number, said: string[], more: Partial<TestSpan> = {}) =>
  send(
    ctx,
    chatSpan(
      { traceId: TRACE(1), spanId: SPAN(n), startMs: Date.UTC(2026, 10, 1) + n * 1000, ...more },
      { input: said.map((text, at): [string, string] => [at % 2 ? "assistant" : "user", text]), output: `reply ${n}` },
    ),
  );

type SentLog = { traceId: string; spanId: string; at: number; content: string; user?: string };
function sendLog(ctx: Ctx, { traceId, spanId, at, content, user }: SentLog) {
  const record = {
    traceId,
    spanId,
    timeUnixNano: `${Date.UTC(2026, 10, 1) + at}000000`,
    eventName: "gen_ai.user.message",
    body: { kvlistValue: { values: [{ key: "content", value: { stringValue: content } }] } },
    attributes: user === undefined ? [] : [{ key: "user.id", value: { stringValue: user } }],
  };
  const body = { resourceLogs: [{ scopeLogs: [{ scope: { name: "notes" }, logRecords: [record] }] }] };
  return storeLogs(ctx, decodeLogs(Buffer.from(JSON.stringify(body)), "json"));
}

async function erase(ctx: Ctx, { remember }: { remember: boolean }) {
  const rows = await db().execute<{ id: string }>(
    sql`select id from conversations where project_id = ${ctx.projectId} order by key limit 1`,
  );
  await db().transaction((tx) =>
    deleteConversations(
      { ...ctx, db: tx },
      [...rows].map(({ id }) => id),
      { remember },
    ),
  );
}

const texts = async (ctx: Ctx) =>
  (await contentsOf(ctx)).messages?.map(({ parts }) => (parts as { text: string }[])[0]?.text);

describe("a cached reading is used only while it matches the database:", () => {
  test("a span that is replaced", async () => {
    const { ctx } = await testProject();
    const cache = new DistantCache({ atOnce: true });
    await say(ctx, 1, ["first"]);
    await project(cache);
    expect(cache.size).toBe(1);
    await db().execute(sql`
      update spans set attributes = replace(attributes::text, 'first', 'other')::jsonb where project_id = ${ctx.projectId}`);
    await say(ctx, 2, ["other", "reply 1", "second"]);
    await project(cache);
    expect(await texts(ctx)).toEqual(["other", "reply 1", "second", "reply 2"]);
    await expectUnchangedByRebuild(ctx);
  });

  test("a span and a log record that are gone", async () => {
    const { ctx } = await testProject();
    const cache = new DistantCache({ atOnce: true });
    await say(ctx, 1, ["first"]);
    await send(ctx, { traceId: TRACE(1), spanId: SPAN(2), attributes: { "gen_ai.operation.name": "chat" } });
    await sendLog(ctx, { traceId: TRACE(1), spanId: SPAN(2), at: 9000, content: "logged", user: "ann" });
    await project(cache);
    expect(await texts(ctx)).toContain("logged");
    await db().execute(sql`delete from log_records where project_id = ${ctx.projectId}`);
    await say(ctx, 3, ["third"]);
    await project(cache);
    expect(await texts(ctx)).toEqual(["first", "reply 1", "third", "reply 3"]);
    await db().execute(sql`delete from spans where project_id = ${ctx.projectId} and span_id = ${SPAN(1)}`);
    await say(ctx, 4, ["fourth"]);
    await project(cache);
    expect(await texts(ctx)).toEqual(["third", "reply 3", "fourth", "reply 4"]);
    await expectUnchangedByRebuild(ctx);
  });

  test("a conversation that is erased, and sent again with other content under the same ids", async () => {
    for (const cache of [new ReadingCache({ atOnce: true }), new DistantCache({ atOnce: true })]) {
      const { ctx } = await testProject();
      await say(ctx, 1, ["first"], { attributes: { "session.id": "s" } });
      await project(cache);
      await erase(ctx, { remember: false });
      await say(ctx, 1, ["other"], { attributes: { "session.id": "s" } });
      await project(cache);
      expect(await texts(ctx)).toEqual(["other", "reply 1"]);
      await erase(ctx, { remember: true });
      await say(ctx, 1, ["first"]);
      await project(cache);
      expect(await contentsOf(ctx)).toMatchObject({ conversations: [], messages: [] });
    }
  });

  test("a conversation erased in this process is no longer cached", async () => {
    const { ctx } = await testProject();
    const cache = new ReadingCache({ atOnce: true });
    await say(ctx, 1, ["first"]);
    await project(cache);
    expect(cache.size).toBe(1);
    await erase(ctx, { remember: true });
    expect(cache).toMatchObject({ size: 0, bytes: 0 });
  });

  test("a log record that arrives after its span, or before it", async () => {
    const { ctx } = await testProject();
    const cache = new ReadingCache({ atOnce: true });
    const bare = { traceId: TRACE(1), attributes: { "gen_ai.operation.name": "chat" } };
    await send(ctx, { ...bare, spanId: SPAN(1) });
    await project(cache);
    await sendLog(ctx, { traceId: TRACE(1), spanId: SPAN(1), at: 2, content: "later" });
    await sendLog(ctx, { traceId: TRACE(1), spanId: SPAN(2), at: 9000, content: "before its span", user: "ann" });
    await project(cache);
    await sendLog(ctx, { traceId: TRACE(1), spanId: SPAN(1), at: 1, content: "earlier" });
    await send(ctx, { ...bare, spanId: SPAN(2), startMs: Date.UTC(2026, 10, 1, 13) });
    await project(cache);
    expect(await texts(ctx)).toEqual(["earlier", "later", "before its span"]);
    expect(await expectUnchangedByRebuild(ctx)).toMatchObject({ conversations: [{ user_id: "ann" }] });
  });

  test("a trace that another worker has moved to a session", async () => {
    const { ctx } = await testProject();
    const [here, there] = [new DistantCache({ atOnce: true }), new DistantCache({ atOnce: true })];
    await say(ctx, 1, ["a"], { attributes: { "session.id": "s" } });
    await say(ctx, 2, ["b"], { traceId: TRACE(2) });
    await project(here);
    await say(ctx, 3, ["c"], { traceId: TRACE(2), attributes: { "session.id": "s" } });
    await project(there);
    await say(ctx, 4, ["d"], { traceId: TRACE(2) });
    await project(here);
    expect(await texts(ctx)).toEqual(["a", "reply 1", "b", "reply 2", "c", "reply 3", "d", "reply 4"]);
    await say(ctx, 5, ["e"]);
    await project(there);
    await expectUnchangedByRebuild(ctx);
  });

  test("a failed pass leaves nothing half read behind", async () => {
    const { ctx } = await testProject();
    const cache = new ReadingCache({ atOnce: true });
    const session = { attributes: { "session.id": "s" } };
    await say(ctx, 1, ["a"], session);
    await project(cache);
    await say(ctx, 2, ["a", "reply 1", "b"], session);
    await say(ctx, 3, ["c"], { traceId: TRACE(2), ...session });
    const broken = sql`project_id = ${ctx.projectId} and trace_id = ${TRACE(2)}`;
    await db().execute(sql`update spans set attributes = 'null' where ${broken}`);
    await expect(projectPending(db(), cache)).rejects.toThrow();
    expect(await projectIsolatingFailures(db())).toMatchObject({ taken: 2, failed: 1 });
    await say(ctx, 4, ["d"], session);
    await project(cache);
    expect(await texts(ctx)).toEqual(["a", "reply 1", "b", "reply 2", "d", "reply 4"]);
    await db().execute(sql`delete from spans where ${broken}`);
    await expectUnchangedByRebuild(ctx);
  });
});

/** Returns the versions of all rows that a pass writes. */
async function versionsOf({ projectId }: Ctx) {
  const tables = ["conversations", "conversation_messages", "model_calls", "tool_calls", "conversation_search"];
  const versions = await Promise.all(
    tables.map((table) =>
      db().execute<{ xmin: string }>(
        sql`select xmin::text from ${sql.identifier(table)} where project_id = ${projectId} order by ctid`,
      ),
    ),
  );
  return Object.fromEntries(tables.map((table, at) => [table, [...(versions[at] ?? [])].map(({ xmin }) => xmin)]));
}

test("a pass over an unchanged long conversation writes its summary, and no other row", async () => {
  const { ctx } = await testProject();
  const cache = new ReadingCache({ atOnce: true });
  const said: string[] = [];
  for (let n = 1; n <= 30; n++) {
    said.push(`question ${n}`);
    await say(ctx, n, said);
    said.push(`reply ${n}`);
    const tool = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": `c${n}`,
    };
    await send(ctx, { traceId: TRACE(1), spanId: SPAN(100 + n), attributes: tool });
    await project(cache);
  }
  const before = await versionsOf(ctx);
  expect(before).toMatchObject({ conversations: { length: 1 }, conversation_messages: { length: 60 } });
  for (const pass of [cache, undefined]) {
    await db().execute(sql`
      insert into projection_queue (project_id, trace_id, received_at) values (${ctx.projectId}, ${TRACE(1)}, 1)`);
    await project(pass);
    const { conversations, ...after } = await versionsOf(ctx);
    expect(conversations).not.toEqual(before.conversations);
    expect({ conversations: before.conversations, ...after }).toEqual(before);
  }
});

test("a search row changed by another writer is written again", async () => {
  const { ctx } = await testProject();
  const cache = new ReadingCache({ atOnce: true });
  const searched = async () =>
    (await contentsOf(ctx)).search?.map(({ terms }) => (terms as string[]).filter((term) => !term.includes(":")));
  const words = [["first", "reply", "1", "second", "2"]];
  await say(ctx, 1, ["first"]);
  await say(ctx, 2, ["first", "reply 1", "second"]);
  await project(cache);
  expect(await searched()).toEqual(words);
  await db().execute(sql`update conversation_search set terms = '{}' where project_id = ${ctx.projectId}`);
  await say(ctx, 3, ["first"]);
  await project(cache);
  expect(await searched()).toEqual([[...(words[0] ?? []), "3"]]);
  await expectUnchangedByRebuild(ctx);
});

const session = fc.constantFrom(null, null, "s", "t");
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("span" as const),
      id: fc.nat(7),
      trace: fc.nat(2),
      parent: fc.nat(4),
      scope: fc.constantFrom("sdk", "framework"),
      kind: fc.constantFrom("chat", "chat", "execute_tool", "invoke_agent"),
      said: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 }),
      response: fc.constantFrom(null, "r1", "r2"),
      session,
      user: fc.constantFrom(null, "ann", "bob"),
      failed: fc.boolean(),
      at: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("log" as const),
      id: fc.nat(7),
      trace: fc.nat(2),
      at: fc.nat(3),
      said: fc.constantFrom("x", "y"),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("project" as const), by: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase" as const), remember: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Runs a step in a project. `caches` are those of two workers. */
async function take(ctx: Ctx, one: Step, caches: readonly ReadingCache[]) {
  if (one.do === "erase") return erase(ctx, one);
  if (one.do === "project") return project(caches[one.by % 2]);
  if (one.do === "log") {
    return sendLog(ctx, { traceId: TRACE(one.trace), spanId: SPAN(one.id), at: one.at, content: one.said });
  }
  const { id, trace, parent, said, kind } = one;
  const attributes = {
    "gen_ai.operation.name": kind,
    "gen_ai.input.messages": JSON.stringify(
      said.map((content, at) => ({ role: at % 2 ? "assistant" : "user", content })),
    ),
    ...(kind === "execute_tool" && { "gen_ai.tool.name": "look", "gen_ai.tool.call.result": said.join(" ") }),
    ...(one.response && { "gen_ai.response.id": one.response }),
    ...(one.session && { "session.id": one.session }),
    ...(one.user && { "user.id": one.user, "langfuse.trace.tags": one.user }),
  };
  const startMs = Date.UTC(2026, 10, 1) + one.at * 30;
  const of = { traceId: TRACE(trace), spanId: SPAN(id), startMs, scope: one.scope, name: kind };
  return send(ctx, {
    ...of,
    ...(parent > 0 && { parentSpanId: SPAN(parent) }),
    ...(one.failed && { error: "failed" }),
    attributes,
  });
}

test("a cache does not change the result of any sequence of arrivals, erasures and passes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      await db().execute(sql`delete from projection_queue`);
      const [cached, plain] = [await testProject(), await testProject()];
      const caches = [new ReadingCache({ atOnce: true }), new DistantCache({ atOnce: true })];
      for (const one of [...steps, { do: "project" as const, by: 0 }]) {
        // One project at a time: a pass claims traces of all projects.
        if (one.do !== "project") {
          await take(cached.ctx, one, []);
          await take(plain.ctx, one, []);
          continue;
        }
        await withOnly(cached.ctx, () => take(cached.ctx, one, caches));
        await withOnly(plain.ctx, () => take(plain.ctx, one, []));
        expect(await contentsOf(cached.ctx)).toEqual(await contentsOf(plain.ctx));
      }
      await expectUnchangedByRebuild(cached.ctx);
    }),
    { numRuns: Number(process.env.CACHED_PROJECTION_RUNS ?? 25) },
  );
}, 600_000);

/** Hides the queued traces of all other projects while `run` runs. */
async function withOnly(ctx: Ctx, run: () => Promise<unknown>) {
  await db().execute(sql`update projection_queue set retry_at = 9e15 where project_id <> ${ctx.projectId}`);
  await run();
  await db().execute(sql`update projection_queue set retry_at = 0`);
}

const testBeside = hasRealPayloads ? test : () => {};
type Payload = { name: string; spans: SpanRecord[]; logs: LogRecord[] };

const payloads = (): Payload[] =>
  realPayloads().map(({ name, isTraces, encoding, body }) =>
    isTraces
      ? { name, spans: decodeTraces(body, encoding).items, logs: [] }
      : { name, spans: [], logs: decodeLogs(body, encoding).items },
  );

testBeside(
  "real clients' telemetry, sent a span at a time, is read the same with a cache, without one, and from scratch",
  async () => {
    const [cached, plain] = [await testProject(), await testProject()];
    const cache = new ReadingCache({ atOnce: true });
    const all = payloads();
    expect(all.flatMap(({ spans }) => spans).length).toBeGreaterThan(100);
    const store = async (ctx: Ctx, spans: SpanRecord[], logs: LogRecord[]) => {
      if (spans.length > 0) await storeTraces(ctx, { items: spans, received: spans.length, rejections: [] });
      if (logs.length > 0) await storeLogs(ctx, { items: logs, received: logs.length, rejections: [] });
    };
    const rounds = Math.max(...all.map(({ spans, logs }) => Math.max(spans.length, logs.length)));
    for (let round = 0; round < rounds; round++) {
      // Sends every other payload in reverse order.
      const at = <Item>(items: Item[], index: number, turn: number) =>
        items.slice(turn % 2 ? items.length - 1 - index : index).slice(0, index < items.length ? 1 : 0);
      const spans = all.flatMap(({ spans }, turn) => at(spans, round, turn));
      const logs = all.flatMap(({ logs }, turn) => at(logs, round, turn));
      for (const { ctx } of [cached, plain]) await store(ctx, spans, logs);
      await withOnly(cached.ctx, () => project(cache));
      await withOnly(plain.ctx, () => project());
    }
    expect(cache.size).toBeGreaterThan(20);
    const found = await expectUnchangedByRebuild(cached.ctx);
    expect(found.conversations?.length).toBeGreaterThan(20);
    expect(await contentsOf(plain.ctx)).toEqual(found);
  },
  600_000,
);
