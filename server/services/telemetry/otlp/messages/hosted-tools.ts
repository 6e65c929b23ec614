import type { MessageToolCall } from "../../schemas";
import { toText } from "../readers/json-text";
import { textOf } from "../readers/reader";
import { type PlainMessage, plainMessage, textPart } from "./plain-message";
import { toolResultCallId, toolResultPartsOf } from "./tool-values";

type Sent = Readonly<Record<string, unknown>>;

/** How a tool that the provider itself runs is sent: as one item with its arguments and, once it has run, its result. */
type HostedTool = {
  /** The tool's name, for items that do not state it. */
  name: string;
  /** Fields of the arguments: the first that is text or an object is all of them; if `named`, the present ones together. */
  arguments: readonly string[];
  named?: boolean;
  /** Fields of the result; the first that is present counts. */
  result: readonly string[];
};

/** Items of OpenAI's Responses API, by type. */
const RESPONSES_CALLS: Readonly<Record<string, HostedTool>> = {
  web_search_call: { name: "web_search", arguments: ["action"], result: ["results"] },
  file_search_call: { name: "file_search", arguments: ["queries"], named: true, result: ["results"] },
  code_interpreter_call: { name: "code_interpreter", arguments: ["code"], named: true, result: ["outputs"] },
  computer_call: { name: "computer", arguments: ["action", "actions"], result: [] },
  image_generation_call: {
    name: "image_generation",
    arguments: ["revised_prompt", "size", "quality", "background"],
    named: true,
    result: ["result"],
  },
  mcp_call: { name: "mcp", arguments: ["arguments"], result: ["output", "error"] },
  mcp_approval_request: { name: "mcp", arguments: ["arguments"], result: [] },
  local_shell_call: { name: "local_shell", arguments: ["action"], result: [] },
  shell_call: { name: "shell", arguments: ["action"], result: [] },
  apply_patch_call: { name: "apply_patch", arguments: ["operation"], result: [] },
  custom_tool_call: { name: "custom_tool", arguments: ["input"], result: [] },
  tool_search_call: { name: "tool_search", arguments: ["arguments"], result: [] },
};

/** Results that are items of their own. */
const RESPONSES_OUTPUTS = new Set([
  "computer_call_output",
  "local_shell_call_output",
  "shell_call_output",
  "apply_patch_call_output",
  "custom_tool_call_output",
  "tool_search_output",
]);

/** Anthropic has a type for each tool's results, which name their call: `web_search_tool_result`, `mcp_tool_result`. */
const ANTHROPIC_USE = /^[a-z]+_tool_use$/;
const ANTHROPIC_RESULT = /^[a-z_]+_tool_result$/;

type Hosted = { call: MessageToolCall | null; result: PlainMessage | null };

/** Returns the call and the result that an item holds, if it is one of a tool that the provider runs. */
export function hostedToolOf(item: Sent): Hosted | undefined {
  const { type } = item;
  if (typeof type !== "string") return undefined;
  const tool = Object.hasOwn(RESPONSES_CALLS, type) ? RESPONSES_CALLS[type] : undefined;
  if (tool) return ofResponses(item, tool);
  if (RESPONSES_OUTPUTS.has(type))
    return { call: null, result: resultMessage(item, resultOf(item.output ?? item.tools)) };
  if (type === "server_tool_call") return { call: ofOpenTelemetry(item), result: null };
  if (type === "server_tool_call_response")
    return { call: null, result: resultMessage(item, resultOf(item.server_tool_call_response ?? item.response)) };
  if (ANTHROPIC_USE.test(type) && typeof item.name === "string")
    return { call: { id: idOf(item.id), name: item.name, arguments: argumentsOf(item.input) }, result: null };
  if (ANTHROPIC_RESULT.test(type) && "tool_use_id" in item) return { call: null, result: ofAnthropic(item) };
  return isUiTool(type, item) ? ofUi(type, item) : undefined;
}

/** Whether an item's type is that of a tool that the provider runs. */
export const isHostedTool = (item: unknown): boolean =>
  typeof item === "object" &&
  item !== null &&
  mayBeHosted((item as Sent).type) &&
  hostedToolOf(item as Sent) !== undefined;

/** Types that clients send, and whether one can be a hosted tool's. Most are "text", which is asked of every part. */
const TYPES = new Map<unknown, boolean>();
const TYPES_MAX = 500;

