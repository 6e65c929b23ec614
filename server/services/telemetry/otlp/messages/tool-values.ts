import { isExactNumber } from "@/server/platform/json/exact-json";
import type { MessagePart, MessageToolCall } from "../../schemas";
import { parseJson, plainDeep, toText, unwrapList } from "../readers/json-text";
import { textOf } from "../readers/reader";
import { textPart } from "./plain-message";

type Sent = Readonly<Record<string, unknown>>;

const isSent = (value: unknown): value is Sent =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/** Reads a tool call in any of its spellings. */
export function toolCallOf(value: unknown): MessageToolCall | undefined {
  if (!isSent(value)) return undefined;
  if (isSent(value.tool_call)) return toolCallOf(value.tool_call);
  const called = [value.function, value.custom].find(isSent) ?? value;
  const name = textOf(called.name) ?? textOf(value.toolName) ?? textOf(value.tool_name) ?? textOf(value.toolType);
  if (name === undefined) return undefined;
  const id = value.id ?? value.toolCallId ?? value.tool_call_id ?? value.toolUseId ?? value.call_id ?? value.ref;
  const given =
    called.arguments ??
    value.args ??
    value.input ??
    value.partial_json ??
    called.args ??
    called.parameters ??
    called.input;
  return { id: textOf(id) ?? null, name, arguments: given === undefined || given === null ? "" : toText(given) };
}

/** Reads tool calls of a list, of JSON text of one, or of flattened indices. */
export function toolCallsOf(value: unknown): MessageToolCall[] {
  const list = unwrapList(parseJson(value));
  return (list ?? []).map(toolCallOf).filter((call) => call !== undefined);
}

/** Returns the id of the call that a tool's result belongs to. */
export function toolResultCallId(value: Sent): string | null {
  return (
    textOf(
      value.tool_call_id ??
        value.toolCallId ??
        value.tool_use_id ??
        value.toolUseId ??
        value.call_id ??
        value.id ??
        value.ref,
    ) ?? null
  );
}

/** Reads a tool's result, under any of the names that clients use, as parts. */
export function toolResultPartsOf(value: Sent): MessagePart[] {
  let result = value.response ?? value.result ?? value.output ?? value.content ?? value.tool_response;
  // AI SDK 5 wraps: {type: "json", value: …}
  if (isSent(result) && typeof result.type === "string" && "value" in result) result = result.value;
  const failed = value.is_error === true || value.isError === true || value.status === "error";
  const parts = resultParts(result);
  return failed ? parts.map((part) => ({ ...part, isError: true })) : parts;
}

function resultParts(result: unknown): MessagePart[] {
  if (result === undefined || result === null) return [];
  if (Array.isArray(result) && result.length > 0 && result.every(isResultPart)) {
    return result.map((part) => {
      const text = textOf(part.text) ?? textOf(part.type === "logs" ? part.logs : part.type === "text" && part.content);
      if (text !== undefined) return textPart(text);
      return "json" in part
        ? textPart(toText(part.json))
        : (plainDeep({ ...part, type: String(part.type) }) as MessagePart);
    });
  }
  return [textPart(toText(result))];
}

function isResultPart(part: unknown): part is Sent {
  return isSent(part) && (typeof part.text === "string" || "json" in part || typeof part.type === "string");
}
