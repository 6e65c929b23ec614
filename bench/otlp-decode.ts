import os from "node:os";
import protobuf from "protobufjs/minimal.js";
import { createAssembler } from "../server/services/telemetry/otlp/assemble/create-assembler";
import { decodeTraces } from "../server/services/telemetry/otlp/decode/decode-traces";
import { resolveTraceIdentity } from "../server/services/telemetry/otlp/identity";
import type { SpanRecord } from "../server/services/telemetry/otlp/types";

/*
 * How fast one core reads telemetry: `npx tsx bench/otlp-decode.ts`. Spans are chat calls of about 1.5 kB in batches of 500, as
 * an OpenTelemetry SDK sends them: each call resends the conversation so far.
 */
const BATCH = 500;
const SECONDS = 3;
const CALLS_IN_CONVERSATION = 5;

type Value = string | number | boolean | string[];
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  startNanos: bigint;
  attributes: Record<string, Value>;
};

const hexOf = (value: number, bytes: number) => (value + 1).toString(16).padStart(bytes * 2, "0");

function chatSpan(index: number): Span {
  const turn = index % CALLS_IN_CONVERSATION;
  const conversation = Math.floor(index / CALLS_IN_CONVERSATION);
  const text = (content: string) => [{ type: "text", content }];
  const history = Array.from({ length: turn + 1 }, (_, at) => [
    { role: "user", parts: text(`Question ${at} of ${conversation}: what is the weather like in Oslo today?`) },
    { role: "assistant", parts: text(`Answer ${at} of ${conversation}: it is 18 degrees and cloudy.`) },
  ]).flat();
  return {
    traceId: hexOf(conversation, 16),
    spanId: hexOf(index, 8),
    parentSpanId: hexOf(conversation + 1_000_000_000, 8),
    startNanos: 1_780_000_000_000_000_000n + BigInt(index) * 1_000_000_000n,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.request.temperature": 0.2,
      "gen_ai.request.max_tokens": 1024,
      "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
      "gen_ai.response.id": `chatcmpl-${index}`,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 120 + index,
      "gen_ai.usage.output_tokens": 40,
      "gen_ai.usage.cache_read.input_tokens": 64,
      "gen_ai.conversation.id": `conversation-${conversation}`,
      "gen_ai.input.messages": JSON.stringify(history.slice(0, -1)),
      "gen_ai.output.messages": JSON.stringify(history.slice(-1)),
      "gen_ai.system_instructions": JSON.stringify(text("You are a weather desk. Answer in one sentence.")),
      "server.address": "api.openai.com",
      "server.port": 443,
    },
  };
}

function toJson(spans: Span[]): Buffer {
  const anyValue = (value: Value) => {
    if (Array.isArray(value)) return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
    if (typeof value === "string") return { stringValue: value };
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  };
  const body = spans.map((span) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: "chat gpt-4o-mini",
    kind: 3,
    startTimeUnixNano: String(span.startNanos),
    endTimeUnixNano: String(span.startNanos + 900_000_000n),
    attributes: Object.entries(span.attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
    status: {},
  }));
  return Buffer.from(
    JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "bench" }, spans: body }] }] }),
  );
}

function toProtobuf(spans: Span[]): Buffer {
  const writer = protobuf.Writer.create();
  const fixed64 = (field: number, value: bigint) => {
    writer
      .uint32((field << 3) | 1)
      .fixed32(Number(value & 0xffffffffn))
      .fixed32(Number(value >> 32n));
  };
  const nested = (field: number, write: () => void) => {
    writer.uint32((field << 3) | 2).fork();
    write();
    writer.ldelim();
  };
  const anyValue = (field: number, value: Value) =>
    nested(field, () => {
      if (Array.isArray(value)) nested(5, () => value.forEach((text) => anyValue(1, text)));
      else if (typeof value === "string") writer.uint32(10).string(value);
      else if (Number.isInteger(value)) writer.uint32(24).int64(value as number);
      else writer.uint32(33).double(value as number);
    });
  nested(1, () =>
    nested(2, () => {
      for (const span of spans) {
        nested(2, () => {
          writer.uint32(10).bytes(Buffer.from(span.traceId, "hex"));
          writer.uint32(18).bytes(Buffer.from(span.spanId, "hex"));
          writer.uint32(34).bytes(Buffer.from(span.parentSpanId, "hex"));
          writer.uint32(42).string("chat gpt-4o-mini");
          writer.uint32(48).int32(3);
          fixed64(7, span.startNanos);
          fixed64(8, span.startNanos + 900_000_000n);
          for (const [key, value] of Object.entries(span.attributes)) {
            nested(9, () => {
              writer.uint32(10).string(key);
              anyValue(2, value);
            });
          }
        });
      }
    }),
  );
  return Buffer.from(writer.finish());
}

/** Runs `work` for a few seconds, after a warm-up, and prints how many spans a second it did. */
function measure(name: string, spansPerRun: number, work: () => void): void {
  for (const until = performance.now() + 500; performance.now() < until; ) work();
  let runs = 0;
  const started = performance.now();
  while (performance.now() - started < SECONDS * 1000) {
    work();
    runs++;
  }
  const perSecond = (runs * spansPerRun) / ((performance.now() - started) / 1000);
  console.log(
    `${name.padEnd(44)} ${Math.round(perSecond).toLocaleString("en").padStart(9)} spans/s ${(1e6 / perSecond).toFixed(1).padStart(6)} µs/span`,
  );
}

function assemble(spans: readonly SpanRecord[]): number {
  const assembler = createAssembler();
  for (const span of spans) assembler.add(span, []);
  return assembler.finish().messages.length;
}

const spans = Array.from({ length: BATCH }, (_, index) => chatSpan(index));
const json = toJson(spans);
const binary = toProtobuf(spans);
const { items } = decodeTraces(binary, "protobuf", 1_790_000_000_000);
const byTrace =
  Map.groupBy?.(items, (span) => span.traceId) ??
  new Map(items.map((span) => [span.traceId, items.filter((other) => other.traceId === span.traceId)]));

console.log(`${os.cpus()[0]?.model} × ${os.cpus().length}, node ${process.version}, one core`);
console.log(
  `${items.length} spans of ${Math.round(binary.length / BATCH)} bytes (protobuf), ${Math.round(json.length / BATCH)} bytes (JSON)`,
);
measure("decode + flatten protobuf", BATCH, () => decodeTraces(binary, "protobuf", 1_790_000_000_000));
measure("decode + flatten JSON", BATCH, () => decodeTraces(json, "json", 1_790_000_000_000));
measure("resolve identity, per trace", BATCH, () => {
  for (const trace of byTrace.values()) resolveTraceIdentity(trace, []);
});
measure("read + assemble, conversations of 5 calls", BATCH, () => {
  for (const trace of byTrace.values()) assemble(trace);
});
measure("read + assemble, one conversation of 500 calls", BATCH, () => {
  assemble(items);
});
