import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  decodeLogs,
  getConversation,
  getTrace,
  listLogs,
  listMessages,
  listModelCalls,
  listSpans,
  listToolCalls,
  projectPending,
  storeLogs,
} from "..";
import { chatSpan, ingest, type TestSpan, TRACE } from "../testing";
import { readSnapshots } from "./snapshots/read-snapshots";

const START = Date.UTC(2026, 10, 1, 12);
const hex = (n: number) => n.toString(16).padStart(16, "0");
const conversationId = "long";

/** Alternating model calls and the tool calls that they requested, all in one trace. */
function spanAt(n: number, text = "") {
  const span = { spanId: hex(n + 1), startMs: START + n, attributes: { "gen_ai.conversation.id": conversationId } };
  if (n % 2 === 0) return chatSpan(span, { input: [["user", `Step ${n} ${text}`]], output: `Done ${n}` });
  const tool = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "look",
    "gen_ai.tool.call.id": `call-${n}`,
    "gen_ai.tool.call.result": `Found ${n}`,
  };
  return { ...span, name: "look", attributes: { ...span.attributes, ...tool } };
}

const conversationOf = (spans: number, text = "") => Array.from({ length: spans }, (_, n): TestSpan => spanAt(n, text));

async function sendLogs(ctx: Ctx, logs: readonly { n: number; eventName?: string; body?: string }[]) {
  const logRecords = logs.map(({ n, eventName = "note", body = `About ${n}` }) => ({
    traceId: TRACE,
    spanId: hex(n + 1),
    timeUnixNano: `${START + n}000000`,
    eventName,
    body: { stringValue: body },
  }));
  const sent = { resourceLogs: [{ scopeLogs: [{ scope: { name: "notes" }, logRecords }] }] };
  await storeLogs(ctx, decodeLogs(Buffer.from(JSON.stringify(sent)), "json"));
  while ((await projectPending(ctx.db)) > 0);
}

type Page<Row> = { rows: Row[]; nextCursor: string | null };

/** Reads everything after a cursor, page by page. */
async function allFrom<Row>(from: string | null, page: (cursor: string) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = from; cursor !== null; ) {
    const next = await page(cursor);
    rows.push(...next.rows);
    cursor = next.nextCursor;
  }
  return rows;
}

test("a short conversation is returned whole, and so is its trace with its logs", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, conversationOf(4));
  await sendLogs(ctx, [{ n: 1 }, { n: 0, body: "First" }]);
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation).toMatchObject({ messagesCursor: null, modelCallsCursor: null, toolCallsCursor: null });
  expect(conversation.messages.map(({ index }) => index)).toEqual(conversation.messages.map((_, index) => index));
  expect(conversation.modelCalls.map(({ spanId }) => spanId)).toEqual([hex(1), hex(3)]);
  expect(conversation.toolCalls.map(({ result }) => result)).toEqual(["Found 1", "Found 3"]);
  const { trace } = await getTrace(ctx, { traceId: TRACE.toUpperCase() });
  expect(trace).toMatchObject({ spanCount: 4, modelCallCount: 2, logCount: 2, spansCursor: null, logsCursor: null });
  expect(trace.spans.map(({ spanId }) => spanId)).toEqual([1, 2, 3, 4].map(hex));
  expect(trace.logs).toEqual([
    {
      spanId: hex(1),
      eventName: "note",
      severity: null,
      at: START,
      body: "First",
      attributes: {},
      resource: {},
      scope: { name: "notes", version: "" },
    },
    expect.objectContaining({ spanId: hex(2), body: "About 1" }),
  ]);
});

