import { expect, test } from "vitest";
import { auditLog, findings, ruleRuns, ruleSettings } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { listRules, previewRule, tryRule, updateRule } from "..";
import { failingToolCall, storedConversation } from "../testing";

const failing = failingToolCall("get_order", "Error: order 4821 not found");
const signal = (tried: Awaited<ReturnType<typeof tryRule>>, name: string) =>
  tried.signals.filter((one) => one.name === name);
const stored = async (ctx: Ctx) =>
  (await Promise.all([findings, ruleRuns, ruleSettings].map((table) => ctx.db.$count(table)))).join();

const PASTED = [
  { role: "user", content: "Where is my order 4821?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get_order", arguments: '{"id":4821}' } }],
  },
  { role: "tool", tool_call_id: "call_1", content: "Error: order 4821 not found" },
  { role: "assistant", content: "I could not look that up, sorry." },
];

test("trying a Rule on a stored conversation returns the outcome of every Signal and stores nothing", async () => {
  const { ctx } = await testProject();
  const { id } = await storedConversation(ctx, failing, { externalId: "session-1" });
  const before = await stored(ctx);
  const tried = await tryRule(ctx, { ruleId: "tool-failure", conversationId: "session-1" });
  expect(tried).toMatchObject({ ruleId: "tool-failure", conversationId: id, messages: 4 });
  expect(signal(tried, "tool_error")).toMatchObject([
    { verdict: "match", outcome: "found", enabled: true, evidence: [{ messageIndex: 2 }] },
  ]);
  expect(signal(tried, "tool_timeout")).toEqual([
    expect.objectContaining({ verdict: "no_match", outcome: "nothing", score: 0, confidence: null, evidence: [] }),
  ]);
  const names = (await listRules(ctx, {})).rules.find((rule) => rule.id === "tool-failure")!.signals;
  expect([...new Set(tried.signals.map(({ name }) => name))]).toEqual(names.map(({ name }) => name));
  expect(await stored(ctx)).toBe(before);
});

test("trying a Rule on pasted messages finds its Signals and keeps the messages out of the audit log", async () => {
  const { ctx } = await testProject();
  const tried = await tryRule(ctx, { ruleId: "tool-failure", messages: PASTED });
  expect(tried).toMatchObject({ conversationId: null, messages: 4 });
  expect(signal(tried, "tool_error")).toMatchObject([
    {
      title: "`get_order` fails: order … not found",
      evidence: [{ messageIndex: 2, quote: expect.stringMatching(/4821/) }],
    },
  ]);
  expect(JSON.stringify(await ctx.db.select().from(auditLog))).not.toContain("4821");
});

test("a Rule can be tried with unsaved thresholds, keywords and Signal overrides", async () => {
  const { ctx } = await testProject();
  await updateRule(ctx, {
    ruleId: "tool-failure",
    configuration: { signalOverrides: { tool_error: { enabled: false } } },
  });
  const with_ = (configuration: object) => tryRule(ctx, { ruleId: "tool-failure", messages: PASTED, configuration });
  expect(signal(await with_({}), "tool_error")).toMatchObject([{ enabled: false, outcome: "off", verdict: "match" }]);
  const on = { signalOverrides: { tool_error: { enabled: true } } };
  expect(signal(await with_(on), "tool_error")).toMatchObject([{ outcome: "found" }]);
  expect(signal(await with_({ ...on, minSignalScore: 1 }), "tool_error")).toMatchObject([{ outcome: "belowScore" }]);
  expect(signal(await with_({ ...on, minDiagnosticConfidence: 1 }), "tool_error")).toMatchObject([
    { outcome: "belowConfidence" },
  ]);
  expect(signal(await with_({ keywords: ["sorry"] }), "keyword")).toMatchObject([{ outcome: "found", confidence: 1 }]);
  await expect(with_({ signalOverrides: { nope: { enabled: true } } })).rejects.toThrow(/no Signal "nope"/);
});

test("another project's conversation and an unknown Rule are not found", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  const { id } = await storedConversation(other.ctx, failing, { externalId: "theirs" });
  for (const conversationId of [id, "theirs"])
    await expect(tryRule(ctx, { ruleId: "tool-failure", conversationId })).rejects.toMatchObject({ code: "not_found" });
  await expect(tryRule(ctx, { ruleId: "no-rule", messages: PASTED })).rejects.toMatchObject({ code: "not_found" });
  await expect(tryRule(ctx, { ruleId: "tool-failure" })).rejects.toThrow(/either/);
});

test("a preview shows what a change would have found in the last 7 days, in this project only", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  const old = { startedAt: Date.now() - 8 * 86_400_000 };
  for (let n = 0; n < 3; n++) await storedConversation(ctx, failing);
  const refund = await storedConversation(ctx, [{ role: "user", text: "I want a refund" }]);
  await storedConversation(ctx, [{ role: "user", text: "A refund, long ago" }], old);
  await storedConversation(other.ctx, [{ role: "user", text: "Their refund" }]);
  const before = await stored(ctx);

  const { preview } = await previewRule(ctx, {
    ruleId: "tool-failure",
    configuration: { keywords: ["refund"], signalOverrides: { tool_error: { enabled: false } } },
  });
  expect(preview).toMatchObject({ conversations: 4, complete: true });
  const of = (name: string) => preview.signals.find((one) => one.name === name);
  expect(of("tool_error")).toEqual({ name: "tool_error", before: 3, after: 0, gained: 0, lost: 3 });
  expect(of("keyword")).toEqual({ name: "keyword", before: 0, after: 1, gained: 1, lost: 0 });
  expect(preview.examples.filter(({ change }) => change === "gained")).toEqual([
    { conversationId: refund.id, signal: "keyword", change: "gained", title: "The keyword “refund” is mentioned" },
  ]);
  expect(preview.examples.filter(({ change }) => change === "lost")).toHaveLength(3);
  expect(await stored(ctx)).toBe(before);
});