function mayBeHosted(type: unknown): boolean {
  let may = TYPES.get(type);
  if (may !== undefined) return may;
  may =
    typeof type === "string" &&
    (/_call|_request|_tool_|_output$/.test(type) || type.startsWith("tool-") || type === "dynamic-tool");
  if (TYPES.size >= TYPES_MAX) TYPES.clear();
  if (typeof type !== "string" || type.length < 100) TYPES.set(type, may);
  return may;
}

const idOf = (value: unknown) => textOf(value) ?? null;
const argumentsOf = (value: unknown) => (value === undefined || value === null ? "" : toText(value));

function ofResponses(item: Sent, tool: HostedTool): Hosted {
  // A call that needed approval has the id of the request: both are one call.
  const id = idOf(item.approval_request_id ?? item.call_id ?? item.id);
  const given = tool.arguments.filter((name) => item[name] !== undefined && item[name] !== null);
  const [first] = given;
  const all = tool.named ? Object.fromEntries(given.map((name) => [name, item[name]])) : first && item[first];
  const call = {
    id,
    name: textOf(item.name) ?? tool.name,
    arguments: first === undefined ? "" : argumentsOf(all),
  };
  const held = tool.result.find((name) => item[name] !== undefined && item[name] !== null);
  if (held === undefined) return { call, result: null };
  const parts = held === "result" ? [{ type: "image", image: item[held] }] : resultOf(item[held]);
  const failed = held === "error" || item.status === "failed";
  return { call, result: resultMessage({ call_id: id }, failed ? flagged(parts) : parts) };
}

/** `{type: "server_tool_call", id, name, server_tool_call: {type, …}}`. */
function ofOpenTelemetry(item: Sent): MessageToolCall {
  const held = item.server_tool_call ?? item.arguments;
  const type = typeof held === "object" && held !== null ? textOf((held as Sent).type) : undefined;
  return { id: idOf(item.id), name: textOf(item.name) ?? type ?? "server_tool", arguments: argumentsOf(held) };
}

function ofAnthropic(item: Sent): PlainMessage {
  const { content } = item;
  const type = typeof content === "object" && content !== null ? textOf((content as Sent).type) : undefined;
  const parts = resultOf(content);
  return resultMessage(item, item.is_error === true || type?.endsWith("_error") ? flagged(parts) : parts);
}

/** A tool's part in a message of the AI SDK's user interface: `{type: "tool-search", toolCallId, state, input, output}`. */
const isUiTool = (type: string, item: Sent) =>
  (type.startsWith("tool-") || type === "dynamic-tool") && "toolCallId" in item && typeof item.state === "string";

function ofUi(type: string, item: Sent): Hosted {
  const id = idOf(item.toolCallId);
  const name = textOf(item.toolName) ?? type.slice("tool-".length);
  const held = item.output ?? item.errorText;
  const parts = held === undefined || held === null ? undefined : resultOf(held);
  return {
    call: { id, name, arguments: argumentsOf(item.input ?? item.rawInput) },
    result: parts ? resultMessage({ call_id: id }, item.output === undefined ? flagged(parts) : parts) : null,
  };
}

const resultMessage = (item: Sent, parts: PlainMessage["parts"]): PlainMessage => ({
  ...plainMessage("tool", parts),
  toolCallId: toolResultCallId(item),
});

const flagged = (parts: PlainMessage["parts"]) => parts.map((part) => ({ ...part, isError: true }));

/** Returns a result as text, unless it is text in parts; a code interpreter's logs are its text. */
function resultOf(result: unknown): PlainMessage["parts"] {
  if (result === undefined || result === null) return [];
  if (!Array.isArray(result)) return [textPart(toText(result))];
  const texts = result.map(textIn);
  if (texts.every((text) => text !== undefined)) return texts.map(textPart);
  const media = result.every((part) => textIn(part) !== undefined || MEDIA.has((part as Sent | null)?.type));
  return media && result.length > 0 ? toolResultPartsOf({ result }) : [textPart(toText(result))];
}

const MEDIA = new Set<unknown>(["image", "input_image", "computer_screenshot", "file"]);

function textIn(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, text, logs } = part as Sent;
  if (type === "logs") return textOf(logs);
  return type === "text" || type === "output_text" || type === "input_text" ? textOf(text) : undefined;
}