test("calls that only messages contain are listed with the others, and Rules read them in the messages", async () => {
  const { ctx } = await testProject();
  const asked = [1, 2, 3].map((n) => ({ type: "tool_call", id: `call-${n}`, name: "look", arguments: { n } }));
  const results = asked.map(({ id }) => ({
    role: "tool",
    parts: [{ type: "tool_call_response", id, response: "Found" }],
  }));
  const request = { role: "assistant", parts: asked };
  const spanWith = (n: number, name: string, messages: object[]) => {
    const span = spanAt(n);
    return { ...span, attributes: { ...span.attributes, [name]: JSON.stringify(messages) } };
  };
  await ingest(ctx, [
    spanWith(0, "gen_ai.output.messages", [request]),
    spanAt(1),
    spanWith(2, "gen_ai.input.messages", [request, ...results]),
  ]);
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation.toolCalls.map(({ callId, spanId, reported }) => [callId, spanId, reported])).toEqual([
    ["call-1", hex(2), "span"],
    ["call-2", hex(1), "message"],
    ["call-3", hex(1), "message"],
  ]);
  expect(conversation.toolCallCount).toBe(3);
  const first = await listToolCalls(ctx, { conversationId, limit: 1 });
  const others = await allFrom(first.pagination.nextCursor, async (cursor) => {
    const page = await listToolCalls(ctx, { conversationId, limit: 1, cursor });
    return { rows: page.toolCalls, nextCursor: page.pagination.nextCursor };
  });
  expect([...first.toolCalls, ...others]).toEqual(conversation.toolCalls);

  for (const lastActivityAt of [conversation.lastActivityAt, conversation.lastActivityAt - 1]) {
    const [read] = await readSnapshots(ctx, [{ conversationId: conversation.id, lastActivityAt, traceIds: [] }]);
    expect(read?.toolCalls.map(({ callId }) => callId)).toEqual(["call-1"]);
  }
});

test("a long conversation includes its first parts, and its cursors page through the others exactly once", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, conversationOf(2600));
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation).toMatchObject({ messageCount: 2600, modelCallCount: 1300, toolCallCount: 1300 });
  const [messages, modelCalls, toolCalls] = [conversation.messages, conversation.modelCalls, conversation.toolCalls];
  expect([messages.length, modelCalls.length, toolCalls.length]).toEqual([1000, 1000, 1000]);

  const more = { conversationId, limit: 400 };
  const laterMessages = await allFrom(conversation.messagesCursor, async (cursor) => {
    const page = await listMessages(ctx, { ...more, cursor });
    return { rows: page.messages, nextCursor: page.pagination.nextCursor };
  });
  expect([...messages, ...laterMessages].map(({ index }) => index)).toEqual(Array.from({ length: 2600 }, (_, n) => n));
  const laterModelCalls = await allFrom(conversation.modelCallsCursor, async (cursor) => {
    const page = await listModelCalls(ctx, { ...more, cursor });
    return { rows: page.modelCalls, nextCursor: page.pagination.nextCursor };
  });
  const everySecond = (from: number) => Array.from({ length: 1300 }, (_, n) => hex(2 * n + from));
  expect([...modelCalls, ...laterModelCalls].map(({ spanId }) => spanId)).toEqual(everySecond(1));
  const laterToolCalls = await allFrom(conversation.toolCallsCursor, async (cursor) => {
    const page = await listToolCalls(ctx, { ...more, cursor });
    return { rows: page.toolCalls, nextCursor: page.pagination.nextCursor };
  });
  expect([...toolCalls, ...laterToolCalls].map(({ spanId }) => spanId)).toEqual(everySecond(2));

  const somewhere = await listMessages(ctx, { conversationId, fromIndex: 2100, limit: 3 });
  expect(somewhere.messages.map(({ index }) => index)).toEqual([2100, 2101, 2102]);
  expect(await listMessages(ctx, { conversationId, fromIndex: 2600 })).toMatchObject({
    messages: [],
    pagination: { limit: 50, nextCursor: null },
  });
});

test("a conversation and a trace can be read with few of their parts, or with none and no cursors", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, conversationOf(6));
  await sendLogs(ctx, [{ n: 1 }, { n: 2 }]);
  const few = await getConversation(ctx, { conversationId, parts: 2 });
  expect(few.conversation.messages.map(({ index }) => index)).toEqual([0, 1]);
  expect(few.conversation.modelCalls.map(({ spanId }) => spanId)).toEqual([hex(1), hex(3)]);
  const { messages } = await listMessages(ctx, { conversationId, cursor: few.conversation.messagesCursor! });
  expect(messages.map(({ index }) => index)).toEqual([2, 3, 4, 5]);

  const { conversation } = await getConversation(ctx, { conversationId, parts: 0 });
  const none = { messages: [], modelCalls: [], toolCalls: [] };
  const noCursors = { messagesCursor: null, modelCallsCursor: null, toolCallsCursor: null };
  expect(conversation).toMatchObject({ messageCount: 6, modelCallCount: 3, toolCallCount: 3, ...none, ...noCursors });
  const { trace } = await getTrace(ctx, { traceId: TRACE, parts: 0 });
  expect(trace).toMatchObject({ spanCount: 6, logCount: 2, spans: [], logs: [], spansCursor: null, logsCursor: null });
  for (const parts of [-1, 1001])
    await expect(getConversation(ctx, { conversationId, parts })).rejects.toThrow("parts");
});

