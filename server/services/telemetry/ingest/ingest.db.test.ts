import { randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { db } from "@/db/pool";
import { newGate } from "@/db/testing/gate";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  conversationFacets,
  decodeLogs,
  decodeTraces,
  findSpan,
  getConversation,
  getReceipt,
  getTrace,
  listConversations,
  listMessages,
  locate,
  projectIsolatingFailures,
  projectPending,
  storeLogs,
  storeTraces,
  telemetryStatus,
} from "..";
import { chatSpan, ingest, otlpJson, TRACE } from "../testing";
import { claimAlone } from "./claim-traces";

const ids = ["00f067aa0ba902b1", "00f067aa0ba902b2", "00f067aa0ba902b3", "00f067aa0ba902b4"] as const;
const OTHER_TRACE = "1af7651916cd43dd8448eb211c80319d";
const all = async (ctx: Ctx, filter: object = {}) => (await listConversations(ctx, filter)).conversations;

test("a stored batch becomes a priced conversation", async () => {
  const { ctx } = await testProject();
  const { receiptId, stored } = await ingest(ctx, [
    chatSpan({ spanId: ids[0], attributes: { "gen_ai.conversation.id": "session-1", "user.id": "ann" } }),
  ]);
  expect(stored).toBe(1);
  expect((await getReceipt(ctx, { receiptId })).receipt).toMatchObject({
    received: 1,
    accepted: 1,
    stored: 1,
    duplicates: 0,
    rejected: 0,
  });

  const { conversation } = await getConversation(ctx, { conversationId: "session-1" });
  expect(conversation).toMatchObject({
    externalId: "session-1",
    userId: "ann",
    traceIds: [TRACE],
    models: ["gpt-4o"],
    messageCount: 2,
    modelCallCount: 1,
    usage: { input_tokens: 100, output_tokens: 20 },
    costComplete: true,
    unpricedCallCount: 0,
    preview: "Hello",
  });
  // gpt-4o: 2.5 and 10 dollars per million tokens.
  expect(conversation.cost).toBe(0.00045);
  expect(conversation.modelCalls[0]!.cost).toMatchObject({
    total: 0.00045,
    currency: "USD",
    source: "default",
    breakdown: { input_tokens: 0.00025, output_tokens: 0.0002 },
    unpriced: [],
  });
  expect(conversation.messages.map((message) => [message.role, message.parts[0]?.text])).toEqual([
    ["user", "Hello"],
    ["assistant", "Hi, how can I help?"],
  ]);
});

test("a resent span changes nothing and is counted as a duplicate", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [chatSpan({ spanId: ids[0] })]);
  const { receiptId } = await ingest(ctx, [
    chatSpan({ spanId: ids[0] }, { output: "Changed" }),
    chatSpan({ spanId: ids[1], startMs: Date.UTC(2026, 10, 1, 13) }),
  ]);
  expect((await getReceipt(ctx, { receiptId })).receipt).toMatchObject({ received: 2, stored: 1, duplicates: 1 });
  const [conversation] = await all(ctx);
  expect(conversation).toMatchObject({ modelCallCount: 2 });
});

test("the receipt says which ids were none", async () => {
  const { ctx } = await testProject();
  const { receiptId } = await ingest(ctx, [
    chatSpan({ spanId: ids[0], attributes: { "session.id": "None", "user.id": "{{user_id}}" } }),
    chatSpan({ traceId: OTHER_TRACE, spanId: ids[1], attributes: { "session.id": "None", "user.id": "ann" } }),
  ]);
  const { receipt } = await getReceipt(ctx, { receiptId });
  expect(receipt).toMatchObject({ rejected: 0, stored: 2 });
  expect(receipt.ignoredIds).toEqual([
    { attribute: "session.id", value: "None", items: 2 },
    { attribute: "user.id", value: "{{user_id}}", items: 1 },
  ]);
});

