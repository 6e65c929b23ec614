import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { createRepricing, failRepricing, getRepricing, undoRepricing } from "@/server/services/costs";
import { createModelPrice } from "@/server/services/pricing";
import { listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest, TRACE } from "@/server/services/telemetry/testing";
import { inngest } from "../client";
import { functions } from ".";

let engine: Engine | undefined;
afterEach(() => engine?.stop());

const costNow = async (ctx: Ctx) => (await listConversations(ctx, {})).conversations[0]?.cost;
const ended = (ctx: Ctx, repricingId: string, state: string) =>
  until(async () => (await getRepricing(ctx, { repricingId })).repricing.state === state);

test("a repricing and its undo run in the background", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [chatSpan({ traceId: TRACE, spanId: "a".repeat(16) }, { model: "acme-1" })]);
  await createModelPrice(ctx, {
    provider: "external",
    modelName: "acme-1",
    pricingTiers: [
      { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 0.01, output_tokens: 0 } },
    ],
  });
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  const { repricing } = await createRepricing(ctx, { from: 0, to: Date.UTC(2099, 0) });
  await ended(ctx, repricing.id, "completed");
  expect(await costNow(ctx)).toBe(1);
  await undoRepricing(ctx, { repricingId: repricing.id });
  await ended(ctx, repricing.id, "undone");
  expect(await costNow(ctx)).toBeNull();
}, 30_000);

test("a failed repricing does not block another one, and can be undone after it", async () => {
  const { ctx } = await testProject();
  const { repricing } = await createRepricing(ctx, { from: 0, to: 1 });
  await failRepricing(ctx, repricing.id, "The disk is full.");
  expect((await getRepricing(ctx, { repricingId: repricing.id })).repricing).toMatchObject({
    state: "failed",
    error: "The disk is full.",
  });
  const second = (await createRepricing(ctx, { from: 0, to: 1 })).repricing;
  await expect(undoRepricing(ctx, { repricingId: repricing.id })).rejects.toMatchObject({ code: "conflict" });
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await ended(ctx, second.id, "completed");
  await undoRepricing(ctx, { repricingId: repricing.id });
  await ended(ctx, repricing.id, "undone");
}, 30_000);
