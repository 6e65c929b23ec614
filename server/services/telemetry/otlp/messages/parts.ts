import type { MessagePart } from "../../schemas";
import { plainDeep, toText } from "../readers/json-text";
import { textOf } from "../readers/reader";
import { hostedToolOf, isHostedTool } from "./hosted-tools";
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

const asHostedTool: ReadPart = (part, message, toolResults) => {
  const hosted = hostedToolOf(part);
  if (hosted?.call) addToolCall(message, hosted.call);
  if (hosted?.result) toolResults.push(hosted.result);
};

/** Gemini runs code that it has written itself. */
const asCode: ReadPart = (part, message) => {
  addToolCall(message, { id: textOf(part.id) ?? null, name: CODE_EXECUTION, arguments: toText(part) });
};
const CODE_EXECUTION = "code_execution";
const RAN = new Set<unknown>([undefined, null, "OUTCOME_OK", 1]);

const asCodeResult: ReadPart = (part, _message, toolResults) => {
  const result = textPart(textOf(part.output) ?? "");
  toolResults.push({
    ...plainMessage("tool", [RAN.has(part.outcome) ? result : { ...result, isError: true }]),
    toolCallId: textOf(part.id) ?? null,
  });
};

/** The AI SDK's `tool-error`: the call stands in a part of its own. */
const asToolError: ReadPart = (part, ...into) => asToolResult({ ...part, result: part.error, isError: true }, ...into);

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
  ["tool-error", asToolError],
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
  ["toolCall", (part, ...into) => asToolCall(part.toolCall as Sent, ...into)],
  ["executableCode", (part, ...into) => asCode(part.executableCode as Sent, ...into)],
  ["executable_code", (part, ...into) => asCode(part.executable_code as Sent, ...into)],
  ["codeExecutionResult", (part, ...into) => asCodeResult(part.codeExecutionResult as Sent, ...into)],
  ["code_execution_result", (part, ...into) => asCodeResult(part.code_execution_result as Sent, ...into)],
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
  (readerOf(part) ?? asSent)(part, message, toolResults);
}

/** Reads the parts of a message. The results of the tools that an assistant's parts call stand between these. */
export function readParts(parts: readonly unknown[], message: PlainMessage): PlainMessage[] {
  if (message.role !== "assistant") {
    const toolResults: PlainMessage[] = [];
    for (const part of parts) readPart(part, message, toolResults);
    return [...toolResults, message];
  }
  const messages = [message];
  let last = message;
  let toolResults: PlainMessage[] = [];
  for (const part of parts) {
    readPart(part, last, toolResults);
    if (toolResults.length === 0) continue;
    last = plainMessage(message.role);
    messages.push(...toolResults, last);
    toolResults = [];
  }
  return messages;
}

function readerOf(part: Sent): ReadPart | undefined {
  if (typeof part.type !== "string") return readByName(part);
  return BY_TYPE.get(part.type) ?? (isHostedTool(part) ? asHostedTool : undefined);
}

/** Whether a value has a type, which is not that of any part that is read. */
export const isUnknownPart = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as Sent).type === "string" && !areParts([value]);

function readByName(part: Sent): ReadPart | undefined {
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
        return readerOf(part) !== undefined || part.type.startsWith("image") || part.type === "file";
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
