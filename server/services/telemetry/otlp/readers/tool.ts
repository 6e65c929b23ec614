import { CONVENTIONS } from "../conventions";
import { CLAUDE_CODE } from "../conventions/anthropic";
import { GENERIC } from "../conventions/generic";
import { LIVEKIT } from "../conventions/livekit";
import { OPENINFERENCE } from "../conventions/openinference";
import { OPENLLMETRY } from "../conventions/openllmetry";
import { OPENTELEMETRY } from "../conventions/opentelemetry";
import { VERCEL_AI_SDK } from "../conventions/vercel-ai-sdk";
import { readMessages } from "../messages/read-messages";
import type { AttributeValue } from "../types";
import { parseJson, toText } from "./json-text";
import { sourcesOf } from "./precedence";
import { firstOf, objectIn, textOf } from "./reader";
import type { SpanView } from "./span-view";

export const TOOL_NAME = sourcesOf("toolName", {
  first: [OPENTELEMETRY, OPENINFERENCE, VERCEL_AI_SDK, OPENLLMETRY, CLAUDE_CODE],
});

export const TOOL_CALL_ID = sourcesOf("toolCallId", { first: [OPENTELEMETRY, VERCEL_AI_SDK, LIVEKIT] });

/** Names that many use come after those that say whose they are. */
const SHARED_LAST = { last: [OPENINFERENCE, GENERIC] };

export const TOOL_ARGUMENTS = sourcesOf("toolArguments", SHARED_LAST);

export const TOOL_RESULT = sourcesOf("toolResult", SHARED_LAST);

const EVENTS = sourcesOf("toolEvents");
/** Events that hold a tool's arguments or result. */
export const TOOL_EVENTS: readonly string[] = EVENTS.flatMap((events) => Object.values(events));

/** Facts about a tool call from its span. Texts are as sent; structured values become JSON text. */
export type ToolFacts = { callId: string | null; name: string; arguments: string | null; result: string | null };

/** What clients put around a tool's name in its span's name. */
const AROUND_NAME = new RegExp(
  CONVENTIONS.flatMap((convention) => convention.aroundToolName?.source ?? []).join("|"),
  "g",
);

export function readTool(view: SpanView): ToolFacts {
  const { attributes, span } = view;
  const given = firstOf(TOOL_ARGUMENTS, attributes);
  const result = firstOf(TOOL_RESULT, attributes);
  return {
    callId: firstOf(TOOL_CALL_ID, attributes) ?? null,
    name: firstOf(TOOL_NAME, attributes) ?? (span.name.replace(AROUND_NAME, "") || span.name),
    arguments: given === undefined ? fromEvent(view, "arguments") : plainText(given),
    result: result === undefined ? fromEvent(view, "result") : resultText(result),
  };
}

function fromEvent(view: SpanView, field: "arguments" | "result"): string | null {
  const event = view.events.find(({ name }) => EVENTS.some((events) => events[field] === name));
  if (!event) return null;
  const { content, output, message } = { ...objectIn(event.body), ...event.attributes };
  const whole = content ?? output;
  if (whole !== undefined) return toText(whole);
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
