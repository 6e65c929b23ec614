import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteConversation, deleteProject } from "@/server/services/deletion";
import { tablesNaming } from "@/server/services/deletion/testing";
import { createRuleRuns, executeRuleRuns, listFindings } from "@/server/services/diagnostics";
import { createModelPrice, deleteModelPrice, updateModelPrice } from "@/server/services/pricing";
import { foldDailyCosts, getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import {
  createRepricing,
  getCosts,
  getRepricing,
  listRepricings,
  previewRepricing,
  runRepricing,
  undoRepricing,
} from "..";
import { runToCompletion, storedAndRecomputedCosts, storedCosts } from "../testing";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 3 * 86_400_000 };
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

const price = (input: number, output = input) => ({
  provider: "external" as const,
  modelName: "acme-1",
  pricingTiers: [
    { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: input, output_tokens: output } },
  ],
});

/** Conversations of one call each on three days, with costs that doubles cannot represent. */
const acmeCalls = (count: number, { from = 0, session = (n: number) => `s-${n}`, tokens = 7 } = {}) =>
  Array.from({ length: count }, (_, n) =>
    chatSpan(
      {
        traceId: hex(from + n + 1, 32),
        spanId: hex(from + n + 1, 16),
        startMs: DAY + ((from + n) % 3) * 86_400_000 + n,
        attributes: { "gen_ai.conversation.id": session(from + n) },
      },
      { model: "acme-1", tokens: [tokens + n, 3] },
    ),
  );

const start = async (ctx: Ctx, input: Partial<Parameters<typeof createRepricing>[1]> = {}) =>
  (await createRepricing(ctx, { ...RANGE, ...input })).repricing;
const stateOf = async (ctx: Ctx, repricingId: string) => (await getRepricing(ctx, { repricingId })).repricing;

async function expectSums(ctx: Ctx) {
  const { stored, recomputed, inconsistent } = await storedAndRecomputedCosts(ctx);
  expect(stored).toEqual(recomputed);
  expect(inconsistent).toEqual([]);
}

test("a repricing changes exactly what its preview shows, and its undo restores every stored cost", async () => {
  const { ctx, userId } = await testProject();
  const theirs = await testProject();
  await createModelPrice(ctx, price(0.1));
  for (const one of [ctx, theirs.ctx])
    await ingest(one, [...acmeCalls(7), chatSpan({ spanId: "f".repeat(16), startMs: DAY })]);
  const before = await storedCosts(ctx);
  const others = await storedCosts(theirs.ctx);
  await createModelPrice(ctx, price(0.3));
  expect(await storedCosts(ctx)).toEqual(before);

  const { preview } = await previewRepricing(ctx, RANGE);
  // (7 + … + 13) + 7 × 3 = 91 tokens at 0.1; gpt-4o keeps its 0.00045.
  expect(preview.total).toEqual({
    calls: 8,
    changed: 7,
    costBefore: 9.10045,
    costBeforeComplete: true,
    unknownBefore: 0,
    costAfter: 27.30045,
    costAfterComplete: true,
    unknownAfter: 0,
    difference: 18.2,
  });
  expect(preview.rows.map(({ day, model, changed }) => [day, model, changed])).toEqual([
    [DAY + 2 * 86_400_000, "acme-1", 2],
    [DAY + 86_400_000, "acme-1", 2],
    [DAY, "acme-1", 3],
  ]);
  expect(preview).toMatchObject({ complete: true, rowsLeftOut: 0, callsExpected: 8 });

  const { id } = await start(ctx, { pricesVersion: preview.pricesVersion });
  expect(await stateOf(ctx, id)).toMatchObject({ state: "queued", callsExpected: 8, actorId: userId });
  await runToCompletion(ctx, id);
  expect(await stateOf(ctx, id)).toMatchObject({
    state: "completed",
    callsExamined: 8,
    callsChanged: 7,
    costBefore: preview.total.costBefore,
    costAfter: preview.total.costAfter,
  });
  await expectSums(ctx);
  expect((await getCosts(ctx, RANGE)).costs.total).toMatchObject({ exactCost: "27.30045", calls: 8 });
  expect((await previewRepricing(ctx, RANGE)).preview.total.changed).toBe(0);
  expect(await storedCosts(theirs.ctx)).toEqual(others);

  await undoRepricing(ctx, { repricingId: id });
  await runToCompletion(ctx, id);
  expect(await stateOf(ctx, id)).toMatchObject({ state: "undone", callsRestored: 7, callsKept: 0, undoneBy: userId });
  expect(await storedCosts(ctx)).toEqual(before);
  await expectSums(ctx);
  await expect(undoRepricing(ctx, { repricingId: id })).rejects.toMatchObject({ code: "conflict" });
});

