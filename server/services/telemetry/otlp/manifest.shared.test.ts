import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import type { Usage } from "@/server/services/pricing/schemas";
import { wholeBuckets } from "@/server/services/pricing/usage/schemas";
import { createAssembler, decodeLogs, decodeTraces, readSpan, resolveTraceIdentity } from ".";
import type { AssembledConversation, LogRecord, SpanRecord } from "./types";

/*
 * Real payloads of other projects' clients, with expected results. We may not copy them, so these tests run only where the
 * folder exists.
 */
const DATA = path.resolve(import.meta.dirname, "../../../../../shared/data");

type ExpectedCall = {
  span_id?: string;
  same_call_spans?: string[];
  model?: string | null;
  model_http?: string;
  response_model?: string;
  provider?: string;
  provider_true?: string;
  usage?: null | {
    raw?: Usage;
    disjoint_if_inclusive?: Usage;
    disjoint_truth?: Usage;
  };
  usage_disjoint?: Usage;
  finish_reasons?: unknown;
  status?: number | string;
  reported_cost?: number | string;
  conversation_id?: string;
  messages_in?: number;
  messages_out?: number;
  tool_calls_out?: { id: string; name: string }[];
};
type Expected = {
  spans: number;
  log_records?: number;
  trace_ids: string[];
  conversation_ids_on_spans: string[];
  user_ids: string[];
  llm_calls: ExpectedCall[];
  tool_spans: string[] | number;
  wrapper_spans_not_to_count: string[];
  errors: string[];
  usage_disjoint: Usage;
  messages: { role: string; text?: string; text_starts?: string }[];
  event_names: Record<string, number>;
  tool: { name: string; call_id: string };
};
type Entry = { file: string; kind: string; expect?: Partial<Expected>; expect_hand_checked?: Partial<Expected> };

const hex = (id: string) => (/^[0-9a-f]+$/.test(id) ? id : Buffer.from(id, "base64").toString("hex"));

function entriesOf(folder: string): Entry[] {
  const manifest = path.join(DATA, folder, "manifest.json");
  return fs.existsSync(manifest) ? JSON.parse(fs.readFileSync(manifest, "utf8")) : [];
}

/** Two ids of this payload (`abc123`, `span456`) are invalid and rejected by design, so it is read with other ids. */
const NO_IDS = "genai_parts_pattern.json";

function load(folder: string, entry: Entry): { spans: SpanRecord[]; logs: LogRecord[]; received: number } {
  const file = path.join(DATA, folder, entry.file);
  let body: Uint8Array = fs.readFileSync(file);
  if (entry.file === NO_IDS) {
    expect(decodeTraces(body, "json").rejections).toMatchObject([{ index: 0 }]);
    const text = body.toString().replace("abc123", "ab".repeat(16)).replace("span456", "cd".repeat(8));
    body = Buffer.from(text);
  }
  const encoding = entry.kind.endsWith("json") ? "json" : "protobuf";
  const decoded = decodeTraces(body, encoding);
  expect(decoded.rejections).toEqual([]);
  const logFile = file.replace(/\.1\.pb$/, ".logs.1.pb");
  const logs = logFile !== file && fs.existsSync(logFile) ? decodeLogs(fs.readFileSync(logFile), "protobuf").items : [];
  return { spans: decoded.items, logs, received: decoded.received };
}

function assemble(spans: readonly SpanRecord[], logs: readonly LogRecord[]): AssembledConversation {
  const assembler = createAssembler();
  for (const span of spans) {
    assembler.add(
      span,
      logs.filter((log) => log.spanId === span.spanId),
    );
  }
  return assembler.finish();
}

/** Manually checked expectations win, call by call if both lists have the same calls. */
function expectedCalls({
  expect: extracted,
  expect_hand_checked: byHand,
}: Entry): Pick<Expected, "llm_calls"> | undefined {
  const calls = byHand?.llm_calls ?? extracted?.llm_calls;
  if (!calls) return undefined;
  const others = extracted?.llm_calls?.length === calls.length ? extracted.llm_calls : [];
  return { llm_calls: calls.map((call, index) => ({ ...others[index], ...call })) };
}

const withoutZeros = (usage: Usage | null | undefined) =>
  usage && Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens > 0));

/** Maps the manifest's bucket names to PRICING.md's. */
const inOurNames = (usage: Usage) =>
  Object.fromEntries(
    Object.entries(usage).map(([bucket, tokens]) => [bucket.replace("cache_creation_5m_", "cache_creation_"), tokens]),
  );

function reasonsOf(sent: unknown): string[] {
  if (typeof sent === "string") return sent.startsWith("[") ? reasonsOf(JSON.parse(sent)) : [sent];
  if (Array.isArray(sent)) return sent.map((reason) => String(reason).toLowerCase());
  return (sent as { values: { stringValue: string }[] }).values.map((value) => value.stringValue);
}
const folded = (reason: string) => (/^tool[_-](calls?|use)$/.test(reason) ? "tool_calls" : reason.toLowerCase());

const FRAMEWORK = "strands-agents";

