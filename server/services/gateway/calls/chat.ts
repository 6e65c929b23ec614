import { type Dialect, endedEarly, errorIn, parametersOf } from "./dialect";
import { type Fields, fieldsOf, listOf } from "./fields";
import { foldAnswer } from "./fold-answer";

const DONE = "[DONE]";

function partOf(given: unknown): Fields {
  const { type, text, image_url: image, ...rest } = fieldsOf(given);
  if (typeof text === "string") return { type: "text", content: text };
  if (image !== undefined) return { type: "uri", modality: "image", uri: fieldsOf(image).url ?? image };
  return { type: String(type ?? "unknown"), ...rest };
}

/** Converts a message of the OpenAI API to OpenTelemetry's GenAI convention. */
function messageOf(given: unknown): Fields {
  const { role, content, tool_calls, tool_call_id, name } = fieldsOf(given);
  if (role === "tool") {
    return { role, parts: [{ type: "tool_call_response", id: tool_call_id, response: content }] };
  }
  const said = Array.isArray(content)
    ? content.map(partOf)
    : typeof content === "string" && content !== ""
      ? [{ type: "text", content }]
      : [];
  const calls = listOf(tool_calls).map((one) => {
    const { id, function: called } = fieldsOf(one);
    const { name: tool, arguments: given } = fieldsOf(called);
    return { type: "tool_call", id, name: tool, arguments: given };
  });
  return { role, parts: [...said, ...calls], ...(typeof name === "string" ? { name } : {}) };
}

/** Providers that have renamed `max_tokens`, which others still expect. */
const NEW_LIMIT: ReadonlySet<string | null> = new Set(["openai", "azure"]);

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/** Whether a chunk's choice tells only who speaks. */
function saysNothing(choice: unknown): boolean {
  const { delta, finish_reason: reason } = fieldsOf(choice);
  const { role: _, ...said } = fieldsOf(delta);
  return isEmpty(reason) && Object.values(said).every(isEmpty);
}

/** `POST /chat/completions`. */
export const CHAT: Dialect = {
  operation: "chat",
  path: "/chat/completions",
  accept: (isStreamed) => (isStreamed ? "text/event-stream" : "application/json"),
  usageFields: ({ stream_options: options }) => ({
    stream_options: { ...fieldsOf(options), include_usage: true },
  }),
  limits: ["max_completion_tokens", "max_tokens"],
  limit: (tokens, provider) => ({ [NEW_LIMIT.has(provider) ? "max_completion_tokens" : "max_tokens"]: tokens }),
  isPinned: () => false,
  asked: (request) => [
    ["gen_ai.input.messages", JSON.stringify(listOf(request.messages).map(messageOf))],
    ...parametersOf(request),
  ],
  read: (body) => JSON.parse(body.toString("utf8")),
  fold: foldAnswer,
  endOf(data, json) {
    if (data === DONE) return { error: null };
    const error = errorIn(json);
    return error === null ? null : { error };
  },
  isPreamble: (json) => listOf(fieldsOf(json).choices).every(saysNothing),
  isUsageOnly(json) {
    const { choices, usage } = fieldsOf(json);
    return Array.isArray(choices) && choices.length === 0 && typeof usage === "object" && usage !== null;
  },
  errorEvent: (message) => `data: ${JSON.stringify({ error: endedEarly(message) })}\n\n`,
};