test("history that each call resends appears once, across traces of one session", async () => {
  const { ctx } = await testProject();
  const session = { "gen_ai.conversation.id": "s" };
  await ingest(ctx, [chatSpan({ spanId: ids[0], attributes: session })]);
  await ingest(ctx, [
    chatSpan(
      { traceId: OTHER_TRACE, spanId: ids[1], startMs: Date.UTC(2026, 10, 1, 13), attributes: session },
      {
        input: [
          ["user", "Hello"],
          ["assistant", "Hi, how can I help?"],
          ["user", "Where is my order?"],
        ],
        output: "On its way.",
      },
    ),
  ]);
  const { conversation } = await getConversation(ctx, { conversationId: "s" });
  expect(conversation.messages.map((message) => message.parts[0]?.text)).toEqual([
    "Hello",
    "Hi, how can I help?",
    "Where is my order?",
    "On its way.",
  ]);
  expect(conversation.traceIds).toEqual([TRACE, OTHER_TRACE]);
  expect(conversation.usage).toEqual({ input_tokens: 200, output_tokens: 40 });
});

test("traces are ordered by time, and a span of any of them is found", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  const at = (minute: number) => Date.UTC(2026, 10, 1, 12, minute);
  const [first, second, third] = ["c".repeat(32), "a".repeat(32), "b".repeat(32)] as [string, string, string];
  const attributes = { "gen_ai.conversation.id": "s" };
  const spans = [
    chatSpan({ traceId: second, spanId: ids[1], startMs: at(5), attributes }),
    chatSpan({ traceId: third, spanId: ids[2], startMs: at(9), attributes }),
    chatSpan({ traceId: first, spanId: ids[0], startMs: at(1), attributes }),
  ];
  for (const span of spans) await ingest(ctx, [span]);
  const traceIds = [first, second, third];
  const { conversation } = await getConversation(ctx, { conversationId: "s" });
  expect(conversation.traceIds).toEqual(traceIds);
  expect((await all(ctx))[0]?.traceIds).toEqual(traceIds);
  for (const [index, traceId] of traceIds.entries()) {
    const spanId = ids[index]!;
    expect(await findSpan(ctx, { conversationId: "s", spanId })).toEqual({ span: { traceId, spanId } });
  }
  await expect(findSpan(ctx, { conversationId: "s", spanId: ids[3] })).rejects.toMatchObject({ code: "not_found" });

  // The same span id in another conversation, or another project, is another span.
  await ingest(ctx, [chatSpan({ spanId: ids[3], attributes: { "gen_ai.conversation.id": "other" } })]);
  await ingest(neighbour.ctx, [chatSpan({ spanId: ids[3], attributes })]);
  await expect(findSpan(ctx, { conversationId: "s", spanId: ids[3] })).rejects.toMatchObject({ code: "not_found" });
  await expect(findSpan(neighbour.ctx, { conversationId: conversation.id, spanId: ids[0] })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("an id is located as a conversation, trace or span of this project only", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  const attributes = { "gen_ai.conversation.id": "session-7" };
  await ingest(ctx, [chatSpan({ traceId: TRACE, spanId: ids[0], attributes })]);
  await ingest(neighbour.ctx, [chatSpan({ traceId: OTHER_TRACE, spanId: ids[1], attributes })]);
  const { id } = (await all(ctx))[0]!;
  const at = { conversationId: id, traceId: null, spanId: null };
  expect(await locate(ctx, { telemetryId: id })).toEqual({ location: at });
  expect(await locate(ctx, { telemetryId: "session-7" })).toEqual({ location: at });
  const asUuid = TRACE.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-").toUpperCase();
  for (const written of [TRACE, asUuid])
    expect(await locate(ctx, { telemetryId: written })).toEqual({ location: { ...at, traceId: TRACE } });
  expect(await locate(ctx, { telemetryId: ids[0]!.toUpperCase() })).toEqual({
    location: { conversationId: id, traceId: TRACE, spanId: ids[0] },
  });
  for (const other of [OTHER_TRACE, ids[1]!, "session-8", (await all(neighbour.ctx))[0]!.id])
    await expect(locate(ctx, { telemetryId: other })).rejects.toMatchObject({ code: "not_found" });
});

test("messages can be filtered by the span that first sent them", async () => {
  const { ctx } = await testProject();
  const said = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
  const call = (spanId: string, startMs: number, history: object[], answer: string) =>
    chatSpan({
      spanId,
      startMs,
      attributes: {
        "gen_ai.conversation.id": "s",
        "gen_ai.input.messages": JSON.stringify(history),
        "gen_ai.output.messages": JSON.stringify([said("assistant", answer)]),
      },
    });
  const history = [said("user", "Hello"), said("assistant", "Hi"), said("user", "Where is it?")];
  const start = Date.UTC(2026, 10, 1);
  await ingest(ctx, [call(ids[0]!, start, history.slice(0, 1), "Hi"), call(ids[1]!, start + 1, history, "On its way")]);
  const of = async (spanId: string, limit = 10, cursor?: string) => {
    const page = { conversationId: "s", spanId, limit, ...(cursor ? { cursor } : {}) };
    const { messages, pagination } = await listMessages(ctx, page);
    return { indices: messages.map(({ index }) => index), next: pagination.nextCursor };
  };
  expect(await of(ids[0]!)).toEqual({ indices: [0, 1], next: null });
  const first = await of(ids[1]!, 1);
  expect(first.indices).toEqual([2]);
  expect(await of(ids[1]!, 1, first.next!)).toEqual({ indices: [3], next: null });
  expect(await of(ids[2]!)).toEqual({ indices: [], next: null });
});

test("a conversation with a failed tool has an error and is found by the error filter", async () => {
  const { ctx } = await testProject();
  const tool = (result: string) => ({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search_emails",
    "gen_ai.tool.call.result": result,
  });
  const conversation = (traceId: string, result: string, name: string) =>
    ingest(ctx, [
      chatSpan({ traceId, spanId: ids[0], attributes: { "gen_ai.conversation.id": name } }),
      { traceId, spanId: ids[1], parentSpanId: ids[0], attributes: tool(result) },
    ]);
  await conversation(TRACE, "Error: mailbox is locked", "failed");
  await conversation(OTHER_TRACE, '{"emails": []}', "fine");
  const counts = Object.fromEntries((await all(ctx)).map((one) => [one.externalId, one.errorCount]));
  expect(counts).toEqual({ failed: 1, fine: 0 });
  expect(await all(ctx, { hasErrors: true })).toMatchObject([{ externalId: "failed" }]);
  expect(await all(ctx, { hasErrors: false })).toMatchObject([{ externalId: "fine" }]);
  expect((await conversationFacets(ctx, {})).facets).toMatchObject({ withErrors: 1 });
});

test("a late root with the session id names the existing conversation, which keeps its id", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [chatSpan({ spanId: ids[0], parentSpanId: ids[1] })]);
  const [before] = await all(ctx);
  expect(before!.externalId).toBeNull();
  await ingest(ctx, [{ spanId: ids[1], name: "root", attributes: { "session.id": "late" } }]);
  expect(await all(ctx)).toMatchObject([{ id: before!.id, externalId: "late" }]);
});

