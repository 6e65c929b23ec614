import type { Fields } from "./fields";

export type ToolCall = { id: string | null; name: string; arguments: string };

/** A model's answer, complete or as far as it has arrived. */
export type Answer = {
  id: string | null;
  model: string | null;
  content: string;
  reasoning: string;
  toolCalls: ToolCall[];
  finishReason: string | null;
  usage: Fields | null;
  /** The tier that the call was served in, which may have its own price. */
  serviceTier: string | null;
  /** What is neither text nor a call of the client's own tools, as it was sent. */
  otherParts: Fields[];
};

const fields = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the text of a message's content, which may be split into parts. */
const wordsOf = (content: unknown): string =>
  Array.isArray(content) ? content.map((part) => text(fields(part)?.text)).join("") : text(content);

export const emptyAnswer = (): Answer => ({
  id: null,
  model: null,
  content: "",
  reasoning: "",
  toolCalls: [],
  finishReason: null,
  usage: null,
  serviceTier: null,
  otherParts: [],
});

/** Adds the tool calls of a message, or of a chunk, whose `index` says which call it continues. */
function addToolCalls(calls: ToolCall[], given: unknown) {
  if (!Array.isArray(given)) return;
  for (const [position, one] of given.entries()) {
    const call = fields(one);
    if (!call) continue;
    const at = typeof call.index === "number" && call.index >= 0 && call.index <= calls.length ? call.index : position;
    const known = calls[at] ?? { id: null, name: "", arguments: "" };
    const called = fields(call.function);
    calls[at] = {
      id: known.id ?? (typeof call.id === "string" ? call.id : null),
      name: known.name + text(called?.name),
      arguments: known.arguments + text(called?.arguments),
    };
  }
}

/** Adds a completion, or a streamed chunk of one, to an answer. Only the first choice counts, since no others are requested. */
export function foldAnswer(answer: Answer, json: unknown): void {
  const given = fields(json);
  if (!given) return;
  if (typeof given.id === "string") answer.id ??= given.id;
  if (typeof given.model === "string") answer.model ??= given.model;
  answer.usage = fields(given.usage) ?? answer.usage;
  if (typeof given.service_tier === "string") answer.serviceTier = given.service_tier;
  const choice = fields(Array.isArray(given.choices) ? given.choices[0] : null);
  if (!choice) return;
  const message = fields(choice.delta) ?? fields(choice.message);
  answer.content += wordsOf(message?.content);
  answer.reasoning += text(message?.reasoning_content) || text(message?.reasoning);
  addToolCalls(answer.toolCalls, message?.tool_calls);
  if (typeof choice.finish_reason === "string") answer.finishReason = choice.finish_reason;
}
