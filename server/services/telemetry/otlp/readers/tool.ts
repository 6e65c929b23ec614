import { readMessages } from "../messages/read-messages";
import type { AttributeValue } from "../types";
import { parseJson, toText } from "./json-text";
import { firstOf, jsonText, objectIn, type Reader, text, textOf, value } from "./reader";
import type { SpanView } from "./span-view";

export const TOOL_NAME: readonly Reader<string>[] = [
  text("gen_ai.tool.name"), // OpenTelemetry GenAI
  text("tool.name"), // OpenInference
  text("ai.toolCall.name"), // Vercel AI SDK
  text("traceloop.entity.name"),
  text("tool_name"), // Claude Code
  text("lk.function_tool.name"), // LiveKit
];

export const TOOL_CALL_ID: readonly Reader<string>[] = [
  text("gen_ai.tool.call.id"),
  text("tool_call.id"),
  text("ai.toolCall.id"),
  text("lk.function_tool.id"),
  text("tool.id"), // OpenInference
  jsonText("langfuse.observation.metadata.tool_call_id"),
];

export const TOOL_ARGUMENTS: readonly Reader<AttributeValue>[] = [
  value("gen_ai.tool.call.arguments"),
  value("ai.toolCall.args"),
  value("gen_ai.tool.args"), // OpenLIT
  value("gen_ai.tool.input"), // Sentry, Traceloop
  value("tool_arguments"), // Pydantic AI before its third version
  value("lk.pii.function_tool.arguments"), // LiveKit
  value("lk.function_tool.arguments"), // its older name
  value("traceloop.entity.input"),
  value("langfuse.observation.input"),
  value("gcp.vertex.agent.tool_call_args"),
  value("langwatch.input"),
  value("lmnr.span.input"),
  value("genkit:input"),
  value("mlflow.spanInputs"),
  value("input.value"),
  value("input"),
  value("tool.parameters"),
];

export const TOOL_RESULT: readonly Reader<AttributeValue>[] = [
  value("gen_ai.tool.call.result"),
  value("ai.toolCall.result"),
  value("gen_ai.tool.output"), // Sentry, Traceloop
  value("tool_response"), // Pydantic AI before its third version
  value("lk.pii.function_tool.output"),
  value("lk.function_tool.output"),
  value("traceloop.entity.output"),
  value("langfuse.observation.output"),
  value("gcp.vertex.agent.tool_response"),
  value("langwatch.output"),
  value("lmnr.span.output"),
  value("genkit:output"),
  value("mlflow.spanOutputs"),
  value("output.value"),
  value("output"),
];

const [ARGUMENTS_EVENT, RESULT_EVENT] = ["gen_ai.tool.message", "gen_ai.choice"];
/** Events that hold a tool's arguments or result. */
export const TOOL_EVENTS: readonly string[] = [ARGUMENTS_EVENT, RESULT_EVENT];

/** Facts about a tool call from its span. Texts are as sent; structured values become JSON text. */
export type ToolFacts = { callId: string | null; name: string; arguments: string | null; result: string | null };

/** Prefixes and suffixes that clients add to a tool's name in its span's name. */
const AROUND_NAME = /^(?:execute_tool |ai\.toolCall |running tool: )|\.tool$/g;

export function readTool(view: SpanView): ToolFacts {
  const { attributes, span } = view;
  const given = firstOf(TOOL_ARGUMENTS, attributes);
  const result = firstOf(TOOL_RESULT, attributes);
  return {
    callId: firstOf(TOOL_CALL_ID, attributes) ?? null,
    name: firstOf(TOOL_NAME, attributes) ?? (span.name.replace(AROUND_NAME, "") || span.name),
    arguments: given === undefined ? fromEvent(view, ARGUMENTS_EVENT) : plainText(given),
    result: result === undefined ? fromEvent(view, RESULT_EVENT) : resultText(result),
  };
}

/** Strands sends a tool's arguments and result as events of its span. */
function fromEvent(view: SpanView, name: string): string | null {
  const event = view.events.find((candidate) => candidate.name === name);
  if (!event) return null;
  const { content, message } = { ...objectIn(event.body), ...event.attributes };
  if (content !== undefined) return toText(content);
  const texts = readMessages(message, "tool").flatMap(({ parts }) => parts.map((part) => textOf(part.text) ?? ""));
  return texts.length > 0 ? texts.join("\n") : null;
}

/** Unquotes text that was sent as a JSON string; other JSON stays as sent. */
function plainText(sent: AttributeValue): string {
  if (typeof sent === "string" && sent.startsWith('"')) return textOf(parseJson(sent)) ?? sent;
  return toText(sent);
}

/** Unwraps a result: LangWatch wraps it as `{type, value}`, LangChain as a tool message with `content`. */
function resultText(sent: AttributeValue): string {
  const object = typeof sent === "string" && !sent.startsWith("{") ? undefined : objectIn(sent);
  if (object && typeof object.type === "string") {
    if ("value" in object && Object.keys(object).length === 2) return toText(object.value);
    const message = object.type === "tool" ? (objectIn(object.data) ?? object) : {};
    if ("content" in message) return toText(message.content);
  }
  return plainText(sent);
}