test("a late message before the others changes the version, and listed messages have the current version", async () => {
  const { ctx } = await testProject();
  const versionOf = async () => (await getConversation(ctx, { conversationId, parts: 0 })).conversation.version;
  const spans = conversationOf(4);
  await ingest(ctx, spans.slice(1));
  const before = await versionOf();
  expect([await versionOf(), (await listMessages(ctx, { conversationId })).version]).toEqual([before, before]);
  // A late span: it comes first, and the time of the latest activity is unchanged.
  await ingest(ctx, spans.slice(0, 1));
  const after = await versionOf();
  expect(after).not.toBe(before);
  expect((await listMessages(ctx, { conversationId, fromIndex: 3 })).version).toBe(after);
});

test("messages include the tool calls that they refer to", async () => {
  const { ctx } = await testProject();
  const asking = { role: "assistant", parts: [{ type: "tool_call", id: "call-1", name: "look", arguments: {} }] };
  const attributes = { "gen_ai.conversation.id": conversationId, "gen_ai.output.messages": JSON.stringify([asking]) };
  await ingest(ctx, [chatSpan({ spanId: hex(900), startMs: START - 5, attributes }), ...conversationOf(4)]);
  const { messages, toolCalls } = await listMessages(ctx, { conversationId });
  expect(messages.flatMap((message) => message.toolCalls).map(({ id }) => id)).toContain("call-1");
  expect(toolCalls).toMatchObject([{ callId: "call-1", result: "Found 1" }]);
});

test("a long trace includes its first spans and logs, and its list can start at any span", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, conversationOf(2500));
  await sendLogs(
    ctx,
    Array.from({ length: 2500 }, (_, n) => ({ n })),
  );
  const { trace } = await getTrace(ctx, { traceId: TRACE });
  expect(trace).toMatchObject({ spanCount: 2500, modelCallCount: 1250, logCount: 2500 });
  expect([trace.spans.length, trace.logs.length]).toEqual([1000, 1000]);
  const later = await allFrom(trace.spansCursor, async (cursor) => {
    const page = await listSpans(ctx, { traceId: TRACE, limit: 500, cursor });
    return { rows: page.spans, nextCursor: page.pagination.nextCursor };
  });
  const places = Array.from({ length: 2500 }, (_, n) => hex(n + 1));
  expect([...trace.spans, ...later].map(({ spanId }) => spanId)).toEqual(places);
  const laterLogs = await allFrom(trace.logsCursor, async (cursor) => {
    const page = await listLogs(ctx, { traceId: TRACE, limit: 500, cursor });
    return { rows: page.logs, nextCursor: page.pagination.nextCursor };
  });
  expect([...trace.logs, ...laterLogs].map(({ spanId }) => spanId)).toEqual(places);

  const { spans, pagination } = await listSpans(ctx, { traceId: TRACE, fromSpanId: hex(2400), limit: 2 });
  expect(spans.map(({ spanId, counted }) => [spanId, counted])).toEqual([
    [hex(2400), false],
    [hex(2401), true],
  ]);
  const next = { traceId: TRACE, fromSpanId: hex(2400), limit: 2, cursor: pagination.nextCursor! };
  expect((await listSpans(ctx, next)).spans.map(({ spanId }) => spanId)).toEqual([hex(2402), hex(2403)]);
  const ofOne = await listLogs(ctx, { traceId: TRACE, spanId: hex(2400) });
  expect(ofOne).toMatchObject({ logs: [{ body: "About 2399" }], pagination: { nextCursor: null } });
  await expect(listSpans(ctx, { traceId: TRACE, fromSpanId: hex(9999) })).rejects.toMatchObject({ code: "not_found" });
});

