import { canonicalJson } from "@/server/platform/json/canonical-json";
import type { RecordedCall } from "@/server/services/diagnostics";
import type { Chat, ChatAnswer, ChatModel, ToolCall } from "./ask-chat";
import type { ChatRequest } from "./overlay";

/** Answers with tool calls that are followed: a model that calls the same tools again and again says nothing in the end. */
const STEPS = 8;

/**
 * Asks until a model says something: calls that the conversation made, too, get their recorded results. Returns
 * `other_tool_call` for a call without one. Without recorded calls, an answer that calls tools is the answer. Throws `NoAnswer`.
 */
export async function answerPlayedBack(
  chat: Pick<Chat, "ask">,
  to: ChatModel,
  request: ChatRequest,
): Promise<ChatAnswer | "other_tool_call"> {
  const { recorded } = request;
  const messages = [...request.messages];
  let cost: number | null = 0;
  let tokens: ChatAnswer["tokens"] = { input: 0, output: 0 };
  for (let step = 0; step < STEPS; step += 1) {
    const answer = await chat.ask(to, { ...request, messages });
    cost = cost === null || answer.cost === null ? null : cost + answer.cost;
    tokens = tokens &&
      answer.tokens && { input: tokens.input + answer.tokens.input, output: tokens.output + answer.tokens.output };
    const { content, finishReason, text, calls } = answer;
    if (recorded === undefined || calls.length === 0) return { content, finishReason, cost, tokens };
    const results = calls.map((call) => resultOf(call, recorded));
    if (results.includes(undefined)) return "other_tool_call";
    messages.push(
      {
        role: "assistant",
        content: text,
        tool_calls: calls.map(({ id, ...called }) => ({ id, type: "function", function: called })),
      },
      ...calls.map(({ id }, at) => ({ role: "tool", tool_call_id: id, content: results[at]! })),
    );
  }
  return "other_tool_call";
}

/** Returns what the same call returned; arguments are compared as values. */
const resultOf = (call: ToolCall, recorded: readonly RecordedCall[]): string | undefined =>
  recorded.find(({ name, arguments: given }) => name === call.name && isSame(given, call.arguments))?.result;

const isSame = (one: string, other: string) => one === other || canonicalOf(one) === canonicalOf(other);
function canonicalOf(text: string): string {
  try {
    return canonicalJson(JSON.parse(text === "" ? "{}" : text));
  } catch {
    return text;
  }
}
