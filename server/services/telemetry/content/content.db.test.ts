import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { deleteConversation, deleteUserData, runDeletion } from "@/server/services/deletion";
import { decodeLogs, decodeTraces, deleteUnusedContent, getTrace, projectPending, storeLogs, storeTraces } from "..";
import { maskingOf } from "../ingest/masking-setting";
import { maskLogs, maskSpans } from "../masking";
import type { LogRecord, SpanRecord } from "../otlp/types";
import { loadLogs, loadSpans } from "../projection/load-spans";
import { chatSpan, hasRealPayloads, otlpJson, realPayloads } from "../testing";

let ctx: Ctx;
let neighbour: Ctx;
beforeAll(async () => {
  ctx = (await testProject()).ctx;
  neighbour = (await testProject()).ctx;
});

let made = 0;
const hex = (digits: number) => (++made).toString(16).padStart(digits, "d");
const said = (topic: string, n: number) => `${topic} ${n} ${"and so on ".repeat(60)}`;
type Call = { topic: string; turns: number; traceId?: string; spanId?: string; session?: string; user?: string };

/** A call that sends the whole history of `turns` messages about a topic. */
const callOf = ({ topic, turns, traceId = hex(32), spanId = hex(16), session = topic, user }: Call) =>
  chatSpan(
    {
      traceId,
      spanId,
      attributes: { "gen_ai.conversation.id": session, ...(user !== undefined && { "user.id": user }) },
    },
    {
      input: Array.from({ length: turns }, (_, n): [string, string] => [n % 2 ? "assistant" : "user", said(topic, n)]),
    },
  );
const store = (to: Ctx, ...calls: Call[]) =>
  storeTraces(to, decodeTraces(Buffer.from(JSON.stringify(otlpJson(calls.map(callOf)))), "json"));
const project = async () => {
  while ((await projectPending(db())) > 0);
};

type Stored = { parts: number; chunks: number; released: number };
const stored = async ({ projectId }: Ctx) => {
  const [row] = await db().execute<Stored>(sql`
    select (select count(*)::int from content_parts where project_id = ${projectId}) as parts,
           (select count(*)::int from content_chunks where project_id = ${projectId}) as chunks,
           (select count(*)::int from content_released where project_id = ${projectId}) as released`);
  return row!;
};
const partsNaming = async (text: string) => {
  const [row] = await db().execute<{ n: number }>(
    sql`select count(*)::int as n from content_parts where position(${text}::text in content) > 0`,
  );
  return row!.n;
};
/** Returns the messages that the spans of a project's traces sent, by span. */
async function sentMessages({ projectId }: Ctx) {
  const traces = await db().execute<{ id: string }>(sql`select id from traces where project_id = ${projectId}`);
  const sent = new Map<string, string>();
  for await (const page of loadSpans(
    db(),
    projectId,
    [...traces].map(({ id }) => id),
  ))
    for (const span of page) sent.set(span.spanId, String(span.attributes["gen_ai.input.messages"]));
  return sent;
}
const remove = (of: Ctx, conversationId: string) => deleteConversation(of, { conversationId });

test("a history that grows by one message stores only that message, and each span is returned as sent", async () => {
  const topic = "growing";
  const traceId = hex(32);
  const calls = Array.from({ length: 40 }, (_, n) => ({ topic, traceId, turns: n + 8, spanId: hex(16) }));
  const before = await stored(ctx);
  for (const call of calls) await store(ctx, call);
  // The messages, the brackets around them, and for each call the response with its end.
  expect((await stored(ctx)).parts - before.parts).toBeLessThanOrEqual(47 + 3);
  await project();

  const { trace } = await getTrace(ctx, { traceId });
  const shown = new Map(trace.spans.map((span) => [span.spanId, span.attributes["gen_ai.input.messages"]]));
  const wrong = calls.filter((call) => shown.get(call.spanId) !== callOf(call).attributes?.["gen_ai.input.messages"]);
  expect(wrong).toEqual([]);
});

test("projects share no content, and deleting one project's conversation keeps the same text of another", async () => {
  const call = { topic: "common", turns: 12 };
  await store(ctx, call);
  await store(neighbour, call);
  const [row] = await db().execute<{ shared: number }>(sql`
    select count(*)::int as shared from content_parts a join content_parts b on a.id = b.id
    where a.project_id = ${ctx.projectId} and b.project_id = ${neighbour.projectId}`);
  expect(row?.shared).toBe(0);
  await project();
  const before = await stored(neighbour);
  await remove(ctx, "common");
  expect(await stored(neighbour)).toEqual(before);
  expect([...(await sentMessages(neighbour)).values()].join()).toContain(said("common", 11));
});

test("erasing a user's data keeps the part of a shared history that another user's conversation has", async () => {
  const [one, other] = [hex(8), hex(8)];
  const shared = { topic: "handed over", turns: 30 };
  await store(ctx, { ...shared, session: `of ${one}`, user: one });
  await store(ctx, { ...shared, turns: 20, session: `of ${other}`, user: other });
  const erase = async (userId: string) => {
    const { deletion } = await deleteUserData(ctx, { userId });
    while (!(await runDeletion(db(), deletion.id, { forMs: 10_000, jobName: "test" })).done);
  };
  await erase(one);
  expect(await partsNaming(said("handed over", 29))).toBe(0);
  expect(await partsNaming(said("handed over", 19))).toBe(1);
  expect([...(await sentMessages(ctx)).values()].join()).toContain(said("handed over", 19));
  await erase(other);
  expect(await partsNaming("handed over")).toBe(0);
});

