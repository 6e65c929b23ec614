import type { Message, MessagePart, ToolCall } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot, Evidence } from "../../types";
import { comparableJson, writeJson } from "./comparable-json";
import { quoteMessage, quoteSpan } from "./evidence";
import { pendingCalls } from "./pending-calls";
import { textOf } from "./text";

/** One tool call with its result, combined from messages and spans. */
export type ToolExchange = {
  callId: string | null;
  name: string;
  /** As sent; "" when not recorded. */
  arguments: string;
  /** `null` when no result is known. */
  result: string | null;
  /** Flagged by the client or the span. Text that reads like an error is handled elsewhere. */
  isError: boolean;
  /** The error message of a span. */
  errorMessage: string | null;
  /** Index of the assistant message with the call. */
  callIndex: number | null;
  /** Index of the message with the result. */
  resultIndex: number | null;
  /** Whether the result is the text of message `resultIndex`, so that they share offsets. */
  resultIsMessageText: boolean;
  spanId: string | null;
};

export const UNNAMED_TOOL = "tool";

const RESULT_ROLES = new Set(["tool", "function", "ipython", "environment"]);
const RESULT_PARTS = new Set([
  "tool_result",
  "tool-result",
  "tool_call_response",
  "function_call_output",
  "toolResult",
]);
/** How ReAct and code-executing agents return a result in a user message. */
const OBSERVATION =
  /^\s{0,8}(?:observation|execution result|exitcode|tool (?:result|output)|command output)s?\b\s{0,3}[:\n]/i;

const exchangesOf = new WeakMap<ConversationSnapshot, readonly ToolExchange[]>();

/** Returns all tool calls of a conversation, in order, joined with their results and spans. Memoized per conversation. */
export function toolExchanges(conversation: ConversationSnapshot): readonly ToolExchange[] {
  let exchanges = exchangesOf.get(conversation);
  if (!exchanges) {
    exchanges = withSpans(fromMessages(conversation.messages), conversation);
    exchangesOf.set(conversation, exchanges);
  }
  return exchanges;
}

/** Returns a quote of an exchange's result, or of its call when there is no result. */
export function quoteExchange(
  conversation: ConversationSnapshot,
  exchange: ToolExchange,
  start = 0,
  end?: number,
): Evidence {
  const { messages } = conversation;
  if (exchange.resultIndex !== null && exchange.resultIsMessageText) {
    return { ...quoteMessage(messages, exchange.resultIndex, start, end), ...spanOf(exchange) };
  }
  const said = exchange.result ?? exchange.errorMessage;
  if (said !== null && said !== "") return quoteSpan(exchange.spanId, said, start, end);
  if (exchange.resultIndex !== null) return quoteMessage(messages, exchange.resultIndex);
  if (exchange.callIndex !== null) return quoteMessage(messages, exchange.callIndex);
  return quoteSpan(exchange.spanId, exchange.name);
}

const spanOf = (exchange: ToolExchange) => (exchange.spanId === null ? {} : { spanId: exchange.spanId });

function fromMessages(messages: readonly Message[]): ToolExchange[] {
  const exchanges: ToolExchange[] = [];
  const pending = pendingCalls<ToolExchange>();

  const addResult = (id: string | null, name: string | null, fields: Partial<ToolExchange>) => {
    const call = pending.take(id, name) ?? callBefore(exchanges, name, fields.resultIndex);
    if (!call) {
      exchanges.push({ ...withoutResult(id, name ?? UNNAMED_TOOL, "", null, null), ...fields });
      return;
    }
    if (call.name === UNNAMED_TOOL && name) call.name = name;
    Object.assign(call, fields);
  };

  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (!RESULT_PARTS.has(part.type)) continue;
      addResult(stringAt(part, "tool_use_id", "id", "callId", "call_id", "toolCallId"), nameIn([part]), {
        result: resultOfPart(part),
        isError: saysError(part),
        resultIndex: index,
        spanId: message.spanId,
      });
    }
    if (isResult(message, messages[index - 1])) {
      const text = textOf(message);
      const brought = message.parts.some((part) => RESULT_PARTS.has(part.type));
      if (brought && text === "") return;
      addResult(message.toolCallId, nameIn(message.parts), {
        result: text,
        isError: message.parts.some(saysError),
        resultIndex: index,
        resultIsMessageText: true,
        spanId: message.spanId,
      });
      return;
    }
    if (message.toolCalls.length > 0) {
      pending.abandonUnidentified();
      for (const call of message.toolCalls) {
        const exchange = withoutResult(call.id, call.name || UNNAMED_TOOL, call.arguments, index, message.spanId);
        exchanges.push(exchange);
        pending.add(exchange);
      }
    }
  });
  return exchanges;
}

/**
 * Returns the only call of the message just before a result, if it has none yet: some clients give a result an id of their
 * own, and the position then shows which call it belongs to.
 */
function callBefore(
  exchanges: readonly ToolExchange[],
  name: string | null,
  resultIndex: number | null | undefined,
): ToolExchange | undefined {
  const call = exchanges.at(-1);
  if (!call || call.result !== null || call.callIndex === null || call.callIndex + 1 !== resultIndex) return undefined;
  if (exchanges.at(-2)?.callIndex === call.callIndex) return undefined;
  return name === null || name === call.name || call.name === UNNAMED_TOOL ? call : undefined;
}

