import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { listSpanOutlines, listSpans } from "..";
import { chatSpan, ingest, type TestSpan, TRACE } from "../testing";

const START = Date.UTC(2026, 10, 1, 12);
const hex = (n: number) => n.toString(16).padStart(16, "0");
const session = { "gen_ai.conversation.id": "outlined" };

/** An agent that asks a model, runs a tool that fails, and asks again. */
const SPANS: TestSpan[] = [
  {
    spanId: hex(1),
    name: "invoke_agent shop",
    startMs: START,
    durationMs: 900,
    attributes: { ...session, "gen_ai.operation.name": "invoke_agent", "app.plan": "gold" },
  },
  chatSpan(
    { spanId: hex(2), parentSpanId: hex(1), startMs: START + 1, durationMs: 100, attributes: session },
    { input: [["user", "Where is order 17?"]], output: "Let me\n  look at order 17." },
  ),
  {
    spanId: hex(3),
    parentSpanId: hex(1),
    name: "execute_tool get_order",
    startMs: START + 200,
    error: "order 17 not found",
    attributes: {
      ...session,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.id": "call-1",
      "gen_ai.tool.call.arguments": '{"order":17}',
      "gen_ai.tool.call.result": "nothing",
    },
  },
  chatSpan(
    { spanId: hex(4), parentSpanId: hex(1), startMs: START + 400, attributes: session },
    {
      model: "in-house",
      input: [
        ["user", "Where is order 17?"],
        ["assistant", "Let me\n  look at order 17."],
      ],
      output: "long ".repeat(3000),
    },
  ),
  { spanId: hex(5), parentSpanId: hex(1), name: "save", startMs: START + 500, error: "disk full", attributes: session },
];

test("a trace's outline has the model, tokens, cost and first words of each span", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, SPANS);
  const { spans, unmapped, pagination } = await listSpanOutlines(ctx, { traceId: TRACE });
  expect(pagination.nextCursor).toBeNull();
  expect(unmapped).toEqual(["app.plan"]);
  const none = { counted: false, model: null, usage: null, cost: null };
  expect(spans).toMatchObject([
    { name: "invoke_agent shop", type: "agent", ...none, words: null, parentSpanId: null, endedAt: START + 900 },
    {
      type: "llm",
      counted: true,
      model: "gpt-4o",
      usage: { input_tokens: 100, output_tokens: 20 },
      words: "Let me look at order 17.",
    },
    { type: "tool", ...none, status: "error", words: '{"order":17} → nothing' },
    { type: "llm", counted: true, model: "in-house", cost: null },
    { type: "other", ...none, words: "disk full" },
  ]);
  expect(spans[1]?.cost).toBeCloseTo(100 * 2.5e-6 + 20 * 1e-5, 10);
  expect(spans[3]?.words).toMatch(/^long (long )+.*…$/);
  expect(spans[3]?.words?.length).toBeLessThanOrEqual(160);
});

test("an outline names the types of spans whose long values are stored apart, in pages that meet", async () => {
  const { ctx } = await testProject();
  const long = Array.from({ length: 5 }, (_, n) =>
    chatSpan(
      { spanId: hex(n + 1), startMs: START + n, attributes: session },
      { input: [["user", `${n} ${"word ".repeat(2000)}`]], output: `Answer ${n}` },
    ),
  );
  await ingest(ctx, long);
  const { spans } = await listSpans(ctx, { traceId: TRACE });
  const first = await listSpanOutlines(ctx, { traceId: TRACE, limit: 3 });
  const second = await listSpanOutlines(ctx, { traceId: TRACE, limit: 3, cursor: first.pagination.nextCursor! });
  expect(second.pagination.nextCursor).toBeNull();
  const outlines = [...first.spans, ...second.spans];
  expect(outlines.map(({ spanId, type, counted }) => ({ spanId, type, counted }))).toEqual(
    spans.map(({ spanId, type, counted }) => ({ spanId, type, counted })),
  );
  expect(outlines.map(({ words }) => words)).toEqual([0, 1, 2, 3, 4].map((n) => `Answer ${n}`));
});

test("another project's trace has no outline", async () => {
  const [{ ctx }, other] = [await testProject(), await testProject()];
  await ingest(ctx, SPANS);
  await expect(listSpanOutlines(other.ctx, { traceId: TRACE })).rejects.toMatchObject({ code: "not_found" });
});
