import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { HOUR_MS } from "@/server/platform/durations";
import {
  cancelBackfill,
  createBackfill,
  createRuleRuns,
  executeRuleRuns,
  failBackfill,
  failRuleRuns,
  forgetConversations,
  getBackfill,
  listBackfills,
  listFindings,
  listRuleRuns,
  pauseBackfill,
  previewBackfill,
  resumeBackfill,
  runBackfill,
  updateRule,
} from "..";
import { failingToolCall, storedConversation } from "../testing";
import { executeQueued, runToEnd } from "./testing";

const START = Date.UTC(2026, 5, 1);
const ALL = { ruleId: "tool-failure", startMs: START, endMs: START + 1000 * HOUR_MS, maxConversations: 1000 };

/** Stores one conversation an hour from `START` on, each with the same failure, and returns them oldest first. */
async function conversations(ctx: Ctx, count: number) {
  const stored = [];
  for (let n = 0; n < count; n += 1) {
    const said = failingToolCall("get_order", "Error: order 4821 not found");
    stored.push(await storedConversation(ctx, said, { startedAt: START + n * HOUR_MS }));
  }
  return stored;
}

const backfill = async (ctx: Ctx, asked: Partial<typeof ALL> = {}) =>
  (await createBackfill(ctx, { ...ALL, ...asked })).backfill.id;
const read = async (ctx: Ctx, backfillId: string) => (await getBackfill(ctx, { backfillId })).backfill;
const runsOf = async (ctx: Ctx, backfillId: string) => (await listRuleRuns(ctx, { backfillId, limit: 500 })).runs;
const queueAll = (ctx: Ctx, backfillId: string) => runBackfill(ctx, backfillId, { forMs: 5_000 });

const NONE = { queued: 0, running: 0, completed: 0, skipped: 0, failed: 0 };

test("a backfill reads the conversations of its window, newest first, and no more than its maximum", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  const stored = await conversations(ctx, 6);
  await conversations(other.ctx, 2);
  // From the second conversation's activity on, up to but excluding the last one's.
  const id = await backfill(ctx, {
    startMs: stored[1]!.lastActivityAt,
    endMs: stored[5]!.lastActivityAt,
    maxConversations: 3,
  });
  expect(await read(ctx, id)).toMatchObject({
    scanStatus: "queued",
    counts: NONE,
    conversationsExpected: 3,
    etaMs: null,
    actorName: expect.stringContaining("@example.test"),
  });

  expect(await queueAll(ctx, id)).toEqual({ done: false, wait: true });
  expect(await read(ctx, id)).toMatchObject({
    scanStatus: "processing",
    counts: { ...NONE, queued: 3 },
    conversationsScanned: 3,
  });
  await runToEnd(ctx, id);
  expect(await read(ctx, id)).toMatchObject({
    scanStatus: "completed",
    counts: { ...NONE, completed: 3 },
    finishedAt: expect.any(Number),
  });
  const runs = await runsOf(ctx, id);
  expect(new Set(runs.map((run) => run.conversationId))).toEqual(new Set([4, 3, 2].map((n) => stored[n]!.id)));
  expect(runs.map((run) => [run.origin, run.ruleId, run.links.backfill])).toEqual(
    Array(3).fill(["backfill", "tool-failure", `/v1/projects/${ctx.projectId}/diagnostics/backfills/${id}`]),
  );
  expect((await listFindings(ctx, {})).findings.map((finding) => finding.occurrenceCount)).toContain(3);
  expect((await listFindings(other.ctx, {})).findings).toEqual([]);
  await expect(getBackfill(other.ctx, { backfillId: id })).rejects.toMatchObject({ code: "not_found" });
  await expect(cancelBackfill(other.ctx, { backfillId: id })).rejects.toMatchObject({ code: "not_found" });
  expect((await listBackfills(other.ctx, {})).backfills).toEqual([]);
});

