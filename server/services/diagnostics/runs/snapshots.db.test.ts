import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversationMessages, conversations, occurrences } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { findConversation, getConversation, type WindowSize } from "@/server/services/telemetry";
import { chatSpan, ingest, type TestSpan } from "@/server/services/telemetry/testing";
import {
  createRuleRuns,
  executeRuleRuns,
  getRuleRun,
  listFindings,
  listOccurrences,
  listRuleRuns,
  scheduleInactiveConversations,
  updateRule,
} from "..";
import { RULES } from "../rules";
import { failingToolCall, storedConversation } from "../testing";

const START = Date.UTC(2026, 10, 1, 12);
const SESSION = "session-1";
const [FIRST, SECOND] = ["a".repeat(32), "b".repeat(32)];
const FAILURE = "Error: order 4821 not found";
const attributes = { "gen_ai.conversation.id": SESSION };
let spans = 0;
const spanId = () => (++spans).toString(16).padStart(16, "0");

const chat = (traceId: string, startMs: number, input: [string, string][], output: string): TestSpan =>
  chatSpan({ traceId, spanId: spanId(), startMs, durationMs: 500, attributes }, { input, output });
const failingTool = (traceId: string, startMs: number): TestSpan => ({
  traceId,
  spanId: spanId(),
  name: "execute_tool get_order",
  startMs,
  durationMs: 500,
  attributes: {
    ...attributes,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_order",
    "gen_ai.tool.call.id": `call_${startMs}`,
    "gen_ai.tool.call.arguments": '{"order_id":"4821"}',
    "gen_ai.tool.call.result": FAILURE,
  },
});

/** Returns a turn of one second in its own trace; a failing tool is called in the second half. */
const turn = (traceId: string, startMs: number, words: string, fails: boolean): TestSpan[] => [
  chat(traceId, startMs, [["user", words]], `Of ${words}: one moment.`),
  fails ? failingTool(traceId, startMs + 500) : chat(traceId, startMs + 500, [["user", words]], `${words} is fine.`),
];
const CLEAN = turn(FIRST, START, "a refund", false);
const FAILING = turn(SECOND, START + 1000, "order 4821", true);
/** The second turn begins in the same millisecond in which the first ends. */
const [AFTER_FIRST, AFTER_BOTH] = [START + 1000, START + 2000];

/** Queues and executes Runs, and returns that of the Rule for tools. */
async function run(ctx: Ctx, lastActivityAt: number, traceIds: string[] = [], size?: WindowSize) {
  const { runs } = await createRuleRuns(ctx, { conversationId: SESSION, lastActivityAt, traceIds });
  await executeRuleRuns(
    ctx,
    runs.map(({ id }) => id),
    size,
  );
  return (await getRuleRun(ctx, { runId: runs.find(({ ruleId }) => ruleId === "tool-failure")!.id })).run;
}
async function seen(ctx: Ctx) {
  const { findings } = await listFindings(ctx, { ruleId: "tool-failure" });
  const all = [];
  for (const { id: findingId, signal, occurrenceCount } of findings) {
    const { occurrences } = await listOccurrences(ctx, { findingId });
    expect(occurrences).toHaveLength(occurrenceCount);
    for (const { detectedAt, ruleRunId, evidence } of occurrences)
      all.push({ signal, detectedAt, ruleRunId, evidence });
  }
  return all.sort((one, other) => (one.signal < other.signal ? -1 : 1));
}

test("a Run reads only what had happened by its lastActivityAt", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [...CLEAN, ...FAILING]);

  expect(await run(ctx, AFTER_FIRST)).toMatchObject({ status: "completed", resultCount: 0 });
  expect(await seen(ctx)).toEqual([]);
  const whole = await run(ctx, AFTER_BOTH);
  expect(whole).toMatchObject({ status: "completed", resultCount: 1 });
  expect(await seen(ctx)).toMatchObject([{ signal: "tool_error", detectedAt: AFTER_BOTH, ruleRunId: whole.id }]);
});

test("a call in progress is not read, and an empty snapshot is skipped with the reason", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, FAILING);
  expect(await run(ctx, AFTER_BOTH - 1)).toMatchObject({ status: "completed", resultCount: 0 });
  expect(await run(ctx, START + 1000)).toMatchObject({
    status: "skipped",
    skipReason: expect.stringContaining("by then"),
  });
});

test("a time before the conversation began is rejected", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, CLEAN);
  await expect(run(ctx, START - 1)).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/lastActivityAt" }],
  });
  expect((await listRuleRuns(ctx, {})).runs).toEqual([]);
});

