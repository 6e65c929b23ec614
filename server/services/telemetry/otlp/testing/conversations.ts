import { createAssembler } from "../assemble/create-assembler";
import { decodeLogs } from "../decode/decode-logs";
import { decodeTraces } from "../decode/decode-traces";
import type { AssembledConversation, LogRecord, SpanRecord } from "../types";
import {
  logsProtobuf,
  type SentAttributes,
  type SentLog,
  type SentOwner,
  type SentSpan,
  tracesProtobuf,
} from "./encode-otlp";

/** Time of the tests, Unix ms. */
export const NOW = Date.UTC(2026, 10, 20);
export const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** Returns a span id or, with more bytes, a trace id for a small number. */
export const idOf = (number: number, bytes = 8): string => number.toString(16).padStart(bytes * 2, "0");

/** Returns decoded spans; each starts a second after the previous one unless it has a start. */
export function spansOf(sent: readonly SentSpan[], owner: SentOwner = {}): SpanRecord[] {
  const complete = sent.map((span, index) => {
    const start = span.start ?? NOW + index * 1000;
    return { traceId: TRACE, spanId: idOf(index + 1), name: "span", start, end: start + 500, ...span };
  });
  const { items, rejections } = decodeTraces(tracesProtobuf(complete, owner), "protobuf", NOW);
  if (rejections.length > 0) throw new Error(JSON.stringify(rejections));
  return items;
}

/** Returns a decoded span with these attributes. */
export function spanOf(attributes: SentAttributes, span: SentSpan = {}, owner: SentOwner = {}): SpanRecord {
  const [only] = spansOf([{ ...span, attributes }], owner);
  if (!only) throw new Error("no span");
  return only;
}

export function logsOf(sent: readonly SentLog[], owner: SentOwner = {}): LogRecord[] {
  const complete = sent.map((log, index) => ({ traceId: TRACE, spanId: idOf(1), at: NOW + index, ...log }));
  return decodeLogs(logsProtobuf(complete, owner), "protobuf", NOW).items;
}

export function assemble(spans: readonly SpanRecord[], logs: readonly LogRecord[] = []): AssembledConversation {
  const assembler = createAssembler();
  for (const span of spans) {
    assembler.add(
      span,
      logs.filter((log) => log.spanId === span.spanId),
    );
  }
  return assembler.finish();
}

/** Returns a conversation as text, one line per message. */
export function transcriptOf({ messages }: AssembledConversation): string[] {
  return messages.map(({ role, parts, toolCalls }) => {
    const said = parts.map((part) => part.text ?? `<${part.type}>`).join(" ");
    const calls = toolCalls.map((call) => `${call.name}(${call.arguments})`).join(" ");
    return [role, [said, calls].filter(Boolean).join(" ")].join(": ");
  });
}

/** Returns the attributes of a model call in OpenTelemetry's convention. */
export function chat(
  input: readonly object[],
  answer: string | object | null,
  more: SentAttributes = {},
): SentAttributes {
  const output = typeof answer === "string" ? { role: "assistant", content: answer } : answer;
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.input.messages": JSON.stringify(input),
    ...(output ? { "gen_ai.output.messages": JSON.stringify([output]) } : {}),
    ...more,
  };
}

export const user = (content: string) => ({ role: "user", content });
export const assistant = (content: string) => ({ role: "assistant", content });
export const system = (content: string) => ({ role: "system", content });