test("concurrent batches with the same history store it once", async () => {
  const { ctx: own } = await testProject();
  await Promise.all(Array.from({ length: 8 }, () => store(own, { topic: "at once", turns: 25 })));
  expect((await stored(own)).parts).toBeLessThanOrEqual(25 + 3);
  const sent = await sentMessages(own);
  expect(sent.size).toBe(8);
  expect(new Set(sent.values()).size).toBe(1);
});

test("batches that share the history of conversations being erased lose nothing and leave nothing behind", async () => {
  const { ctx: own } = await testProject();
  for (let round = 0; round < 6; round++) {
    const topic = `contested ${round % 2}`;
    await store(own, { topic, turns: 20, session: `doomed ${round}` });
    await project();
    await Promise.all([
      remove(own, `doomed ${round}`),
      ...Array.from({ length: 4 }, (_, n) => store(own, { topic, turns: 20 + n, session: `kept ${round} ${n}` })),
    ]);
  }
  const sent = await sentMessages(own);
  expect(sent.size).toBe(24);
  for (const messages of sent.values()) expect(JSON.parse(messages).length).toBeGreaterThanOrEqual(20);
  await project();
  for (let round = 0; round < 6; round++) for (let n = 0; n < 4; n++) await remove(own, `kept ${round} ${n}`);
  expect(await stored(own)).toEqual({ parts: 0, chunks: 0, released: 0 });
});

test("a span of a deleted trace that is sent again stores none of its content", async () => {
  const call = { topic: "unwelcome", turns: 12, traceId: hex(32) };
  await store(ctx, call);
  await project();
  await remove(ctx, "unwelcome");
  expect(await store(ctx, call)).toMatchObject({ stored: 0, refused: 1 });
  expect(await partsNaming("unwelcome")).toBe(0);
});

test("different content of a resent span is removed by the next clean-up", async () => {
  const { ctx: own } = await testProject();
  const ids = { traceId: hex(32), spanId: hex(16), session: "same ids" };
  await store(own, { topic: "first", turns: 12, ...ids });
  await store(own, { topic: "second", turns: 12, ...ids });
  expect(await partsNaming("second")).toBeGreaterThan(0);
  await inTransaction(own, (tx) => deleteUnusedContent(tx));
  expect(await partsNaming("second")).toBe(0);
  expect([...(await sentMessages(own)).values()].join()).toContain(said("first", 11));
  expect((await stored(own)).released).toBe(0);
});

test("the chunks of rows deleted by a cascade are released too", async () => {
  const { ctx: own } = await testProject();
  await store(own, { topic: "cascading", turns: 12 });
  await db().execute(sql`delete from traces where project_id = ${own.projectId}`);
  expect((await stored(own)).released).toBeGreaterThan(0);
  await inTransaction(own, (tx) => deleteUnusedContent(tx));
  expect(await stored(own)).toEqual({ parts: 0, chunks: 0, released: 0 });
});

test("a span whose parts are missing fails to load rather than losing its messages", async () => {
  const { ctx: own } = await testProject();
  await store(own, { topic: "damaged", turns: 12 });
  await db().execute(
    sql`delete from content_parts where project_id = ${own.projectId} and content like '%damaged 5 %'`,
  );
  await expect(sentMessages(own)).rejects.toThrow(/is missing/);
});

const testBeside = hasRealPayloads ? test : () => {};
testBeside("every real client's telemetry is loaded as it was decoded", async () => {
  const { ctx: own } = await testProject();
  const masking = await maskingOf(own);
  // Storing gives a span its place in the order of arrival.
  const plain = (value: object) => JSON.parse(JSON.stringify({ ...value, arrival: undefined }));
  const spans = new Map<string, SpanRecord>();
  const logs: LogRecord[] = [];
  for (const { isTraces, encoding, body } of realPayloads()) {
    if (isTraces) {
      const batch = decodeTraces(body, encoding);
      await storeTraces(own, batch);
      for (const span of maskSpans(batch, masking).items) {
        const key = `${span.traceId} ${span.spanId}`;
        if (!spans.has(key)) spans.set(key, plain(span));
      }
    } else {
      const batch = decodeLogs(body, encoding);
      await storeLogs(own, batch);
      logs.push(
        ...maskLogs(batch, masking)
          .items.map(plain)
          .filter(({ traceId }) => traceId !== null),
      );
    }
  }
  const traceIds = [...new Set([...spans.values(), ...logs].map(({ traceId }) => traceId ?? ""))];
  for await (const page of loadSpans(db(), own.projectId, traceIds)) {
    for (const span of page) {
      const key = `${span.traceId} ${span.spanId}`;
      expect(plain(span)).toEqual(spans.get(key));
      spans.delete(key);
    }
  }
  expect(spans.size).toBe(0);
  const loaded = (await loadLogs(db(), own.projectId, traceIds)).map(plain);
  for (const log of logs) expect(loaded).toContainEqual(log);
  expect((await stored(own)).parts).toBeGreaterThan(30);
});