function checkCall(call: AssembledConversation["modelCalls"][number], expected: ExpectedCall) {
  const names = [call.requestedModel, call.responseModel].filter((name) => name !== null);
  if (expected.model === null) expect(names).toEqual([]);
  else if (expected.model) {
    const model = expected.model.replace(/ \(.*$/, "");
    // Langfuse sends only the responding model's name, of which the requested one is a prefix.
    expect(names.some((name) => name === model || name.startsWith(`${model}-20`))).toBe(true);
  }
  if (expected.response_model) expect(call.responseModel).toBe(expected.response_model);
  const provider = expected.provider_true ?? expected.provider;
  if (provider === FRAMEWORK) expect(call.provider).toBe("openai");
  else if (provider) expect(call.provider).toBe(provider.toLowerCase().replace(/^openai\.chat$/, "openai"));
  const usages = [
    expected.usage_disjoint,
    expected.usage?.raw,
    expected.usage?.disjoint_truth,
    expected.usage?.disjoint_if_inclusive,
  ]
    .filter((usage) => usage !== undefined)
    .map(inOurNames);
  if (usages.length === 0) expect(call.usage).toBeNull();
  else if (provider === FRAMEWORK && call.usage?.cache_read_input_tokens === 150) {
    // An input of 134 tokens cannot include 200 cached ones.
    expect(call.usage.input_tokens).toBeGreaterThan(0);
    expect(call.usageRule).toContain("cache exceeds input");
  } else {
    // The manifest has few parts of buckets and no other details.
    const told = [call.usage, call.usage && wholeBuckets(call.usage)].map(withoutZeros);
    const wanted = usages.map(withoutZeros);
    expect(wanted).toContainEqual(told.find((usage) => wanted.some((one) => isDeepStrictEqual(one, usage))) ?? told[0]);
  }
  if (call.usage) expect(call.rawUsage).not.toBeNull();
  if (expected.finish_reasons) expect(call.finishReasons).toEqual(reasonsOf(expected.finish_reasons).map(folded));
  if (expected.status !== undefined) expect(call.status).toBe(expected.status === 2 ? "error" : "ok");
  const cost = expected.reported_cost;
  if (cost !== undefined) {
    const dollars =
      typeof cost === "number" ? cost : Object.values(JSON.parse(cost) as Usage).reduce((sum, part) => sum + part);
    expect(call.reportedCost).toBeCloseTo(dollars, 10);
  }
}

/** Shuffles deterministically. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  [...items].reverse().sort((one, other) => hashOf(one) - hashOf(other));
const hashOf = (item: unknown) =>
  [...JSON.stringify(item)].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, 7);

for (const folder of ["otlp", "otlp-python"]) {
  const entries = entriesOf(folder);
  describe(`${folder}: payloads of real clients`, () => {
    const traces = entries.filter((entry) => entry.kind.startsWith("traces"));

    test.each(traces.map((entry) => [entry.file, entry] as const))("%s", (_file, entry) => {
      const { spans, logs, received } = load(folder, entry);
      const expected: Partial<Expected> = { ...entry.expect, ...entry.expect_hand_checked, ...expectedCalls(entry) };
      const conversation = assemble(spans, logs);

      if (expected.spans !== undefined) expect(received).toBe(expected.spans);
      if (expected.trace_ids && entry.file !== NO_IDS) {
        expect([...new Set(spans.map((span) => span.traceId))].sort()).toEqual(expected.trace_ids.map(hex).sort());
      }

      const identities = [...new Set(spans.map((span) => span.traceId))].map((traceId) =>
        resolveTraceIdentity(
          spans.filter((span) => span.traceId === traceId),
          logs.filter((log) => log.traceId === traceId),
        ),
      );
      const externalIds = new Set(identities.map(({ externalId }) => externalId));
      if (entry.file === "session_vs_conversation_id.json") expect([...externalIds]).toEqual(["langfuse-session-123"]);
      else for (const id of expected.conversation_ids_on_spans ?? []) expect(externalIds).toContain(id);
      if (expected.conversation_ids_on_spans?.length === 0) expect([...externalIds]).toEqual([null]);
      for (const id of expected.user_ids ?? []) expect(identities.map(({ userId }) => userId)).toContain(id);
      if (expected.user_ids?.length === 0) expect(conversation.userId).toBeNull();

      const calls = conversation.modelCalls;
      if (expected.llm_calls) {
        expect(calls.map((call) => call.spanId).length).toBe(expected.llm_calls.length);
        for (const [index, wanted] of expected.llm_calls.entries()) {
          const ids = wanted.span_id ? [wanted.span_id, ...(wanted.same_call_spans ?? [])].map(hex) : null;
          const call = ids && entry.file !== NO_IDS ? calls.find(({ spanId }) => ids.includes(spanId)) : calls[index];
          expect(call, `call ${wanted.span_id}`).toBeDefined();
          const usageByHand = entry.expect_hand_checked?.usage_disjoint;
          if (call) checkCall(call, usageByHand ? { ...wanted, usage: null, usage_disjoint: usageByHand } : wanted);
        }
      }
      const counted = new Set(calls.map((call) => call.spanId));
      const twins = new Set((expected.llm_calls ?? []).flatMap((call) => (call.same_call_spans ?? []).map(hex)));
      for (const id of expected.wrapper_spans_not_to_count ?? [])
        if (!twins.has(hex(id))) expect(counted).not.toContain(hex(id));

      const ownSpans = conversation.toolCalls.filter(({ requestNumber }) => requestNumber === 0);
      if (Array.isArray(expected.tool_spans)) {
        expect(ownSpans.map((call) => call.spanId).sort()).toEqual(expected.tool_spans.map(hex).sort());
      } else if (expected.tool_spans !== undefined) expect(ownSpans).toHaveLength(expected.tool_spans);
      if (expected.tool) {
        expect(conversation.toolCalls).toMatchObject([{ name: expected.tool.name, callId: expected.tool.call_id }]);
      }

      const failed = spans.filter((span) => span.status.code === 2).map((span) => span.spanId);
      if (expected.errors) {
        expect(failed.sort()).toEqual(expected.errors.map(hex).sort());
        expect(conversation.errorCount).toBe(Math.min(expected.errors.length, 1));
      }

      for (const [index, message] of (expected.messages ?? []).entries()) {
        const text = conversation.messages[index]?.parts[0]?.text ?? "";
        expect(conversation.messages[index]?.role).toBe(message.role);
        if (message.text) expect(text).toBe(message.text);
        if (message.text_starts) expect(text.startsWith(message.text_starts)).toBe(true);
      }
      const [wanted] = expected.llm_calls ?? [];
      if (wanted?.messages_in !== undefined) {
        const told = conversation.messages.filter(({ role }) => role !== "system" || entry.file.startsWith("semantic"));
        expect(told.length).toBe(wanted.messages_in + (wanted.messages_out ?? 1));
      }
      for (const call of wanted?.tool_calls_out ?? []) {
        expect(conversation.messages.flatMap((message) => message.toolCalls)).toContainEqual(
          expect.objectContaining(call),
        );
      }

      expect(assemble(shuffled(spans), shuffled(logs))).toEqual(conversation);
      expect(JSON.stringify(conversation)).not.toMatch(/\\u0000/);
      for (const span of spans) expect(readSpan(span, []).unmapped).not.toContain("__proto__");
    });

    const logBodies = entries.filter((entry) => entry.kind.startsWith("logs"));
    test.each(logBodies.map((entry) => [entry.file, entry] as const))("%s", (_file, entry) => {
      const { items, rejections } = decodeLogs(fs.readFileSync(path.join(DATA, folder, entry.file)), "protobuf");
      expect(rejections).toEqual([]);
      expect(items).toHaveLength(entry.expect?.log_records ?? -1);
      const names: Record<string, number> = {};
      for (const { eventName } of items) names[eventName ?? ""] = (names[eventName ?? ""] ?? 0) + 1;
      expect(names).toEqual(entry.expect?.event_names);
    });
  });
}

describe("the same weather conversation from every client", () => {
  const WEATHER = [
    ["system", "You are a weather desk. Answer in one sentence."],
    ["user", "What is the weather in Oslo?"],
    ["assistant", ""],
    ["tool", '{"temperature_c": 18, "sky": "cloudy"}'],
    ["assistant", "It is 18 degrees and cloudy in Oslo."],
    ["user", "Thank you!"],
    ["assistant", "You are welcome. Take an umbrella just in case."],
  ];
  const clients = [
    "langfuse",
    "litellm",
    "logfire",
    "oi_agents",
    "oi_anthropic",
    "oi_langchain",
    "oi_openai",
    "openlit",
  ]
    .concat(["otel_v2", "otel_v2exp", "pydantic_ai", "strands", "tl_openai", "traceloop_sdk"])
    .map((client) => `${client}_conv`);

  test.each(clients)("%s", (client) => {
    const entries = entriesOf("otlp-python").filter(
      ({ file, kind }) => file.startsWith(`${client}.`) && kind.startsWith("traces"),
    );
    const loaded = entries.map((entry) => load("otlp-python", entry));
    const conversation = assemble(
      loaded.flatMap(({ spans }) => spans),
      loaded.flatMap(({ logs }) => logs),
    );
    const said = conversation.messages.map(({ role, parts }) => [role, parts.map((part) => part.text).join("")]);
    const asked = client === "oi_anthropic_conv" ? "Let me look that up." : "";
    expect(said).toEqual(WEATHER.map(([role, text], index) => [role, index === 2 ? asked : text]));
    expect(conversation.messages[2]?.toolCalls).toMatchObject([{ name: "get_weather", id: expect.any(String) }]);
    expect(conversation.messages[3]?.toolCallId).toBe(conversation.messages[2]?.toolCalls[0]?.id);
    expect(conversation.modelCalls).toHaveLength(3);
    expect(conversation.toolCalls).toHaveLength(1);
    expect(conversation.errorCount).toBe(0);
  });
});
