import fc from "fast-check";
import { expect, test, vi } from "vitest";
import {
  createAssembler,
  decodeLogs,
  decodeTraces,
  type Encoding,
  MalformedBody,
  readSpan,
  resolveTraceIdentity,
  withTexts,
} from ".";
import { assemble, idOf, logsOf, NOW, spanOf, spansOf, TRACE } from "./testing/conversations";
import { type SentAttributes, tracesProtobuf } from "./testing/encode-otlp";
import type { Decoded, LogRecord, SpanRecord } from "./types";

/** Runs every reader; only MalformedBody may be thrown. */
function readAll(body: Uint8Array, encoding: Encoding): void {
  for (const decode of [decodeTraces, decodeLogs]) {
    let decoded: Decoded<SpanRecord> | Decoded<LogRecord>;
    try {
      decoded = decode(body, encoding, NOW);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedBody);
      continue;
    }
    expect(decoded.items.length + decoded.rejections.length).toBe(decoded.received);
    if (decode === decodeTraces) readSpans(decoded.items as SpanRecord[]);
  }
}

function readSpans(spans: SpanRecord[]): void {
  resolveTraceIdentity(spans, []);
  for (const span of spans) readSpan(span, []);
  expectStorable(assemble(spans));
}

/** Postgres stores neither NUL nor lone surrogates. */
function expectStorable(value: unknown): void {
  if (typeof value === "string") expect(value.includes("\0") || !value.isWellFormed()).toBe(false);
  else if (typeof value === "object" && value !== null)
    for (const entry of Object.entries(value)) entry.forEach(expectStorable);
}

/** Allows for many runs on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

test("random bytes do not crash the decoder", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom<Encoding>("json", "protobuf"), (bytes, encoding) =>
      readAll(bytes, encoding),
    ),
    { numRuns: 500 },
  );
});

test("random JSON does not crash the decoder", () => {
  fc.assert(
    fc.property(fc.json(), (text) => readAll(Buffer.from(text), "json")),
    { numRuns: 300 },
  );
});

test("a real body with changed bytes does not crash the decoder", () => {
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": '[{"role":"user","content":"hi"}]',
    list: [1, { a: true }],
  };
  const whole = tracesProtobuf([
    { traceId: TRACE, spanId: idOf(1), start: NOW, attributes, events: [{ name: "e", at: NOW }] },
  ]);
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const body = Buffer.from(whole);
      for (const [at, byte] of changes) body[at] = byte;
      readAll(body, "protobuf");
    }),
    { numRuns: 500 },
  );
});

/** Names that readers use, so that they find random values there. */
const NAMES = [
  "gen_ai.operation.name",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.prompt",
  "gen_ai.prompt.0.content",
  "gen_ai.prompt.0.tool_calls.0.name",
  "gen_ai.completion.0.content",
  "gen_ai.completion",
  "llm.input_messages.0.message.contents.0.message_content",
  "llm.output_messages.99999999.message.tool_calls",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.raw",
  "langfuse.observation.usage_details",
  "metadata.usage_object",
  "metadata",
  "ai.prompt",
  "ai.prompt.messages",
  "ai.response.toolCalls",
  "ai.response.providerMetadata",
  "genkit:output",
  "gcp.vertex.agent.llm_response",
  "input.value",
  "output.value",
  "gen_ai.response.finish_reasons",
  "langfuse.observation.cost_details",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.tool.call.result",
  "gen_ai.tool.name",
  "session.id",
  "__proto__",
  "constructor",
];
const words = fc.constantFrom(
  "role",
  "content",
  "parts",
  "type",
  "text",
  "tool_calls",
  "id",
  "name",
  "function",
  "arguments",
  "message",
  "messages",
  "toolResult",
  "user",
  "assistant",
  "tool",
  "tool_result",
  "reasoning",
  "constructor",
  "__proto__",
  "usage",
  "input",
  "output",
  "kwargs",
  "lc",
  "data",
  "chat",
);
const { json: hostile } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    words,
    fc.string({ unit: "binary" }),
    fc.constantFrom(null, true, 1, -1, 1e300, "\u0000", "\ud800", "[[[", "{}"),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(words, tie("json"), { maxKeys: 5 }),
  ),
}));
const attributesOf = fc.dictionary(
  fc.constantFrom(...NAMES),
  hostile.map((value) => JSON.stringify(value)),
  { maxKeys: 8 },
);

