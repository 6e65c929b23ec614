import { type Dialect, endedEarly, errorIn, parametersOf } from "./dialect";
import { type Fields, fieldsOf, listOf, textOf } from "./fields";
import type { Answer } from "./fold-answer";

/** Items of an input that are results of tools; all others without a role are what the assistant did. */
const RESULT = /_output$/;
/** Stands for an item of an earlier answer, of which nothing else is sent. */
const REFERENCE = "item_reference";

/** Converts an item of the Responses API to a message of OpenTelemetry's GenAI convention, with the parts as they are. */
function messageOf(given: unknown): Fields {
  const { role, content, ...item } = fieldsOf(given);
  if (typeof role === "string") {
    return { role, parts: typeof content === "string" ? [{ type: "text", content }] : listOf(content) };
  }
  return { role: RESULT.test(String(item.type)) ? "tool" : "assistant", parts: [given] };
}

function inputOf({ instructions, input }: Fields): Fields[] {
  const system = textOf(instructions);
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
  return [
    ...(system === null ? [] : [{ role: "system", parts: [{ type: "text", content: system }] }]),
    ...items.filter((item) => fieldsOf(item).type !== REFERENCE).map(messageOf),
  ];
}

const REASONS: Record<string, string> = { max_output_tokens: "length" };

function finishReasonOf({ status, incomplete_details: details }: Fields, hasCalls: boolean): string | null {
  if (status === "completed") return hasCalls ? "tool_calls" : "stop";
  if (status === "failed") return "error";
  const reason = textOf(fieldsOf(details).reason);
  return reason === null ? null : (REASONS[reason] ?? reason);
}

const textsIn = (parts: unknown, name: "text" | "refusal") =>
  listOf(parts)
    .map((part) => textOf(fieldsOf(part)[name]) ?? "")
    .join("");

/** Adds an item of an answer: a message, reasoning, a function's call, or what the provider's own tools did. */
function addItem(answer: Answer, given: unknown) {
  const item = fieldsOf(given);
  if (item.type === "message") answer.content += textsIn(item.content, "text") || textsIn(item.content, "refusal");
  else if (item.type === "reasoning")
    answer.reasoning += textsIn(item.summary, "text") || textsIn(item.content, "text");
  else if (item.type === "function_call") {
    answer.toolCalls.push({
      id: textOf(item.call_id),
      name: textOf(item.name) ?? "",
      arguments: textOf(item.arguments) ?? "",
    });
  } else if (typeof item.type === "string") answer.otherParts.push(item);
}

function foldResponse(answer: Answer, response: Fields) {
  answer.id ??= textOf(response.id);
  answer.model ??= textOf(response.model);
  if (typeof response.usage === "object" && response.usage !== null) answer.usage = fieldsOf(response.usage);
  answer.serviceTier = textOf(response.service_tier) ?? answer.serviceTier;
  const output = listOf(response.output);
  if (output.length > 0) {
    Object.assign(answer, { content: "", reasoning: "", toolCalls: [], otherParts: [] });
    for (const item of output) addItem(answer, item);
  }
  answer.finishReason = finishReasonOf(response, answer.toolCalls.length > 0) ?? answer.finishReason;
}

const BEFORE_CONTENT: ReadonlySet<unknown> = new Set(["response.created", "response.queued", "response.in_progress"]);
const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed"]);
const OF_TEXT: ReadonlySet<unknown> = new Set(["response.output_text.delta", "response.refusal.delta"]);
const OF_REASONING: ReadonlySet<unknown> = new Set([
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
]);
/** Their text has already arrived in pieces. */
const IN_PIECES: ReadonlySet<unknown> = new Set(["message", "reasoning"]);

/** `POST /responses`. */
export const RESPONSES: Dialect = {
  operation: "responses",
  path: "/responses",
  accept: (isStreamed) => (isStreamed ? "text/event-stream" : "application/json"),
  // The last event has them anyway.
  usageFields: () => ({}),
  limits: ["max_output_tokens"],
  limit: (tokens) => ({ max_output_tokens: tokens }),
  isPinned: ({ previous_response_id: previous, conversation, input }) =>
    textOf(previous) !== null ||
    (conversation !== undefined && conversation !== null) ||
    listOf(input).some((item) => fieldsOf(item).type === REFERENCE),
  asked: (request) => [["gen_ai.input.messages", JSON.stringify(inputOf(request))], ...parametersOf(request)],
  read: (body) => JSON.parse(body.toString("utf8")),
  fold(answer, json) {
    const given = fieldsOf(json);
    if (given.object === "response") return foldResponse(answer, given);
    if (given.response !== undefined) return foldResponse(answer, fieldsOf(given.response));
    if (OF_TEXT.has(given.type)) answer.content += textOf(given.delta) ?? "";
    else if (OF_REASONING.has(given.type)) answer.reasoning += textOf(given.delta) ?? "";
    else if (given.type === "response.output_item.done" && !IN_PIECES.has(fieldsOf(given.item).type)) {
      addItem(answer, given.item);
    }
  },
  endOf(_data, json) {
    const { type, response, message } = fieldsOf(json);
    if (ENDS.has(type)) {
      return { error: type === "response.failed" ? (errorIn(response) ?? "The answer failed.") : null };
    }
    if (type === "error") return { error: textOf(message) ?? errorIn(json) ?? "The answer ended early." };
    const error = errorIn(json);
    return error === null ? null : { error };
  },
  isPreamble: (json) => BEFORE_CONTENT.has(fieldsOf(json).type),
  isUsageOnly: () => false,
  // Some clients look for `error`, and some for the fields beside it.
  errorEvent(message) {
    const error = endedEarly(message);
    const { code, param } = error;
    return `event: error\ndata: ${JSON.stringify({ type: "error", sequence_number: 0, code, message, param, error })}\n\n`;
  },
};