test("a span's type can come from its log records alone", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [
    { spanId: hex(1), name: "call" },
    { spanId: hex(2), name: "other call" },
  ]);
  await sendLogs(ctx, [{ n: 0, eventName: "gen_ai.choice" }, { n: 1 }]);
  const { trace } = await getTrace(ctx, { traceId: TRACE });
  expect(trace.spans.map(({ type }) => type)).toEqual(["llm", "other"]);
});

test("long texts end a page early, and the cursor continues after them", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, conversationOf(200, "x".repeat(60_000)));
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation.messageCount).toBe(200);
  expect(conversation.messages.length).toBeLessThan(200);
  const pages = [conversation.messages];
  for (let cursor = conversation.messagesCursor; cursor !== null; ) {
    const page = await listMessages(ctx, { conversationId, limit: 500, cursor });
    pages.push(page.messages);
    cursor = page.pagination.nextCursor;
  }
  expect(pages.flat().map(({ index }) => index)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(5_000_000);
  const { trace } = await getTrace(ctx, { traceId: TRACE });
  expect(JSON.stringify(trace.spans).length).toBeLessThan(5_000_000);
  expect(trace.spansCursor).not.toBeNull();
});

test("parts added or removed between two pages cause no other to be skipped or repeated", async () => {
  const { ctx } = await testProject();
  const spans = conversationOf(40);
  await ingest(
    ctx,
    spans.filter((_, n) => n % 4 !== 0 || n === 0 || n === 12),
  );
  const first = await listModelCalls(ctx, { conversationId, limit: 5 });
  await ingest(ctx, spans);
  await ctx.db.execute(sql`
    delete from model_calls where project_id = ${ctx.projectId} and span_id = ${first.modelCalls.at(-1)!.spanId}`);
  const rest = await allFrom(first.pagination.nextCursor, async (cursor) => {
    const page = await listModelCalls(ctx, { conversationId, limit: 5, cursor });
    return { rows: page.modelCalls, nextCursor: page.pagination.nextCursor };
  });
  const last = first.modelCalls.at(-1)!;
  const seen = [...first.modelCalls, ...rest].map(({ startedAt }) => startedAt);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  const after = spans.filter((_, n) => n % 2 === 0 && START + n > last.startedAt);
  expect(rest.map(({ spanId }) => spanId)).toEqual(after.map(({ spanId }) => spanId));
});

test("another project's parts do not exist, and cursors of another project or list are rejected", async () => {
  const ours = await testProject();
  const theirs = await testProject();
  for (const { ctx } of [ours, theirs]) await ingest(ctx, conversationOf(6));
  const empty = await testProject();
  const notFound = { code: "not_found" };
  for (const list of [listMessages, listModelCalls, listToolCalls]) {
    await expect(list(empty.ctx, { conversationId })).rejects.toMatchObject(notFound);
    const { pagination } = await list(theirs.ctx, { conversationId, limit: 1 });
    const cursor = pagination.nextCursor!;
    await expect(list(ours.ctx, { conversationId, cursor })).rejects.toMatchObject({ code: "invalid" });
  }
  const { pagination } = await listModelCalls(ours.ctx, { conversationId, limit: 1 });
  const cursor = pagination.nextCursor!;
  await expect(listToolCalls(ours.ctx, { conversationId, cursor })).rejects.toMatchObject({ code: "invalid" });
  for (const list of [listSpans, listLogs]) {
    await expect(list(empty.ctx, { traceId: TRACE })).rejects.toMatchObject(notFound);
  }
  for (const limit of [0, 501]) await expect(listSpans(ours.ctx, { traceId: TRACE, limit })).rejects.toThrow();
});

/** A tool's span that starts in the same microsecond as all others; `id` determines nothing about its order. */
const simultaneous = (id: number, name: string): TestSpan => ({
  spanId: hex(id),
  name,
  startMs: START,
  attributes: {
    "gen_ai.conversation.id": conversationId,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
  },
});

