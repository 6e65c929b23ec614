import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import {
  createBackfill,
  getBackfill,
  listFindings,
  listRuleRuns,
  pauseBackfill,
  resumeBackfill,
} from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { inngest } from "../../client";
import { functions } from "..";

let engine: Engine | undefined;
afterEach(() => engine?.stop());

const start = async () => {
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
};
const WINDOW = { ruleId: "tool-failure", startMs: 0, endMs: Date.UTC(2099, 0), maxConversations: 1000 };
const read = async (ctx: Ctx, backfillId: string) => (await getBackfill(ctx, { backfillId })).backfill;

async function conversations(ctx: Ctx, count: number) {
  for (let n = 0; n < count; n += 1) {
    await storedConversation(ctx, failingToolCall("get_order", "Error: order not found"), {
      startedAt: Date.UTC(2026, 5, 1) + n,
    });
  }
}

test("a backfill completes in the background although the engine is restarted midway", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 120);
  const { id } = (await createBackfill(ctx, WINDOW)).backfill;
  await start();
  await until(async () => (await read(ctx, id)).counts.completed > 0);
  await engine?.stop();
  await start();
  await until(async () => (await read(ctx, id)).scanStatus === "completed");
  const done = await read(ctx, id);
  expect(done.counts).toEqual({ queued: 0, running: 0, completed: 120, skipped: 0, failed: 0 });
  const { runs } = await listRuleRuns(ctx, { backfillId: id, limit: 500 });
  expect(new Set(runs.map((run) => run.conversationId)).size).toBe(120);
  expect((await listFindings(ctx, {})).findings.map((finding) => finding.occurrenceCount)).toContain(120);
}, 60_000);

test("a paused backfill does not run until it is resumed", async () => {
  const { ctx } = await testProject();
  await conversations(ctx, 3);
  const { id } = (await createBackfill(ctx, WINDOW)).backfill;
  await pauseBackfill(ctx, { backfillId: id });
  await start();
  const other = (await createBackfill(ctx, { ...WINDOW, ruleId: "agent-loop" })).backfill;
  await until(async () => (await read(ctx, other.id)).scanStatus === "completed");
  expect(await read(ctx, id)).toMatchObject({ scanStatus: "queued", conversationsScanned: 0 });
  await resumeBackfill(ctx, { backfillId: id });
  await until(async () => (await read(ctx, id)).scanStatus === "completed");
  expect((await read(ctx, id)).counts.completed).toBe(3);
}, 60_000);