test("a trace whose late span names an existing session joins it and leaves nothing behind", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [chatSpan({ spanId: ids[0], attributes: { "session.id": "s" } })]);
  await ingest(ctx, [
    chatSpan(
      { traceId: OTHER_TRACE, spanId: ids[1], parentSpanId: ids[2], startMs: Date.UTC(2026, 10, 1, 14) },
      { input: [["user", "Again"]], output: "Yes?" },
    ),
  ]);
  expect(await all(ctx)).toHaveLength(2);
  await ingest(ctx, [{ traceId: OTHER_TRACE, spanId: ids[2], name: "root", attributes: { "session.id": "s" } }]);
  const conversations = await all(ctx);
  expect(conversations).toHaveLength(1);
  expect(conversations[0]).toMatchObject({
    externalId: "s",
    modelCallCount: 2,
    messageCount: 4,
    usage: { input_tokens: 200, output_tokens: 40 },
  });
});

test("the order in which spans arrive makes no difference", async () => {
  const spans = [
    { spanId: ids[0], name: "root", attributes: { "session.id": "s", "user.id": "ann" } },
    chatSpan({ spanId: ids[1], parentSpanId: ids[0] }),
    chatSpan(
      { spanId: ids[2], parentSpanId: ids[0], startMs: Date.UTC(2026, 10, 1, 13) },
      { input: [["user", "And now?"]], output: "Done." },
    ),
  ];
  const read = async (order: number[][]) => {
    const { ctx } = await testProject();
    for (const batch of order)
      await ingest(
        ctx,
        batch.map((index) => spans[index]!),
      );
    const { conversation } = await getConversation(ctx, { conversationId: "s" });
    // The version depends on how often it was written.
    const { id: _, version: __, ...rest } = conversation;
    return rest;
  };
  const whole = await read([[0, 1, 2]]);
  expect(await read([[2], [1], [0]])).toEqual(whole);
  expect(await read([[1], [0], [2]])).toEqual(whole);
});