test("a Run reads only the named traces, without messages that they repeat from others", async () => {
  const { ctx } = await testProject();
  const third = "c".repeat(32);
  // Clients send the history again with every call.
  const history: [string, string][] = [
    ["user", "order 4821"],
    ["assistant", "Of order 4821: one moment."],
    ["tool", FAILURE],
  ];
  await ingest(ctx, [
    ...CLEAN,
    ...FAILING,
    chat(SECOND, AFTER_BOTH, history, "I could not look that up."),
    chat(
      third,
      AFTER_BOTH + 500,
      [...history, ["assistant", "I could not look that up."], ["user", "Thanks"]],
      "You are welcome.",
    ),
  ]);
  const last = AFTER_BOTH + 1000;

  expect(await run(ctx, last, [FIRST])).toMatchObject({ resultCount: 0, traceIds: [FIRST] });
  expect(await run(ctx, last, [third])).toMatchObject({ resultCount: 0 });
  expect(await run(ctx, last, [FIRST, third])).toMatchObject({ resultCount: 0 });
  expect(await seen(ctx)).toEqual([]);
  const { resultCount } = await run(ctx, last, [SECOND.toUpperCase(), FIRST]);
  expect(resultCount).toBeGreaterThan(0);
  for (const { detectedAt } of await seen(ctx)) expect(detectedAt).toBe(AFTER_BOTH + 500);
});

test("a trace of another conversation contributes nothing, and the Run notes it", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, FAILING);
  const other = await testProject();
  await ingest(other.ctx, turn("d".repeat(32), START, "order 1", true));
  expect(await run(ctx, AFTER_BOTH, ["d".repeat(32)])).toMatchObject({
    status: "skipped",
    skipReason: "None of the named traces belongs to this conversation.",
  });
  expect(await run(ctx, AFTER_BOTH, [SECOND, "d".repeat(32)])).toMatchObject({
    status: "completed",
    resultCount: 1,
    notes: ["1 of the named traces does not belong to this conversation."],
  });
});

test("evidence from an earlier or narrower snapshot points into the current conversation", async () => {
  const { ctx } = await testProject();
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { keywords: ["4821", "refund"] } });
  await ingest(ctx, [...CLEAN, ...FAILING]);
  await run(ctx, AFTER_BOTH - 1, [SECOND]);

  const { messages } = (await getConversation(ctx, { conversationId: SESSION })).conversation;
  const evidence = (await seen(ctx)).flatMap((one) => one.evidence);
  expect(evidence.length).toBeGreaterThan(1);
  for (const { messageIndex, start, end, quote } of evidence) {
    expect(messages[messageIndex!]!.parts[0]!.text!.slice(start, end)).toBe(quote);
    expect(quote).toBe("4821");
  }
});

test.each<[string, number, string[]]>([
  ["earlier", START + 25_000, []],
  ["narrower", START + 40_000, [SECOND]],
  ["empty", START + 500, [SECOND]],
])("an %s snapshot of a long conversation is read in windows, with the same results", async (_, at, traceIds) => {
  const turns = Array.from({ length: 40 }, (_, n) =>
    turn(n < 20 ? FIRST : SECOND, START + n * 1000, `order ${n}`, n % 6 === 1),
  ).flat();
  const results = async (size?: WindowSize) => {
    const { ctx } = await testProject();
    await updateRule(ctx, { ruleId: "tool-failure", configuration: { keywords: ["order 22", "order 7"] } });
    await ingest(ctx, turns);
    const { status, skipReason, resultCount } = await run(ctx, at, traceIds, size);
    const found = (await seen(ctx)).map(({ ruleRunId: _, ...rest }) => JSON.stringify(rest)).sort();
    return { status, skipReason, resultCount, found };
  };

  expect(await results({ messages: 20, bytes: 1_000_000, around: 6 })).toEqual(await results());
});

test("an automatic Run reads the conversation as of when it became inactive, however late it is executed", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, CLEAN);
  await scheduleInactiveConversations(ctx.db, Date.now() + 3_600_000);
  const { runs } = await listRuleRuns(ctx, { origin: "automatic" });
  expect(runs).toHaveLength(RULES.length);
  await ingest(ctx, FAILING);
  await executeRuleRuns(
    ctx,
    runs.map(({ id }) => id),
  );
  expect((await listRuleRuns(ctx, {})).runs).toMatchObject(
    runs.map(() => ({ status: "completed", resultCount: 0, lastActivityAt: AFTER_FIRST })),
  );
  expect(await seen(ctx)).toEqual([]);

  await scheduleInactiveConversations(ctx.db, Date.now() + 3_600_000);
  const queued = (await listRuleRuns(ctx, { status: "queued" })).runs;
  await executeRuleRuns(
    ctx,
    queued.map(({ id }) => id),
  );
  expect(await seen(ctx)).toMatchObject([{ signal: "tool_error" }]);
  // A manual request for the same snapshot returns the same Run.
  expect(await run(ctx, AFTER_BOTH)).toMatchObject({ origin: "automatic", attempts: 1 });
});