test("an unknown cost becomes known, a known one becomes unknown, and an undo restores both", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, acmeCalls(3));
  const before = await storedCosts(ctx);
  expect(before.map((call) => call.cost_total)).toEqual([null, null, null]);
  const { model } = await createModelPrice(ctx, price(0.1));
  const { preview } = await previewRepricing(ctx, { ...RANGE, onlyUnpriced: true });
  const sides = {
    costBefore: null,
    costBeforeComplete: false,
    unknownBefore: 3,
    costAfter: 3.3,
    costAfterComplete: true,
    unknownAfter: 0,
  };
  expect(preview.total).toMatchObject({ ...sides, difference: null });
  const shown = async () =>
    (await listConversations(ctx, {})).conversations.map((one) => [one.costComplete, one.unpricedCallCount]);
  expect(await shown()).toEqual(Array(3).fill([false, 1]));
  const first = await start(ctx, { onlyUnpriced: true });
  await runToCompletion(ctx, first.id);
  expect(await stateOf(ctx, first.id)).toMatchObject(sides);
  expect(await shown()).toEqual(Array(3).fill([true, 0]));
  const priced = await storedCosts(ctx);

  await deleteModelPrice(ctx, { modelPriceId: model.id });
  const second = await start(ctx, { modelPriceId: model.id });
  await runToCompletion(ctx, second.id);
  expect((await storedCosts(ctx)).map((call) => [call.cost_total, call.cost])).toEqual(Array(3).fill([null, null]));
  await expectSums(ctx);

  await expect(undoRepricing(ctx, { repricingId: first.id })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(/later/),
  });
  await undoRepricing(ctx, { repricingId: second.id });
  await runToCompletion(ctx, second.id);
  expect(await storedCosts(ctx)).toEqual(priced);
  await undoRepricing(ctx, { repricingId: first.id });
  await runToCompletion(ctx, first.id);
  expect(await storedCosts(ctx)).toEqual(before);
  await expectSums(ctx);
});

test("only calls that match the filters are repriced", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [
    ...acmeCalls(3),
    chatSpan({ spanId: "e".repeat(16), traceId: hex(99, 32), startMs: DAY }, { model: "acme-2" }),
  ]);
  await createModelPrice(ctx, { ...price(1), matchPattern: "^acme-\\d$" });
  const changed = async (input: object) => (await previewRepricing(ctx, { ...RANGE, ...input })).preview.total.changed;
  expect(await changed({})).toBe(4);
  expect(await changed({ model: "acme-2" })).toBe(1);
  expect(await changed({ vendor: "external" })).toBe(4);
  expect(await changed({ vendor: "openai" })).toBe(0);
  expect(await changed({ modelPriceId: "openai:gpt-4o" })).toBe(0);
  expect(await changed({ to: DAY + 86_400_000 })).toBe(2);
  const { id } = await start(ctx, { model: "acme-2" });
  await runToCompletion(ctx, id);
  expect(await stateOf(ctx, id)).toMatchObject({ callsExamined: 1, callsChanged: 1 });
  expect((await storedCosts(ctx)).filter((call) => call.cost_total !== null)).toHaveLength(1);
});

test("a repricing uses the prices at the time of the request, not ones that change while it runs", async () => {
  const { ctx } = await testProject();
  const { model } = await createModelPrice(ctx, price(1));
  await ingest(ctx, acmeCalls(2));
  await updateModelPrice(ctx, { modelPriceId: model.id, ...price(2) });
  const { pricesVersion } = (await previewRepricing(ctx, RANGE)).preview;
  const { id } = await start(ctx);
  await updateModelPrice(ctx, { modelPriceId: model.id, ...price(3) });
  await runToCompletion(ctx, id);
  expect((await storedCosts(ctx)).map((call) => Number(call.cost_total))).toEqual([20, 22]);
  // Prices have changed since the preview.
  await expect(start(ctx, { pricesVersion })).rejects.toMatchObject({ code: "conflict" });
});