test("an unknown model's cost is null, never zero, and known costs are still summed", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [
    chatSpan({ spanId: ids[0] }),
    chatSpan(
      { spanId: ids[1], startMs: Date.UTC(2026, 10, 1, 13) },
      { model: "house-model-9", input: [["user", "x"]] },
    ),
    chatSpan({ spanId: ids[2], startMs: Date.UTC(2026, 10, 1, 14) }, { tokens: null, input: [["user", "y"]] }),
  ]);
  const [summary] = await all(ctx);
  expect(summary).toMatchObject({ cost: 0.00045, costComplete: false, unpricedCallCount: 2 });
  const { conversation } = await getConversation(ctx, { conversationId: summary!.id });
  expect(conversation.modelCalls.map((call) => call.cost?.total ?? null)).toEqual([0.00045, null, null]);
});

test("a stored cost survives a rebuild after prices changed", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [chatSpan({ spanId: ids[0], attributes: { "session.id": "s" } })]);
  await ctx.db.execute(
    sql`update model_calls set cost_total = 7, cost = jsonb_set(cost, '{total}', '7') where project_id = ${ctx.projectId}`,
  );
  await ingest(ctx, [{ spanId: ids[1], name: "root", attributes: { "user.id": "ann" } }]);
  const { conversation } = await getConversation(ctx, { conversationId: "s" });
  expect(conversation).toMatchObject({ userId: "ann", cost: 7 });
});

test("lists respect their filters and page without gaps", async () => {
  const { ctx } = await testProject();
  const traceId = (i: number) => `${i}`.padStart(32, "a");
  for (let i = 0; i < 5; i++) {
    await ingest(ctx, [
      chatSpan(
        {
          traceId: traceId(i),
          spanId: ids[0],
          startMs: Date.UTC(2026, 10, 1 + i),
          attributes: { "session.id": `s${i}`, "user.id": i < 2 ? "ann" : "bob" },
        },
        { model: i === 0 ? "gpt-4o-mini" : "gpt-4o", input: [["user", i === 3 ? "refund my parcel" : "hello"]] },
      ),
    ]);
  }
  const names = async (filter: object) => (await all(ctx, filter)).map((conversation) => conversation.externalId);
  expect(await names({})).toEqual(["s4", "s3", "s2", "s1", "s0"]);
  expect(await names({ userId: "ann" })).toEqual(["s1", "s0"]);
  expect(await names({ model: "gpt-4o-mini" })).toEqual(["s0"]);
  expect(await names({ externalId: "s2" })).toEqual(["s2"]);
  expect(await names({ q: "PARCEL refund" })).toEqual(["s3"]);
  expect(await names({ startedAfter: Date.UTC(2026, 10, 2), startedBefore: Date.UTC(2026, 10, 4) })).toEqual([
    "s2",
    "s1",
  ]);
  expect(await names({ hasFindings: true })).toEqual([]);
  expect(await names({ hasErrors: true })).toEqual([]);
  expect(await names({ hasErrors: false })).toHaveLength(5);
  const first = await listConversations(ctx, { limit: 2 });
  const second = await listConversations(ctx, { limit: 2, cursor: first.pagination.nextCursor! });
  const third = await listConversations(ctx, { limit: 2, cursor: second.pagination.nextCursor! });
  expect([first, second, third].flatMap((page) => page.conversations.map((c) => c.externalId))).toEqual([
    "s4",
    "s3",
    "s2",
    "s1",
    "s0",
  ]);
  expect(third.pagination.nextCursor).toBeNull();
  await expect(
    listConversations(ctx, { limit: 2, userId: "ann", cursor: first.pagination.nextCursor! }),
  ).rejects.toMatchObject({ code: "invalid" });
  expect((await conversationFacets(ctx, {})).facets).toMatchObject({
    total: 5,
    sampled: false,
    models: [
      { value: "gpt-4o", count: 4 },
      { value: "gpt-4o-mini", count: 1 },
    ],
  });
});