test("hostile messages do not crash any reader", () => {
  fc.assert(
    fc.property(
      attributesOf,
      attributesOf,
      fc.constantFrom("gen_ai.choice", "gen_ai.tool.message", "constructor"),
      (attributes, inEvent, name) => {
        readSpans(
          spansOf([
            { attributes: attributes as SentAttributes, events: [{ name, attributes: inEvent as SentAttributes }] },
          ]),
        );
      },
    ),
    { numRuns: 600 },
  );
});

test("JSON text nested too deeply to traverse does not crash any reader", () => {
  const deep = "[".repeat(30_000) + "]".repeat(30_000);
  const deepObject = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  for (const text of [
    deep,
    deepObject,
    `[{"role":"user","content":${deep}}]`,
    `[{"role":"user","content":[{"type":"x","y":${deepObject}}]}]`,
  ]) {
    for (const name of NAMES) readSpans([spanOf({ "gen_ai.request.model": "gpt-4o", [name]: text })]);
  }
});

/** Returns a message of a generated span: every second one is the assistant's, and some are tool calls or their results. */
function messageDrawn(content: string, at: number) {
  if (content === "call" || content === "call again")
    return {
      role: "assistant",
      content,
      tool_calls: [{ id: content, type: "function", function: { name: "look", arguments: "{}" } }],
    };
  if (content === "found") return { role: "tool", tool_call_id: "call", content };
  if (content === "Error: not found") return { role: "tool", tool_call_id: "call again", content };
  return { role: at % 2 ? "assistant" : "user", content };
}

const drawnSpan = fc.record({
  parent: fc.nat(6),
  kind: fc.constantFrom("chat", "execute_tool", "invoke_agent", "none"),
  start: fc.nat(5),
  says: fc.array(fc.constantFrom("a", "b", "c", "call", "call again", "found", "Error: not found"), { maxLength: 4 }),
  tool: fc.constantFrom(null, "call", "call again"),
  answer: fc.constantFrom("a", "b", null),
  id: fc.constantFrom("r1", "r2", ""),
  trace: fc.nat(1),
  failed: fc.boolean(),
});
type DrawnSpan = typeof drawnSpan extends fc.Arbitrary<infer Span> ? Span : never;

const spansDrawn = (drawn: readonly DrawnSpan[]) =>
  spansOf(
    drawn.map((one, index) => ({
      traceId: idOf(one.trace + 1, 16),
      spanId: idOf(index + 1),
      ...(one.parent > 0 ? { parentSpanId: idOf(one.parent) } : {}),
      start: NOW + one.start * 1000,
      attributes: {
        "gen_ai.operation.name": one.kind,
        "gen_ai.response.id": one.id,
        "gen_ai.input.messages": JSON.stringify(one.says.map(messageDrawn)),
        ...(one.kind === "execute_tool" ? { "gen_ai.tool.name": "look" } : {}),
        ...(one.tool ? { "gen_ai.tool.call.id": one.tool } : {}),
        ...(one.answer ? { "gen_ai.output.messages": one.answer } : {}),
      },
      status: { code: one.failed ? 2 : 0 },
    })),
  );

test("the order of spans does not change the conversation", () => {
  fc.assert(
    fc.property(fc.array(drawnSpan, { minLength: 1, maxLength: 7 }), fc.integer(), (drawn, seed) => {
      const spans = spansDrawn(drawn);
      const mixed = [...spans].sort((first, second) => hash(first.spanId, seed) - hash(second.spanId, seed));
      expect(assemble(mixed)).toEqual(assemble(spans));
    }),
    { numRuns: 500 },
  );
});

/** Two copies of a call, after another with the same reply: they are one only if each text is recognised wherever it is kept. */
const drawnCall = { parent: 0, start: 0, tool: null, answer: "a", id: "r1", failed: false } as const;
const copy: DrawnSpan = { ...drawnCall, kind: "invoke_agent", says: ["c", "call again"], trace: 1 };
const COPIES_AFTER_A_CALL: DrawnSpan[] = [{ ...drawnCall, kind: "chat", says: ["call again"], trace: 0 }, copy, copy];