test("a second repricing is rejected until the first has finished, even if requested concurrently", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const asked = await Promise.allSettled([start(ctx), start(ctx), start(ctx)]);
  expect(asked.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  const [first] = (await listRepricings(ctx, {})).repricings;
  await expect(undoRepricing(ctx, { repricingId: first!.id })).rejects.toMatchObject({ code: "conflict" });
  await start(theirs.ctx);
  await runToCompletion(ctx, first!.id);
  await start(ctx);
  expect((await listRepricings(ctx, {})).repricings).toHaveLength(2);
  await expect(getRepricing(theirs.ctx, { repricingId: first!.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(undoRepricing(theirs.ctx, { repricingId: first!.id })).rejects.toMatchObject({ code: "not_found" });
});

test("concurrent and restarted workers execute a repricing once", async () => {
  const { ctx } = await testProject();
  await createModelPrice(ctx, price(0.1));
  const count = 1_050;
  await ingest(ctx, acmeCalls(count, { session: (n) => `s-${n % 40}` }));
  await createModelPrice(ctx, price(0.7));
  const { id } = await start(ctx);
  for (;;) {
    const turns = await Promise.all([1, 2, 3].map(() => runRepricing(ctx, id, { forMs: 0 })));
    if (turns.every(({ done }) => done)) break;
  }
  await runRepricing(ctx, id, { forMs: 0 });
  expect(await stateOf(ctx, id)).toMatchObject({ state: "completed", callsExamined: count, callsChanged: count });
  await expectSums(ctx);
  await undoRepricing(ctx, { repricingId: id });
  const turns = async () => Promise.all([1, 2].map(() => runRepricing(ctx, id, { forMs: 0 })));
  while (!(await turns()).every(({ done }) => done));
  expect(await stateOf(ctx, id)).toMatchObject({ state: "undone", callsRestored: count });
  await expectSums(ctx);
}, 60_000);

test("a rebuild preserves the results of a repricing or its undo, even if the cost is unknown or the trace moves", async () => {
  const { ctx } = await testProject();
  const nameless = chatSpan(
    { traceId: hex(1, 32), spanId: hex(1, 16), startMs: DAY },
    { model: "acme-1", tokens: [10, 0] },
  );
  await ingest(ctx, [nameless]);
  await ingest(ctx, acmeCalls(1, { from: 4, session: () => "host" }));
  await createModelPrice(ctx, price(1));
  const costOfFirst = async () => (await storedCosts(ctx))[0]?.cost_total;
  /** Another span in the trace, which rebuilds its conversation; a late name moves it into another one. */
  const touch = (n: number, session?: string) =>
    ingest(ctx, [
      {
        traceId: hex(1, 32),
        spanId: hex(100 + n, 16),
        startMs: DAY + n,
        attributes: session === undefined ? {} : { "gen_ai.conversation.id": session },
      },
    ]);
  await touch(1);
  expect(await costOfFirst()).toBeNull();
  const { id } = await start(ctx);
  await runToCompletion(ctx, id);
  await createModelPrice(ctx, price(9));
  await touch(2);
  expect(await costOfFirst()).toBe("10");
  await touch(3, "host");
  expect(await listConversations(ctx, {})).toMatchObject({
    conversations: [{ externalId: "host", modelCallCount: 2 }],
  });
  expect(await costOfFirst()).toBe("10");
  await expectSums(ctx);
  await undoRepricing(ctx, { repricingId: id });
  await runToCompletion(ctx, id);
  expect(await stateOf(ctx, id)).toMatchObject({ state: "undone", callsRestored: 2 });
  await touch(4);
  expect(await costOfFirst()).toBeNull();
  await expectSums(ctx);
});

test("an undo preserves costs that were recomputed since", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, acmeCalls(2));
  await createModelPrice(ctx, price(1));
  const { id } = await start(ctx);
  await runToCompletion(ctx, id);
  await db().execute(sql`
    update model_calls set cost_total = 5, cost = jsonb_set(cost, '{total}', '5')
    where project_id = ${ctx.projectId} and span_id = ${hex(1, 16)}`);
  await undoRepricing(ctx, { repricingId: id });
  await runToCompletion(ctx, id);
  expect(await stateOf(ctx, id)).toMatchObject({ callsRestored: 1, callsKept: 1 });
  expect((await storedCosts(ctx)).map((call) => call.cost_total)).toEqual(["5", null]);
});

/** A conversation with one call and a tool that failed. */
function failing(n: number) {
  return [
    ...acmeCalls(1, { from: n, session: () => `failing-${n}` }),
    {
      traceId: hex(n + 1, 32),
      spanId: hex(500 + n, 16),
      startMs: DAY + 5,
      error: "order not found",
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": `call-${n}`,
        "gen_ai.tool.call.result": "Error: order not found",
        "gen_ai.conversation.id": `failing-${n}`,
      },
    },
  ];
}

async function diagnoseAll(ctx: Ctx) {
  for (const { id, lastActivityAt } of (await listConversations(ctx, {})).conversations) {
    const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    );
  }
}