test("conversations already read or queued are skipped, and the reason names the existing Run", async () => {
  const { ctx } = await testProject();
  const [first, second] = await conversations(ctx, 3);
  const asked = { conversationId: first!.id, lastActivityAt: first!.lastActivityAt };
  const { runs } = await createRuleRuns(ctx, asked);
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const { runs: waiting } = await createRuleRuns(ctx, {
    conversationId: second!.id,
    lastActivityAt: second!.lastActivityAt,
  });
  const idOf = (of: typeof runs) => of.find((run) => run.ruleId === "tool-failure")!.id;

  const id = await backfill(ctx);
  await runToEnd(ctx, id);
  expect((await read(ctx, id)).counts).toEqual({ ...NONE, completed: 1, skipped: 2 });
  const reasons = (await runsOf(ctx, id)).flatMap((run) => run.skipReason ?? []);
  expect(reasons.sort()).toEqual([
    `Already queued: ${idOf(waiting)}`,
    `Already read with the same settings: ${idOf(runs)}`,
  ]);
  expect((await createRuleRuns(ctx, asked)).runs.map((run) => run.status)).toEqual(runs.map(() => "completed"));

  const again = await backfill(ctx);
  await runToEnd(ctx, again);
  expect((await read(ctx, again)).counts).toEqual({ ...NONE, skipped: 3 });
});

test("a backfill uses the settings at the time of its request", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 2);
  const before = await backfill(ctx);
  await updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { signalOverrides: { tool_error: { enabled: false } } },
  });
  const after = await backfill(ctx);
  for (const id of [before, after]) await runToEnd(ctx, id);
  expect((await runsOf(ctx, before)).map((run) => run.configurationRevision)).toEqual([1, 1]);
  expect((await runsOf(ctx, after)).map((run) => run.configurationRevision)).toEqual([2, 2]);
});

test("a paused backfill queues nothing until it is resumed, and then repeats nothing", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 4);
  const id = await backfill(ctx, { maxConversations: 4 });
  await queueAll(ctx, id);
  const paused = (await pauseBackfill(ctx, { backfillId: id })).backfill;
  expect(paused).toMatchObject({ scanStatus: "processing", pausedAt: expect.any(Number), etaMs: null });
  expect(await runBackfill(ctx, id, { forMs: 0 })).toEqual({ done: true });
  await executeQueued(ctx, id);
  expect((await read(ctx, id)).scanStatus).toBe("processing");
  expect((await pauseBackfill(ctx, { backfillId: id })).backfill.pausedAt).toBe(paused.pausedAt);

  expect((await resumeBackfill(ctx, { backfillId: id })).backfill.pausedAt).toBeNull();
  await runToEnd(ctx, id);
  expect((await runsOf(ctx, id)).map((run) => run.attempts)).toEqual([1, 1, 1, 1]);
  for (const control of [pauseBackfill, resumeBackfill, cancelBackfill]) {
    await expect(control(ctx, { backfillId: id })).rejects.toMatchObject({ code: "conflict" });
  }
});

test("cancelling skips queued Runs, with the reason, and keeps what was found", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 3);
  const id = await backfill(ctx);
  await queueAll(ctx, id);
  const [first] = await runsOf(ctx, id);
  await executeRuleRuns(ctx, [first!.id]);
  expect((await cancelBackfill(ctx, { backfillId: id })).backfill).toMatchObject({
    scanStatus: "failed",
    cancelledAt: expect.any(Number),
    finishedAt: expect.any(Number),
    counts: { ...NONE, completed: 1, skipped: 2 },
  });
  expect((await runsOf(ctx, id)).map((run) => run.skipReason).filter(Boolean)).toEqual(
    Array(2).fill("The backfill was cancelled."),
  );
  expect(await runBackfill(ctx, id, { forMs: 0 })).toEqual({ done: true });
  await expect(resumeBackfill(ctx, { backfillId: id })).rejects.toThrow(/cancelled/);
  // Skipped Runs block nothing: the rest can be read by another backfill.
  const next = await backfill(ctx);
  await runToEnd(ctx, next);
  expect((await read(ctx, next)).counts).toEqual({ ...NONE, completed: 2, skipped: 1 });
});

test("a backfill with failed Runs completes with errors", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 2);
  const id = await backfill(ctx);
  await queueAll(ctx, id);
  const [first] = await runsOf(ctx, id);
  await failRuleRuns(ctx, [first!.id], "The disk is full.");
  await runToEnd(ctx, id);
  expect(await read(ctx, id)).toMatchObject({
    scanStatus: "completed_with_errors",
    counts: { ...NONE, completed: 1, failed: 1 },
  });
});

test("a failed backfill is resumed where it stopped", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 2);
  const id = await backfill(ctx);
  await failBackfill(ctx, id, "The disk is full.");
  expect(await read(ctx, id)).toMatchObject({ scanStatus: "failed", error: "The disk is full.", cancelledAt: null });
  expect((await resumeBackfill(ctx, { backfillId: id })).backfill).toMatchObject({
    scanStatus: "scanning",
    error: null,
  });
  await runToEnd(ctx, id);
  expect((await read(ctx, id)).counts).toEqual({ ...NONE, completed: 2 });
});

