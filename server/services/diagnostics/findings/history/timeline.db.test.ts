import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import {
  createRuleRuns,
  executeRuleRuns,
  findingTimeline,
  listFindings,
  undoFindingChange,
  updateFindings,
} from "../..";
import { failingToolCall, storedConversation } from "../../testing";

const startOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
const hex = (bytes: number) => randomBytes(bytes).toString("hex");

type Said = Parameters<typeof storedConversation>[1];

async function read(ctx: Ctx, said: Said, startedAt: number) {
  const { id, lastActivityAt } = await storedConversation(ctx, said, { startedAt });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
}

const failing = (ctx: Ctx, startedAt: number) => read(ctx, failingToolCall("alpha", "Error: not found"), startedAt);

async function theFinding(ctx: Ctx) {
  const { findings } = await listFindings(ctx, { signal: "tool_error" });
  return findings[0]!.id;
}

const HELLO: Said = [{ role: "user", text: "Hello" }];
const healthy = (ctx: Ctx, startedAt: number) => read(ctx, HELLO, startedAt);

const sent = (ctx: Ctx, at: number, { version, model }: { version?: string; model: string }) =>
  ingest(ctx, [chatSpan({ traceId: hex(16), spanId: hex(8), startMs: at }, { model })], version);

test("each day with conversations has a rate with its interval, including days without the Finding", async () => {
  const { ctx } = await testProject();
  const today = startOf(Date.now());
  await failing(ctx, today - 3 * DAY_MS + 1000);
  for (let n = 0; n < 3; n++) await healthy(ctx, today - 3 * DAY_MS + 2000);
  for (let n = 0; n < 2; n++) await healthy(ctx, today - 2 * DAY_MS + 2000);
  await storedConversation(ctx, HELLO, { startedAt: today - 2 * DAY_MS + 3000 });
  const { days } = await findingTimeline(ctx, { findingId: await theFinding(ctx) });
  expect(days).toHaveLength(30);
  expect(days.at(-1)!.day).toBe(today);
  expect(days.at(-4)).toMatchObject({
    day: today - 3 * DAY_MS,
    affected: 1,
    conversations: 4,
    read: 4,
    rate: { rate: 0.25 },
  });
  expect(days.at(-4)!.rate!.low).toBeCloseTo(0.0456, 3);
  expect(days.at(-4)!.rate!.high).toBeCloseTo(0.6994, 3);
  expect(days.at(-3)).toMatchObject({ affected: 0, conversations: 3, read: 2, rate: { rate: 0, low: 0 } });
  expect(days.at(-1)).toEqual({ day: today, affected: 0, conversations: 0, read: 0, readAffected: 0, rate: null });
});

test("the timeline of a Finding that stopped long ago ends two weeks after it", async () => {
  const { ctx } = await testProject();
  const then = Date.UTC(2026, 1, 2, 9);
  await failing(ctx, then);
  const { days } = await findingTimeline(ctx, { findingId: await theFinding(ctx) });
  expect(days.at(-1)!.day).toBe(startOf(then) + 14 * DAY_MS);
  expect(days.filter(({ affected }) => affected > 0)).toMatchObject([{ day: startOf(then), conversations: 1 }]);
});

test("the first appearance of a version or a model is marked, whatever order spans arrive in", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const today = startOf(Date.now());
  await failing(ctx, today - 2 * DAY_MS);
  await sent(ctx, today - 60 * DAY_MS, { version: "1.0", model: "gpt-4o" });
  await sent(ctx, today - 4 * DAY_MS, { version: "1.1", model: "gpt-4o" });
  await sent(ctx, today - 5 * DAY_MS + 7, { version: "1.1", model: "gpt-4o-mini" });
  await sent(ctx, today - 3 * DAY_MS, { version: "1.1", model: "gpt-4o-mini" });
  await sent(ctx, today - 3 * DAY_MS, { model: "gpt-4o" });
  await sent(other, today - 4 * DAY_MS, { version: "9.9", model: "claude" });
  const { markers } = await findingTimeline(ctx, { findingId: await theFinding(ctx) });
  expect(markers).toEqual([
    { kind: "model", at: today - 5 * DAY_MS, name: "gpt-4o-mini", service: null },
    { kind: "version", at: today - 5 * DAY_MS + 7, name: "1.1", service: "shop" },
  ]);
});

test("a release is marked like a version, and only once if both are the same", async () => {
  const { ctx } = await testProject();
  const today = startOf(Date.now());
  await failing(ctx, today - 2 * DAY_MS);
  const released = (at: number, release: string, version?: string) =>
    ingest(ctx, [chatSpan({ traceId: hex(16), spanId: hex(8), startMs: at })], version, {
      "langfuse.release": release,
    });
  await released(today - 4 * DAY_MS, "a1b2c3");
  await released(today - 3 * DAY_MS, "1.2", "1.2");
  const { markers } = await findingTimeline(ctx, { findingId: await theFinding(ctx) });
  expect(markers.filter(({ kind }) => kind === "version")).toEqual([
    { kind: "version", at: today - 4 * DAY_MS, name: "a1b2c3", service: "shop" },
    { kind: "version", at: today - 3 * DAY_MS, name: "1.2", service: "shop" },
  ]);
});

test("a resolution is marked until it is undone, and a later regression is marked too", async () => {
  const { ctx } = await testProject();
  await failing(ctx, Date.now() - 60_000);
  const findingId = await theFinding(ctx);
  const kinds = async () => (await findingTimeline(ctx, { findingId })).markers.map(({ kind }) => kind);
  const { change } = await updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus: "resolved" } });
  expect(await kinds()).toEqual(["resolved"]);
  await undoFindingChange(ctx, { changeId: change.id });
  expect(await kinds()).toEqual([]);
  await updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus: "resolved" } });
  await ctx.db.execute(sql`
    update findings set resolved_at = resolved_at - 1000 where project_id = ${ctx.projectId} and id = ${findingId}`);
  await failing(ctx, Date.now());
  expect(await kinds()).toEqual(["resolved", "regressed"]);
});
