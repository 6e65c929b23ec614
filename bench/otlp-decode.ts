import os from "node:os";
import { createAssembler } from "@/server/services/telemetry/otlp/assemble/create-assembler";
import { decodeTraces } from "@/server/services/telemetry/otlp/decode/decode-traces";
import { resolveTraceIdentity } from "@/server/services/telemetry/otlp/identity/identity";
import { idOf } from "@/server/services/telemetry/otlp/testing/conversations";
import { type SentSpan, tracesJson, tracesProtobuf } from "@/server/services/telemetry/otlp/testing/encode-otlp";
import type { SpanRecord } from "@/server/services/telemetry/otlp/types";

/**
 * `npm run bench -- otlp-decode`: how fast one core reads telemetry. Spans are chat calls of about 1.5 kB in batches of 500, as
 * an OpenTelemetry SDK sends them; each call resends its conversation so far. CPU time is what counts on a shared machine.
 */
const BATCH = 500;
const SECONDS = 3;
const CALLS_IN_CONVERSATION = 5;
const START = Date.UTC(2026, 10, 20);

function chatSpan(index: number): SentSpan {
  const turn = index % CALLS_IN_CONVERSATION;
  const conversation = Math.floor(index / CALLS_IN_CONVERSATION);
  const text = (content: string) => [{ type: "text", content }];
  const history = Array.from({ length: turn + 1 }, (_, at) => [
    { role: "user", parts: text(`Question ${at} of ${conversation}: what is the weather like in Oslo today?`) },
    { role: "assistant", parts: text(`Answer ${at} of ${conversation}: it is 18 degrees and cloudy.`) },
  ]).flat();
  return {
    traceId: idOf(conversation + 1, 16),
    spanId: idOf(index + 1),
    parentSpanId: idOf(conversation + 1_000_000_000),
    name: "chat gpt-4o-mini",
    kind: 3,
    start: START + index * 1000,
    end: START + index * 1000 + 900,
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

/** Runs `work` for a few seconds after a warm-up and prints its speed in spans by wall and CPU time. */
function measure(name: string, work: () => void): void {
  for (const until = performance.now() + 500; performance.now() < until; ) work();
  let runs = 0;
  const cpu = process.cpuUsage();
  const started = performance.now();
  while (performance.now() - started < SECONDS * 1000) {
    work();
    runs++;
  }
  const spans = runs * BATCH;
  const wallMicros = ((performance.now() - started) * 1000) / spans;
  const used = process.cpuUsage(cpu);
  const cpuMicros = (used.user + used.system) / spans;
  const rate = Math.round(1_000_000 / wallMicros).toLocaleString("en");
  const figures = [`${rate} spans/s`, `${wallMicros.toFixed(1)} µs/span`, `${cpuMicros.toFixed(1)} µs CPU/span`];
  console.log(name.padEnd(48), figures.map((figure) => figure.padStart(18)).join(""));
}

function assemble(spans: readonly SpanRecord[]): void {
  const assembler = createAssembler();
  for (const span of spans) assembler.add(span, []);
  assembler.finish();
}

const sent = Array.from({ length: BATCH }, (_, index) => chatSpan(index));
const json = tracesJson(sent);
const binary = tracesProtobuf(sent);
const now = START + BATCH * 1000;
const { items } = decodeTraces(binary, "protobuf", now);
const traces = new Map<string, SpanRecord[]>();
for (const span of items) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);

console.log(
  `${os.cpus()[0]?.model} × ${os.cpus().length}, node ${process.version}, load ${os.loadavg()[0]?.toFixed(1)}`,
);
console.log(
  `${items.length} spans of ${Math.round(binary.length / BATCH)} bytes (${Math.round(json.length / BATCH)} as JSON)`,
);
measure("decode + flatten protobuf", () => decodeTraces(binary, "protobuf", now));
measure("decode + flatten JSON", () => decodeTraces(json, "json", now));
measure("resolve identity", () => {
  for (const trace of traces.values()) resolveTraceIdentity(trace, []);
});
measure("read + assemble, conversations of 5 calls", () => {
  for (const trace of traces.values()) assemble(trace);
});
measure("read + assemble, one conversation of 500 calls", () => assemble(items));