test("a trace shows each span's interpretation and its unmapped attributes", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [
    { spanId: ids[0], name: "agent", attributes: { "gen_ai.operation.name": "invoke_agent", "shop.flag": "on" } },
    chatSpan({ spanId: ids[1], parentSpanId: ids[0] }),
  ]);
  const { trace } = await getTrace(ctx, { traceId: TRACE });
  expect(trace.spans.map((span) => [span.spanId, span.type, span.counted])).toEqual([
    [ids[0], "agent", false],
    [ids[1], "llm", true],
  ]);
  expect(trace.spans[0]!.unmapped).toEqual(["shop.flag"]);
  expect(trace.spans[0]!.resource).toEqual({ "service.name": "shop" });
});

test("another project's telemetry does not exist", async () => {
  const ours = await testProject();
  const theirs = await testProject();
  const { receiptId } = await ingest(theirs.ctx, [chatSpan({ spanId: ids[0], attributes: { "session.id": "s" } })]);
  await ingest(ours.ctx, [chatSpan({ spanId: ids[0], attributes: { "session.id": "s" } }, { output: "Ours" })]);
  const [secret] = await all(theirs.ctx);

  await expect(getConversation(ours.ctx, { conversationId: secret!.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(getReceipt(ours.ctx, { receiptId })).rejects.toMatchObject({ code: "not_found" });
  expect((await getConversation(ours.ctx, { conversationId: "s" })).conversation.messages.at(-1)!.parts[0]!.text).toBe(
    "Ours",
  );
  expect((await getConversation(theirs.ctx, { conversationId: "s" })).conversation.messages).toHaveLength(2);
  expect((await telemetryStatus(ours.ctx, {})).status.lastReceipt!.id).not.toBe(receiptId);
});

test("a write-only key cannot read, and a read-only key cannot store", async () => {
  const { ctx, asKey } = await testProject();
  const batch = decodeTraces(Buffer.from(JSON.stringify(otlpJson([chatSpan({ spanId: ids[0] })]))), "json");
  await expect(storeTraces(asKey("diagnostics:read", "project:data:read"), batch)).rejects.toMatchObject({
    code: "forbidden",
  });
  await storeTraces(asKey("telemetry:write"), batch);
  while ((await projectPending(ctx.db)) > 0);
  await expect(listConversations(asKey("telemetry:write"), {})).rejects.toMatchObject({ code: "forbidden" });
  expect(await all(asKey("diagnostics:read"))).toHaveLength(1);
  expect(await all(asKey("project:data:read"))).toHaveLength(1);
});

test("concurrent projectors rebuild every conversation once", async () => {
  const { ctx } = await testProject();
  for (let i = 0; i < 20; i++) {
    const batch = decodeTraces(
      Buffer.from(
        JSON.stringify(
          otlpJson([
            chatSpan(
              {
                traceId: `${i}`.padStart(32, "b"),
                spanId: ids[0],
                startMs: Date.UTC(2026, 10, 1, i),
                attributes: { "session.id": `s${i % 4}` },
              },
              { input: [["user", `question ${i}`]] },
            ),
          ]),
        ),
      ),
      "json",
    );
    await storeTraces(ctx, batch);
  }
  const drain = async () => {
    while ((await projectPending(ctx.db)) > 0);
  };
  await Promise.all([drain(), drain(), drain(), drain()]);
  await drain();
  const conversations = await all(ctx);
  expect(conversations.map((c) => [c.externalId, c.modelCallCount, c.messageCount]).sort()).toEqual(
    [0, 1, 2, 3].map((i) => [`s${i}`, 5, 10]),
  );
});

test("log records that arrive before their spans wait for them and block nothing", async () => {
  const { ctx } = await testProject();
  const record = {
    traceId: OTHER_TRACE,
    spanId: ids[1],
    timeUnixNano: `${Date.UTC(2026, 10, 1)}000000`,
    eventName: "gen_ai.user.message",
  };
  const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
  await storeLogs(ctx, decodeLogs(Buffer.from(JSON.stringify(logs)), "json"));
  await ingest(ctx, [chatSpan({ spanId: ids[0] })]);
  expect(await all(ctx)).toMatchObject([{ traceIds: [TRACE] }]);
  await ingest(ctx, [chatSpan({ traceId: OTHER_TRACE, spanId: ids[1] })]);
  expect(await all(ctx)).toHaveLength(2);
});

test("ids and names of any length are accepted, and overlong ids are ignored", async () => {
  const { ctx } = await testProject();
  // incompressible, four bytes a character
  const long = (characters: number) =>
    Array.from({ length: characters }, () => String.fromCodePoint(0x10000 + randomInt(0x10000))).join("");
  for (const [i, characters] of [400, 499, 2000, 20_000].entries()) {
    const text = long(characters);
    await ingest(ctx, [
      chatSpan(
        {
          traceId: `${i}`.padStart(32, "e"),
          spanId: ids[0],
          attributes: { "session.id": text, "user.id": text, "gen_ai.response.id": text, "gen_ai.provider.name": text },
        },
        { model: text, input: [[text, text]] },
      ),
    ]);
  }
  const conversations = await all(ctx);
  expect(conversations.map(({ externalId, userId }) => [externalId?.length, userId?.length])).toEqual(
    expect.arrayContaining([
      [800, 800],
      [998, 998],
      [undefined, undefined],
      [undefined, undefined],
    ]),
  );
  for (const { models } of conversations) expect(models[0]!.length).toBeLessThanOrEqual(500);
});

describe("one call that two instrumentations report in two traces", () => {
  const response = { "gen_ai.response.id": "msg_1" };
  const told = chatSpan({ spanId: ids[0], attributes: { ...response, "session.id": "s" } });
  const stray = chatSpan({ traceId: OTHER_TRACE, spanId: ids[1], scope: "sdk", attributes: response });

  test.each([
    ["the stray first", [stray, told]],
    ["the stray last", [told, stray]],
  ])("counts once, in the named conversation: %s", async (_order, spans) => {
    const { ctx } = await testProject();
    for (const span of spans) await ingest(ctx, [span]);
    expect(await all(ctx)).toMatchObject([
      { externalId: "s", traceIds: [TRACE, OTHER_TRACE], modelCallCount: 1, cost: 0.00045 },
    ]);
    const { trace } = await getTrace(ctx, { traceId: OTHER_TRACE });
    expect(trace.conversationId).toBe((await all(ctx))[0]!.id);

    // It stays there when more spans arrive, or the same ones again.
    await ingest(ctx, [stray, chatSpan({ traceId: OTHER_TRACE, spanId: ids[2], parentSpanId: ids[1] })]);
    expect(await all(ctx)).toMatchObject([{ externalId: "s", traceIds: [TRACE, OTHER_TRACE] }]);
  });

  test("counts once if no conversation is named", async () => {
    const { ctx } = await testProject();
    await ingest(ctx, [stray]);
    await ingest(ctx, [chatSpan({ spanId: ids[0], attributes: response })]);
    expect(await all(ctx)).toMatchObject([{ externalId: null, modelCallCount: 1 }]);
  });

  test("counts once if one of the conversations was locked while the other half arrived", async () => {
    const { ctx } = await testProject();
    await ingest(ctx, [stray]);
    const [held, done] = [newGate(), newGate()];
    const holding = db().transaction(async (tx) => {
      await tx.execute(sql`select 1 from conversations where project_id = ${ctx.projectId} for no key update`);
      held.resolve();
      await done.promise;
    });
    await held.promise;
    await ingest(ctx, [told]);
    expect(await all(ctx)).toHaveLength(2);
    done.resolve();
    await holding;
    await db().execute(sql`update projection_queue set retry_at = 0 where project_id = ${ctx.projectId}`);
    await projectIsolatingFailures(db(), undefined, claimAlone);
    expect(await all(ctx)).toMatchObject([{ externalId: "s", modelCallCount: 1 }]);
  });

  test("is not merged if the times differ or the instrumentation is the same", async () => {
    const { ctx } = await testProject();
    await ingest(ctx, [
      told,
      { ...stray, startMs: Date.UTC(2026, 10, 2) },
      { ...stray, traceId: "d".repeat(32), scope: "test" },
    ]);
    expect(await all(ctx)).toMatchObject([{ modelCallCount: 1 }, { modelCallCount: 1 }, { modelCallCount: 1 }]);
  });
});