test("a Rule that is off rejects a backfill, and turning a Rule off ends its backfill", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 2);
  const id = await backfill(ctx);
  await updateRule(ctx, { ruleId: "tool-failure", enabled: false });
  await expect(backfill(ctx)).rejects.toThrow(/turned off/);
  await runToEnd(ctx, id);
  expect(await read(ctx, id)).toMatchObject({ scanStatus: "failed", error: "The Rule was turned off." });
  await expect(resumeBackfill(ctx, { backfillId: id })).rejects.toMatchObject({ code: "conflict" });
  await expect(backfill(ctx, { ruleId: "no-such-rule" })).rejects.toMatchObject({ code: "not_found" });
  await expect(backfill(ctx, { endMs: START })).rejects.toMatchObject({ issues: [{ path: ["endMs"] }] });
});

test("the earlier name `limit` still works, but not together with maxConversations", async () => {
  const { ctx } = await testProject();
  const { maxConversations: _, ...window } = ALL;
  expect((await createBackfill(ctx, { ...window, limit: 7 })).backfill.maxConversations).toBe(7);
  await expect(createBackfill(ctx, { ...ALL, limit: 7 })).rejects.toThrow(/limit/);
  await expect(createBackfill(ctx, window)).rejects.toThrow(/maxConversations/);
});

test("a preview counts conversations, Runs, those already read and repeats", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  await conversations(ctx, 3);
  expect((await previewBackfill(ctx, ALL)).preview).toMatchObject({
    conversations: 3,
    complete: true,
    runs: 3,
    alreadyRead: 0,
    repeats: 0,
    redoesEverything: false,
    rateFrom: "benchmark",
    adjudicationCost: 0,
  });
  await runToEnd(ctx, await backfill(ctx, { maxConversations: 2 }));
  expect((await previewBackfill(ctx, ALL)).preview).toMatchObject({ runs: 1, alreadyRead: 2, repeats: 0 });
  await runToEnd(ctx, await backfill(ctx));
  expect((await previewBackfill(ctx, ALL)).preview).toMatchObject({ runs: 0, alreadyRead: 3, expectedMs: 0 });
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { keywords: ["refund"] } });
  expect((await previewBackfill(ctx, ALL)).preview).toMatchObject({
    runs: 3,
    alreadyRead: 0,
    repeats: 3,
    redoesEverything: true,
  });
  expect((await previewBackfill(other.ctx, ALL)).preview).toMatchObject({ conversations: 0, redoesEverything: false });
});

test("the list is filtered by status and Rule, and is paginated", async () => {
  const { ctx } = await testProject();
  const loops = await backfill(ctx, { ruleId: "agent-loop" });
  const failures = await backfill(ctx);
  await runToEnd(ctx, failures);
  const ids = async (input: Parameters<typeof listBackfills>[1]) =>
    (await listBackfills(ctx, input)).backfills.map(({ id }) => id);
  expect(await ids({})).toEqual([failures, loops]);
  expect(await ids({ scanStatus: "completed" })).toEqual([failures]);
  expect(await ids({ ruleId: "agent-loop" })).toEqual([loops]);
  const { pagination } = await listBackfills(ctx, { limit: 1 });
  expect(await ids({ limit: 1, cursor: pagination.nextCursor! })).toEqual([loops]);
});

test("counts equal the Runs in every status, after deletions too", async () => {
  const { ctx } = await testProject();
  const stored = await conversations(ctx, 4);
  const id = await backfill(ctx);
  await queueAll(ctx, id);
  await executeRuleRuns(ctx, [(await runsOf(ctx, id))[0]!.id]);
  const counted = async () => {
    const rows = await ctx.db.execute<{ status: string; count: number }>(sql`
      select status, count(*)::int as count from rule_runs where backfill_id = ${id} group by status`);
    return { ...NONE, ...Object.fromEntries([...rows].map(({ status, count }) => [status, count])) };
  };
  expect((await read(ctx, id)).counts).toEqual(await counted());
  await ctx.db.transaction((db) =>
    forgetConversations(
      { ...ctx, db },
      stored.slice(0, 2).map((one) => one.id),
      async () => {},
    ),
  );
  expect((await read(ctx, id)).counts).toEqual(await counted());
  await runToEnd(ctx, id);
  const { counts } = await read(ctx, id);
  expect(counts).toEqual(await counted());
  expect(counts.completed).toBe(2);
});
