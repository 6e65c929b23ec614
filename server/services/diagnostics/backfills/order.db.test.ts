import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { HOUR_MS } from "@/server/platform/durations";
import { createBackfill, listFindings } from "..";
import { failingToolCall, storedConversation } from "../testing";
import { runToEnd } from "./testing";

const START = Date.UTC(2026, 5, 1);
const ERRORS = [
  "Error: order 4821 not found",
  "Error: order 77 not found",
  "Error: payment of 12.50 was declined",
  "TimeoutError: no answer within 30 s",
];

/** Returns the Findings of a backfill over conversations whose errors occur in this `order`. */
async function found(ctx: Ctx, order: readonly number[]) {
  for (const [hour, nth] of order.entries()) {
    const tool = nth % 2 === 0 ? "get_order" : "pay";
    await storedConversation(ctx, failingToolCall(tool, ERRORS[nth % ERRORS.length]!), {
      startedAt: START + hour * HOUR_MS,
    });
  }
  const window = { ruleId: "tool-failure", startMs: START, endMs: START + 1000 * HOUR_MS, maxConversations: 100 };
  const backfill = async () => runToEnd(ctx, (await createBackfill(ctx, window)).backfill.id);
  const read = async () =>
    (await listFindings(ctx, {})).findings
      .map(({ signal, title, occurrenceCount }) => `${signal} | ${title} | ${occurrenceCount}`)
      .sort();
  await backfill();
  const first = await read();
  await backfill();
  expect(await read()).toEqual(first);
  return first;
}

test("the same backfill twice, and conversations in another order, give the same Findings", async () => {
  const orders = [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [7, 6, 5, 4, 3, 2, 1, 0],
    [3, 0, 6, 1, 7, 4, 2, 5],
  ];
  const results = [];
  for (const order of orders) results.push(await found((await testProject()).ctx, order));
  expect(results[0]!.length).toBeGreaterThan(2);
  for (const other of results.slice(1)) expect(other).toEqual(results[0]);
});