test("the number of calls that a Finding's cost excludes follows late calls, a repricing and its undo, and a deletion", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [...failing(0), ...failing(3)]);
  await diagnoseAll(ctx);
  const shown = async () =>
    (await listFindings(ctx, { ruleId: "tool-failure" })).findings
      .filter(({ signal }) => signal === "tool_error")
      .map(({ affectedCost, costComplete, unpricedCallCount }) => [affectedCost, costComplete, unpricedCallCount]);
  expect(await shown()).toEqual([[null, false, 2]]);

  await createModelPrice(ctx, price(1));
  await ingest(ctx, acmeCalls(1, { from: 10, session: () => "failing-0" }));
  await diagnoseAll(ctx);
  expect(await shown()).toEqual([[10, false, 2]]);
  await expectSums(ctx);

  const { id } = await start(ctx);
  await runToCompletion(ctx, id);
  expect(await shown()).toEqual([[30, true, 0]]);
  await expectSums(ctx);
  await undoRepricing(ctx, { repricingId: id });
  await runToCompletion(ctx, id);
  expect(await shown()).toEqual([[10, false, 2]]);
  await expectSums(ctx);

  await deleteConversation(ctx, { conversationId: "failing-3" });
  expect(await shown()).toEqual([[10, false, 1]]);
  await expectSums(ctx);
});

test("a Finding's cost follows a repricing", async () => {
  const { ctx } = await testProject();
  await createModelPrice(ctx, price(1));
  await ingest(ctx, [...failing(0), ...failing(3)]);
  await diagnoseAll(ctx);
  const costOfFindings = async () =>
    [
      ...(await db().execute<{ cost: string }>(
        sql`select affected_cost as cost from findings where project_id = ${ctx.projectId}`,
      )),
    ].map((row) => Number(row.cost));
  expect(await costOfFindings()).toContain(20);
  await createModelPrice(ctx, price(2));
  const { id } = await start(ctx);
  await runToCompletion(ctx, id);
  expect(await costOfFindings()).toContain(40);
  await expectSums(ctx);
});

test("calls that arrive or are deleted during a repricing leave every sum correct", async () => {
  const { ctx } = await testProject();
  await createModelPrice(ctx, price(0.1));
  await ingest(ctx, acmeCalls(300, { session: (n) => `s-${n % 30}` }));
  await createModelPrice(ctx, price(0.7));
  const { id } = await start(ctx);
  let busy = true;
  const rebuilding = (async () => {
    for (let n = 0; busy; n++) {
      await ingest(ctx, acmeCalls(5, { from: 1000 + n * 5, session: (m) => `s-${m % 30}` }));
      await foldDailyCosts(db());
    }
  })();
  const deleting = (async () => {
    for (let n = 0; n < 5; n++) await deleteConversation(ctx, { conversationId: `s-${n}` });
  })();
  await Promise.all([runToCompletion(ctx, id), deleting]);
  busy = false;
  await rebuilding;
  while ((await projectPending(db())) > 0);
  expect((await stateOf(ctx, id)).state).toBe("completed");
  const prices = await db().execute<{ version: string }>(
    sql`select distinct cost ->> 'pricesVersion' as version from model_calls where project_id = ${ctx.projectId}`,
  );
  expect([...prices].map((row) => row.version)).toEqual([expect.stringMatching(/@2$/)]);
  await expectSums(ctx);
}, 60_000);

test("deleted calls leave nothing behind, and daily costs are recounted", async () => {
  const { ctx } = await testProject();
  const from = 900_000;
  await ingest(ctx, acmeCalls(3, { from, session: (n) => `s-${n - from}` }));
  await createModelPrice(ctx, price(1));
  const { id } = await start(ctx);
  await runToCompletion(ctx, id);
  await deleteConversation(ctx, { conversationId: "s-1" });
  await expectSums(ctx);
  expect(await tablesNaming(db(), hex(from + 2, 32))).toEqual({});
  expect(await tablesNaming(db(), hex(from + 3, 32))).not.toHaveProperty("repricings");
  expect((await getCosts(ctx, RANGE)).costs.total.calls).toBe(2);
  await undoRepricing(ctx, { repricingId: id });
  await runToCompletion(ctx, id);
  expect(await stateOf(ctx, id)).toMatchObject({ state: "undone", callsRestored: 2 });
  for (const conversationId of ["s-0", "s-2"]) await deleteConversation(ctx, { conversationId });
  while ((await foldDailyCosts(db())) > 0);
  const left = await db().execute(sql`select 1 from daily_costs where project_id = ${ctx.projectId}`);
  expect(left.length).toBe(0);
  const reply = await getConversation(ctx, { conversationId: "s-0" }).catch((error) => error.code);
  expect(reply).toBe("not_found");
  await deleteProject(ctx, { name: "Test project" });
});
