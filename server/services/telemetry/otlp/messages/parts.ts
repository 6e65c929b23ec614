import type { MessagePart } from "../../schemas";
import { plainDeep, toText } from "../readers/json-text";
import { textOf } from "../readers/reader";
import { addToolCall, type PlainMessage, plainMessage, textPart } from "./plain-message";
import { toolCallOf, toolResultCallId, toolResultPartsOf } from "./tool-values";

type Sent = Readonly<Record<string, unknown>>;

/** Reads a part as content of its message, as a tool call, or as a tool's result, which becomes its own message. */
type ReadPart = (part: Sent, message: PlainMessage, toolResults: PlainMessage[]) => void;

const asText: ReadPart = (part, message) => {
  const text = part.text ?? part.content ?? part.refusal ?? part.value;
  const sent = typeof text === "string" ? text : text === undefined || text === null ? "" : toText(text);
  if (sent !== "") message.parts.push(textPart(sent));
};

const asReasoning: ReadPart = (part, message) => {
  const summary = Array.isArray(part.summary)
    ? part.summary.map((item) => textOf((item as Sent | null)?.text) ?? "").join("\n")
    : undefined;
  const text = textOf(part.text ?? part.content ?? part.thinking ?? part.reasoning) ?? summary;
  if (text) message.parts.push({ type: "reasoning", text });
};

const asToolCall: ReadPart = (part, message) => {
  const call = toolCallOf(part);
  if (call) addToolCall(message, call);
};

const asToolResult: ReadPart = (part, _message, toolResults) => {
  toolResults.push({ ...plainMessage("tool", toolResultPartsOf(part)), toolCallId: toolResultCallId(part) });
};

/** Stores any other part as sent. */
const asSent: ReadPart = (part, message) => {
  message.parts.push(plainDeep({ ...part, type: typeOf(part) }) as MessagePart);
};

/** Parts by their `type`. */
const BY_TYPE: ReadonlyMap<string, ReadPart> = new Map([
  ["text", asText],
  ["input_text", asText],
  ["output_text", asText],
  ["summary_text", asText],
  ["refusal", asText],
  ["reasoning", asReasoning],
  ["reasoning_content", asReasoning],
  ["thinking", asReasoning],
  ["thought", asReasoning],
  ["tool_call", asToolCall], // OpenTelemetry GenAI
  ["tool_use", asToolCall], // Anthropic
  ["tool-call", asToolCall], // AI SDK
  ["toolUse", asToolCall],
  ["function_call", asToolCall], // OpenAI responses
  ["function", asToolCall],
  ["tool_call_response", asToolResult],
  ["tool_result", asToolResult],
  ["tool-result", asToolResult],
  ["toolResult", asToolResult],
  ["function_call_output", asToolResult],
]);

/** Parts without a type, by the field that identifies them (Bedrock, Gemini, Genkit). */
const BY_NAME: readonly (readonly [name: string, read: ReadPart])[] = [
  ["toolUse", (part, ...into) => asToolCall(part.toolUse as Sent, ...into)],
  ["toolResult", (part, ...into) => asToolResult(part.toolResult as Sent, ...into)],
  ["functionCall", (part, ...into) => asToolCall(part.functionCall as Sent, ...into)],
  ["function_call", (part, ...into) => asToolCall(part.function_call as Sent, ...into)],
  ["functionResponse", (part, ...into) => asToolResult(part.functionResponse as Sent, ...into)],
  ["function_response", (part, ...into) => asToolResult(part.function_response as Sent, ...into)],
  ["toolRequest", (part, ...into) => asToolCall(part.toolRequest as Sent, ...into)],
  ["toolResponse", (part, ...into) => asToolResult(part.toolResponse as Sent, ...into)],
  ["tool_call", asToolCall],
  [
    "reasoningContent",
    (part, ...into) =>
      asReasoning(((part.reasoningContent as Sent).reasoningText ?? part.reasoningContent) as Sent, ...into),
  ],
  ["text", (part, ...into) => (part.thought === true ? asReasoning : asText)(part, ...into)],
];

/** Reads one part of a message into it. */
export function readPart(sent: unknown, message: PlainMessage, toolResults: PlainMessage[]): void {
  if (typeof sent === "string") {
    if (sent !== "") message.parts.push(textPart(sent));
    return;
  }
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return;
  const part = unwrapOpenInference(sent as Sent);
  const read = typeof part.type === "string" ? BY_TYPE.get(part.type) : undefined;
  (read ?? readByName(part) ?? asSent)(part, message, toolResults);
}

function readByName(part: Sent): ReadPart | undefined {
  if (typeof part.type === "string") return undefined;
  return BY_NAME.find(([name]) =>
    name === "text" ? name in part : typeof part[name] === "object" && part[name] !== null,
  )?.[1];
}

/** Whether every item of a list can only be a part, which distinguishes JSON text of parts from a user's own JSON. */
export function areParts(list: readonly unknown[]): boolean {
  return (
    list.length > 0 &&
    list.every((item) => {
      if (typeof item !== "object" || item === null) return false;
      const part = item as Sent;
      if (typeof part.type === "string")
        return BY_TYPE.has(part.type) || part.type.startsWith("image") || part.type === "file";
      return BY_NAME.some(([name]) => name in part) && Object.keys(part).length <= 2;
    })
  );
}

function unwrapOpenInference(part: Sent): Sent {
  const inner = part.message_content;
  if (typeof inner !== "object" || inner === null) return part;
  // {message_content: {type: "tool_use"}, tool_call: {…}}: the call is beside its type
  return "tool_call" in part ? { ...(inner as Sent), tool_call: part.tool_call } : (inner as Sent);
}

const typeOf = (part: Sent): string => {
  if (typeof part.type === "string" && part.type !== "") return part.type;
  if ("inlineData" in part || "inline_data" in part || "media" in part) return "file";
  if ("image" in part || "image_url" in part) return "image";
  return "data";
};