/** Two copies of a tool run, whose results log records say. */
const run: DrawnSpan = { ...drawnCall, kind: "none", start: 4, says: [], tool: "call", trace: 0 };
const COPIES_OF_A_RUN: DrawnSpan[] = [{ ...drawnCall, kind: "chat", says: [], trace: 0 }, run, run];
const choice = { at: 0, name: "gen_ai.choice", content: "a", user: "ann" } as const;
const RESULTS_OF_BOTH = [
  { ...choice, span: 1 },
  { ...choice, span: 5 },
];

test("a conversation that grows equals one assembled from scratch, whatever is added in whatever order", () => {
  const drawnLog = fc.record({
    span: fc.nat(6),
    at: fc.nat(3),
    name: fc.constantFrom("gen_ai.user.message", "gen_ai.choice", "gen_ai.tool.message", "exception"),
    content: fc.constantFrom("a", "b", "c"),
    user: fc.constantFrom("ann", "bob", null),
  });
  const spans = fc.array(drawnSpan, { minLength: 1, maxLength: 6 });
  const order = fc.array(fc.nat(11), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(spans, fc.array(drawnLog, { maxLength: 6 }), order, (drawn, drawnLogs, steps) => {
      const all = spansDrawn(drawn);
      const logs = drawnLogs.map((log) => {
        const { traceId, spanId } = all[log.span % all.length]!;
        return logsOf([
          {
            traceId,
            spanId,
            at: NOW + log.at,
            eventName: log.name,
            body: { content: log.content },
            attributes: log.user === null ? {} : { "user.id": log.user },
          },
        ])[0]!;
      });
      const growing = createAssembler();
      const here = { spans: new Set<SpanRecord>(), logs: new Set<LogRecord>() };
      const logsFor = (span: SpanRecord) =>
        logs.filter((log) => here.logs.has(log) && log.spanId === span.spanId && log.traceId === span.traceId);
      for (const step of steps) {
        const span = all[step % all.length]!;
        const log = logs[step];
        here.spans.add(span);
        // A span is added again when more of its log records arrive.
        if (log) here.logs.add(log);
        for (const one of log ? all.filter((other) => other === span || other.spanId === log.spanId) : [span]) {
          if (here.spans.has(one)) growing.add(one, logsFor(one));
        }
        const fresh = createAssembler();
        for (const one of here.spans) fresh.add(one, logsFor(one));
        expect(deepFrozen(growing.finish())).toEqual(fresh.finish());
        expect(growing.finish()).toEqual(fresh.finish());
        expect(assembledElsewhere([...here.spans], logsFor)).toEqual(fresh.finish());
      }
      expect(growing.bytes()).toBeGreaterThan(0);
    }),
    {
      numRuns: 500,
      examples: [
        [COPIES_AFTER_A_CALL, [], [5, 1, 0]],
        [COPIES_OF_A_RUN, RESULTS_OF_BOTH, [1, 2, 0]],
      ],
    },
  );
});

/** Assembles a conversation whose texts are kept outside, and returns it with its texts. */
function assembledElsewhere(spans: readonly SpanRecord[], logsFor: (span: SpanRecord) => readonly LogRecord[]) {
  const kept: string[] = [];
  const get = (text: string) => text.replace(/<<(\d+)>>/g, (_, nth) => kept[nth]!);
  const assembler = createAssembler({ put: (text) => `<<${kept.push(text) - 1}>>`, get });
  for (const span of spans) assembler.add(span, logsFor(span));
  const { messages, toolCalls, ...rest } = assembler.finish();
  return {
    ...rest,
    messages: messages.map((message) => withTexts(message, get)),
    toolCalls: toolCalls.map((call) => ({
      ...call,
      arguments: call.arguments && get(call.arguments),
      result: call.result && get(call.result),
    })),
  };
}

/** Freezes a returned conversation: changing it would change the parts reused by the next one, and now throws instead. */
function deepFrozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFrozen);
  }
  return value;
}

const hash = (text: string, seed: number) =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, seed);
