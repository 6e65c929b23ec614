import type { ChatAnswer, ChatMessage, ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { CHAT_LIMITS, CHAT_NAME } from "@/server/services/datasets/chat-payload/schemas";
import {
  type ConversationSnapshot,
  type ToolExchange,
  textOf,
  toolExchanges,
} from "@/server/services/diagnostics/detectors/reading";
import { sentFor } from "@/server/services/telemetry/schemas";
import type { LeftCode } from "./types";

type Messages = ChatMessage[] | LeftCode;
type Outcome = { payload: ChatPayload } | { left: LeftCode };

const SYSTEM_ROLES = new Set(["system", "developer"]);
/** Parts that chat/v1 can represent, or that the answer does not depend on. */
const READABLE_PARTS = new Set([
  "text",
  "reasoning",
  "thinking",
  "tool_use",
  "tool_call",
  "tool-call",
  "toolUse",
  "function_call",
  "tool_result",
  "tool-result",
  "tool_call_response",
  "function_call_output",
  "toolResult",
]);

/** Returns text in a form that Postgres and JSON can store. */
const storable = (text: string) => text.toWellFormed().replaceAll("\0", "");

const answerOf = (content: string): ChatAnswer => ({ role: "assistant", content: storable(content) });

export type Answers = { expected: string | number; rejected?: string | number | undefined };
type Context = {
  /** Index of the message in question: what its model was not sent is left out. */
  turn: number;
  /** Indexes of answers among the messages that must not be taught, because they are known to be wrong. */
  wrong?: readonly number[];
};

/**
 * Builds a chat/v1 payload from the messages at `indexes` (ascending), or returns why that is impossible. An answer is either
 * text, or the index of an assistant message whose calls are the answer.
 */
export function payloadOf(
  conversation: ConversationSnapshot,
  indexes: readonly number[],
  { expected, rejected }: Answers,
  { turn, wrong = [] }: Context,
): Outcome {
  const before = indexes.map((index) => ({ ...conversation.messages[index]!, index }));
  const sent = sentFor(conversation.messages[turn]!, before).map(({ index }) => index);
  const messages = chatMessages(conversation, sent, new Set(wrong));
  if (typeof messages === "string") return { left: messages };
  const last = messages.at(-1)?.role;
  if (!messages.some(({ role }) => role === "user") || (last !== "user" && last !== "tool"))
    return { left: "no_question" };
  const [better, worse] = [expected, rejected].map((one) =>
    typeof one === "number" ? callsOf(conversation, one) : one === undefined || one === "" ? undefined : answerOf(one),
  );
  if (!better) return { left: "incomplete_tool_calls" };
  if (JSON.stringify(better) === JSON.stringify(worse)) return { left: "same_answer" };
  const payload: ChatPayload = {
    input: { type: "chat", messages },
    expectedOutput: { type: "chat_message", message: better },
    ...(worse && { rejectedOutput: { type: "chat_message", message: worse } }),
  };
  const isLarge =
    messages.length > CHAT_LIMITS.messages || Buffer.byteLength(JSON.stringify(payload)) > CHAT_LIMITS.payloadBytes;
  return isLarge ? { left: "too_large" } : { payload };
}

/** Converts the messages at `indexes` to chat/v1: system messages first, each result directly after its call. */
function chatMessages(
  conversation: ConversationSnapshot,
  indexes: readonly number[],
  wrong: ReadonlySet<number>,
): Messages {
  const { messages } = conversation;
  const included = new Set(indexes);
  const system: ChatMessage[] = [];
  const rest: ChatMessage[] = [];
  const results = new Set(
    toolExchanges(conversation).flatMap(({ callIndex, resultIndex }) =>
      callIndex !== null && resultIndex !== null ? [resultIndex] : [],
    ),
  );
  let calls = 0;
  for (const index of indexes) {
    const message = messages[index]!;
    const text = storable(textOf(message));
    if (message.parts.some(({ type }) => !READABLE_PARTS.has(type))) return "not_text";
    if (SYSTEM_ROLES.has(message.role)) {
      if (text.trim() !== "" && rest.length === 0) system.push({ role: "system", content: text });
    } else if (message.role === "assistant") {
      const exchanges = exchangesAt(conversation, index);
      const answered = answeredCalls(exchanges, included, calls);
      if (!answered) return "incomplete_tool_calls";
      calls += exchanges.length;
      const weight = wrong.has(index) ? { weight: 0 } : {};
      if (answered.calls.length > 0)
        rest.push({ role: "assistant", content: text === "" ? null : text, tool_calls: answered.calls, ...weight });
      else if (text.trim() !== "") rest.push({ role: "assistant", content: text, ...weight });
      rest.push(...answered.results);
    } else if (message.role === "user") {
      const isResult = results.has(index) && (message.toolCallId !== null || text === "");
      if (!isResult && text.trim() !== "") rest.push({ role: "user", content: text });
    } else if (!results.has(index)) return "incomplete_tool_calls";
  }
  return [...system, ...rest];
}

const exchangesByCall = new WeakMap<ConversationSnapshot, Map<number, ToolExchange[]>>();

function exchangesAt(conversation: ConversationSnapshot, index: number): readonly ToolExchange[] {
  let byCall = exchangesByCall.get(conversation);
  if (!byCall) {
    byCall = new Map();
    for (const exchange of toolExchanges(conversation)) {
      if (exchange.callIndex === null) continue;
      byCall.set(exchange.callIndex, [...(byCall.get(exchange.callIndex) ?? []), exchange]);
    }
    exchangesByCall.set(conversation, byCall);
  }
  return byCall.get(index) ?? [];
}

type Call = NonNullable<ChatAnswer["tool_calls"]>[number];

/** Returns calls with their results; `null` if a result is missing or belongs to a message that is left out. */
function answeredCalls(
  exchanges: readonly ToolExchange[],
  included: ReadonlySet<number>,
  before: number,
): { calls: Call[]; results: ChatMessage[] } | null {
  const calls: Call[] = [];
  const results: ChatMessage[] = [];
  const ids = new Set<string>();
  for (const [nth, exchange] of exchanges.entries()) {
    const { result, resultIndex } = exchange;
    if (result === null || (resultIndex !== null && !included.has(resultIndex))) return null;
    const call = callOf(exchange, `call_${before + nth + 1}`);
    if (!call || ids.has(call.id)) return null;
    ids.add(call.id);
    calls.push(call);
    results.push({ role: "tool", content: storable(result), tool_call_id: call.id });
  }
  return { calls, results };
}

/** Converts a call to the format of OpenAI's API; `null` if its name or arguments are not valid. */
function callOf({ callId, name, arguments: given }: ToolExchange, otherwise: string): Call | null {
  if (!CHAT_NAME.test(name)) return null;
  const args = storable(given.trim() === "" ? "{}" : given);
  if (!isObject(args)) return null;
  const id = callId && callId.length <= CHAT_LIMITS.callIdCharacters ? storable(callId) : otherwise;
  return { id, type: "function", function: { name, arguments: args } };
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Returns the calls of an assistant message as an answer, without its text, which may refer to previous calls. */
function callsOf(conversation: ConversationSnapshot, index: number): ChatAnswer | undefined {
  const calls = exchangesAt(conversation, index).map((exchange, nth) => callOf(exchange, `call_${index}_${nth + 1}`));
  if (calls.length === 0 || calls.some((call) => call === null)) return undefined;
  return { role: "assistant", content: null, tool_calls: calls as Call[] };
}