test("spans and calls with equal times are in order of arrival, also page by page", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [simultaneous(7, "first"), simultaneous(9, "second"), simultaneous(3, "third")]);
  await ingest(ctx, [simultaneous(5, "fourth"), simultaneous(1, "fifth")]);
  const names = ["first", "second", "third", "fourth", "fifth"];
  const nameOf = ({ name }: { name: string }) => name;
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation.toolCalls.map(nameOf)).toEqual(names);
  const calls = await listToolCalls(ctx, { conversationId, limit: 2 });
  const moreCalls = await allFrom(calls.pagination.nextCursor, async (cursor) => {
    const page = await listToolCalls(ctx, { conversationId, limit: 2, cursor });
    return { rows: page.toolCalls, nextCursor: page.pagination.nextCursor };
  });
  expect([...calls.toolCalls, ...moreCalls].map(nameOf)).toEqual(names);
  const spans = await listSpans(ctx, { traceId: TRACE, limit: 2 });
  const moreSpans = await allFrom(spans.pagination.nextCursor, async (cursor) => {
    const page = await listSpans(ctx, { traceId: TRACE, limit: 2, cursor });
    return { rows: page.spans, nextCursor: page.pagination.nextCursor };
  });
  expect([...spans.spans, ...moreSpans].map(nameOf)).toEqual(names);
  const fromThird = await listSpans(ctx, { traceId: TRACE, limit: 2, fromSpanId: hex(3) });
  expect(fromThird.spans.map(nameOf)).toEqual(["third", "fourth"]);
});

test("calls microseconds apart are in order of time", async () => {
  const { ctx } = await testProject();
  const steps = [2, 1, 0].map((step) => ({
    ...simultaneous(9 - step, `step ${step}`),
    startMs: START,
    startUs: step,
  }));
  await ingest(ctx, steps);
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation.toolCalls.map(({ name }) => name)).toEqual(["step 0", "step 1", "step 2"]);
});

test("log records with equal times are in the order of their batch", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, conversationOf(1));
  const bodies = ["one", "two", "three", "four", "five"];
  await sendLogs(
    ctx,
    bodies.map((body) => ({ n: 0, body })),
  );
  const { logs, pagination } = await listLogs(ctx, { traceId: TRACE, limit: 3 });
  const more = await listLogs(ctx, { traceId: TRACE, limit: 3, cursor: pagination.nextCursor ?? undefined });
  expect([...logs, ...more.logs].map(({ body }) => body)).toEqual(bodies);
});

test("messages of an inner agent have its name, and the preview is what the user said", async () => {
  const { ctx } = await testProject();
  const session = { "gen_ai.conversation.id": conversationId };
  const step = (n: number, parent: number, operation: string, name: string): TestSpan => ({
    ...{ spanId: hex(n), parentSpanId: hex(parent), startMs: START + n * 100, name },
    attributes: { ...session, "gen_ai.operation.name": operation, "gen_ai.tool.name": name },
  });
  const call = (n: number, parent: number, said: string) =>
    chatSpan(
      { spanId: hex(n), parentSpanId: hex(parent), startMs: START + n * 100, attributes: session },
      { input: [["user", said]], output: `Answer to ${said}` },
    );
  const spans = [
    { ...step(1, 9, "invoke_agent", "invoke_agent planner"), parentSpanId: "" },
    call(2, 1, "plan my trip"),
    step(3, 1, "execute_tool", "research"),
    step(4, 3, "invoke_agent", "invoke_agent researcher"),
    call(5, 4, "find flights"),
  ];
  // The inner agent's spans arrive first, so its messages are the conversation's until the others are there.
  await ingest(ctx, spans.slice(2));
  expect((await getConversation(ctx, { conversationId })).conversation.preview).toBe("find flights");
  await ingest(ctx, spans.slice(0, 2));
  const { conversation } = await getConversation(ctx, { conversationId });
  expect(conversation.preview).toBe("plan my trip");
  expect(conversation.messages.map(({ agent, role }) => [agent, role])).toEqual([
    [null, "user"],
    [null, "assistant"],
    ["researcher", "user"],
    ["researcher", "assistant"],
  ]);
});