test("the automatic pass leaves completed Runs as they are and queues others only for data that has arrived since", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, FAILING);
  await run(ctx, AFTER_BOTH);
  const { id, lastActivityAt } = await findConversation(ctx, SESSION);
  const states = async (origin?: "on_demand" | "automatic") =>
    (await listRuleRuns(ctx, { origin })).runs.map(({ id, status, finishedAt }) => [id, status, finishedAt]);
  const asked = await states("on_demand");
  expect(asked).toHaveLength(RULES.length);
  const later = Date.now() + 3_600_000;

  await scheduleInactiveConversations(ctx.db, later);
  expect(await states()).toEqual(asked);

  // An earlier turn arrives late: the time of the latest activity stays the same.
  await ingest(ctx, CLEAN);
  expect(await findConversation(ctx, SESSION)).toMatchObject({ id, lastActivityAt });
  await scheduleInactiveConversations(ctx.db, later);
  await scheduleInactiveConversations(ctx.db, later);
  expect(await states("on_demand")).toEqual(asked);
  expect((await states("automatic")).map(([, status]) => status)).toEqual(RULES.map(() => "queued"));
});

test("Findings are those of the latest and widest snapshot, in whatever order snapshots are read", async () => {
  const snapshots: [number, string[]][] = [
    [AFTER_BOTH, []],
    [AFTER_FIRST, []],
    [AFTER_BOTH, [FIRST]],
    [AFTER_BOTH, [SECOND]],
  ];
  // The first turn fails here as well, so it has its own occurrence.
  const spans = [...turn(FIRST, START, "order 1", true), ...FAILING];
  const { ctx } = await testProject();
  await ingest(ctx, spans);
  const whole = await run(ctx, AFTER_BOTH);
  const expected = await seen(ctx);
  expect(expected.length).toBeGreaterThan(0);
  for (const [at, traceIds] of snapshots.slice(1)) {
    const { notes, resultCount } = await run(ctx, at, traceIds);
    expect(resultCount).toBeGreaterThan(0);
    expect(notes).toEqual([expect.stringContaining("has read more of the conversation")]);
  }
  expect(await seen(ctx)).toEqual(expected);
  expect(expected.every(({ ruleRunId }) => ruleRunId === whole.id)).toBe(true);

  for (const order of [snapshots.toReversed(), [...snapshots.slice(2), ...snapshots.slice(0, 2)]]) {
    const { ctx: again } = await testProject();
    await ingest(again, spans);
    for (const [at, traceIds] of order) await run(again, at, traceIds);
    const comparable = (all: Awaited<ReturnType<typeof seen>>) => all.map(({ ruleRunId: _, ...rest }) => rest);
    expect(comparable(await seen(again))).toEqual(comparable(expected));
  }
});

test("Runs of several snapshots executed together leave the results of the latest and widest", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [...turn(FIRST, START, "order 1", true), ...FAILING]);
  const ids: string[] = [];
  for (const [at, traceIds] of [
    [AFTER_BOTH, []],
    [AFTER_FIRST, []],
    [AFTER_BOTH + 5, []],
    [AFTER_BOTH, [FIRST]],
  ] as const) {
    const asked = { conversationId: SESSION, lastActivityAt: at, traceIds: [...traceIds] };
    ids.push(...(await createRuleRuns(ctx, asked)).runs.map(({ id }) => id));
  }
  expect(await executeRuleRuns(ctx, ids)).toEqual({ completed: 4 * RULES.length });
  const found = await seen(ctx);
  expect(found).toMatchObject([{ signal: "tool_error", detectedAt: AFTER_BOTH }]);
  expect(new Set(found[0]!.evidence.map((one) => JSON.stringify(one))).size).toBe(found[0]!.evidence.length);
});

test("a Run of an earlier snapshot adds results of changed settings and preserves later ones", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [...CLEAN, ...FAILING]);
  const whole = await run(ctx, AFTER_BOTH);
  await updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { keywords: ["refund"], signalOverrides: { tool_error: { enabled: false } } },
  });
  const earlier = await run(ctx, AFTER_FIRST);
  expect(await seen(ctx)).toMatchObject([
    { signal: "keyword", detectedAt: AFTER_FIRST, ruleRunId: earlier.id },
    { signal: "tool_error", detectedAt: AFTER_BOTH, ruleRunId: whole.id },
  ]);
  const again = await run(ctx, AFTER_BOTH);
  expect(await seen(ctx)).toMatchObject([{ signal: "keyword", detectedAt: AFTER_BOTH, ruleRunId: again.id }]);
});

test("results from activity that has left the conversation do not protect occurrences", async () => {
  const { ctx } = await testProject();
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", FAILURE), {
    externalId: SESSION,
  });
  await run(ctx, lastActivityAt);
  expect(await seen(ctx)).toHaveLength(1);
  // A trace that moves to another conversation takes its messages along.
  await ctx.db
    .delete(conversationMessages)
    .where(and(eq(conversationMessages.conversationId, id), eq(conversationMessages.role, "tool")));
  await ctx.db
    .update(conversations)
    .set({ lastActivityAt: lastActivityAt - 1000 })
    .where(eq(conversations.id, id));
  await run(ctx, (await findConversation(ctx, SESSION)).lastActivityAt);
  expect(await ctx.db.select().from(occurrences).where(eq(occurrences.conversationId, id))).toEqual([]);
});