function isResult(message: Message, before: Message | undefined): boolean {
  if (RESULT_ROLES.has(message.role)) return true;
  return message.role === "user" && before?.role === "assistant" && OBSERVATION.test(textOf(message).slice(0, 80));
}

const withoutResult = (
  callId: string | null,
  name: string,
  args: string,
  callIndex: number | null,
  spanId: string | null,
): ToolExchange => ({
  callId,
  name,
  arguments: args,
  result: null,
  isError: false,
  errorMessage: null,
  callIndex,
  resultIndex: null,
  resultIsMessageText: false,
  spanId,
});

/** Merges spans into the calls that they belong to; the others are calls without a message. */
function withSpans(exchanges: ToolExchange[], conversation: ConversationSnapshot): ToolExchange[] {
  if (conversation.toolCalls.length === 0) return exchanges;
  const spans = [...conversation.toolCalls].sort((a, b) => a.startedAt - b.startedAt);
  const take = takeOnce(exchanges);
  const extra: { span: ToolCall; exchange: ToolExchange }[] = [];
  for (const span of spans) {
    const known =
      (span.callId === null ? undefined : take(keys.callId(span.callId))) ??
      take(keys.call(span.name, span.arguments ?? "")) ??
      (span.result === null ? undefined : take(keys.result(span.name, span.result))) ??
      (span.result === null ? undefined : take(keys.result(UNNAMED_TOOL, span.result)));
    if (known) {
      if (known.name === UNNAMED_TOOL && span.name !== "") known.name = span.name;
      known.spanId = span.spanId;
      known.result ??= span.result;
      known.isError ||= span.error !== null;
      known.errorMessage ??= errorOf(span);
    } else {
      extra.push({ span, exchange: fromSpan(span) });
    }
  }
  return insertByTime(exchanges, extra, conversation.messages);
}

const keys = {
  callId: (id: string) => `id ${id}`,
  call: (name: string, args: string) => `call ${name} ${comparableJson(args)}`,
  result: (name: string, result: string) => `result ${name} ${result}`,
};

/** Returns a function that takes the first remaining exchange with a key; each exchange is returned once. */
function takeOnce(exchanges: readonly ToolExchange[]): (key: string) => ToolExchange | undefined {
  const byKey = new Map<string, ToolExchange[]>();
  const add = (key: string, exchange: ToolExchange) => {
    const known = byKey.get(key);
    if (known) known.push(exchange);
    else byKey.set(key, [exchange]);
  };
  for (const exchange of [...exchanges].reverse()) {
    if (exchange.callId !== null) add(keys.callId(exchange.callId), exchange);
    if (exchange.callIndex !== null) add(keys.call(exchange.name, exchange.arguments), exchange);
    if (exchange.result !== null) add(keys.result(exchange.name, exchange.result), exchange);
  }
  const taken = new Set<ToolExchange>();
  return (key) => {
    const waiting = byKey.get(key);
    let next = waiting?.pop();
    while (next && taken.has(next)) next = waiting?.pop();
    if (next) taken.add(next);
    return next;
  };
}

const errorOf = (span: ToolCall) => span.error?.message ?? span.error?.type ?? null;

const fromSpan = (span: ToolCall): ToolExchange => ({
  ...withoutResult(span.callId, span.name || UNNAMED_TOOL, span.arguments ?? "", null, span.spanId),
  result: span.result,
  isError: span.error !== null,
  errorMessage: errorOf(span),
});

/** Inserts span-only calls by time, or at the end when messages have no time. */
function insertByTime(
  exchanges: ToolExchange[],
  extra: readonly { span: ToolCall; exchange: ToolExchange }[],
  messages: readonly Message[],
): ToolExchange[] {
  const result: ToolExchange[] = [];
  let next = 0;
  for (const exchange of exchanges) {
    const index = exchange.callIndex ?? exchange.resultIndex;
    const at = index === null ? null : (messages[index]?.at ?? null);
    while (at !== null && next < extra.length && extra[next]!.span.startedAt < at) result.push(extra[next++]!.exchange);
    result.push(exchange);
  }
  while (next < extra.length) result.push(extra[next++]!.exchange);
  return result;
}

function stringAt(part: MessagePart, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = part[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

function nameIn(parts: readonly MessagePart[]): string | null {
  for (const part of parts) {
    const name = stringAt(part, "name", "toolName", "tool_name");
    if (name) return name;
  }
  return null;
}

const saysError = (part: MessagePart) => part.is_error === true || part.isError === true;

/** Maximum depth to which the content of a result part is searched for text. */
const PART_DEPTH = 4;

function resultOfPart(part: MessagePart): string {
  const value = part.content ?? part.result ?? part.response ?? part.output ?? part.text ?? "";
  return plainText(value, 0);
}

function plainText(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (depth < PART_DEPTH && Array.isArray(value) && value.every((item) => typeof item?.text === "string")) {
    return value.map((item: { text: string }) => item.text).join("");
  }
  return writeJson(value) ?? "";
}
