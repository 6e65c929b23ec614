import { parseExactJson } from "@/server/platform/json/exact-json";
import { ownValue } from "@/server/platform/json/own-value";
import { parseRow } from "./parse-row";
import { isRecord } from "./table";
import type { ChatMessage, ToolCall } from "./types";

/** Thrown if a value cannot be read as part of a chat; the message says which part and why. */
export class NotAChat extends Error {
  override name = "NotAChat";
}

/** Receives a note about a part of a row that a reader could not keep. */
export type Notes = (message: string) => void;

/** Role names of ShareGPT and others. */
const ROLE_OF: Readonly<Record<string, string>> = {
  human: "user",
  prompter: "user",
  gpt: "assistant",
  chatgpt: "assistant",
  bot: "assistant",
  model: "assistant",
  ai: "assistant",
  observation: "tool",
  function: "tool",
  function_response: "tool",
  tool_response: "tool",
  ipython: "tool",
};
/** Roles of chat/v1. */
const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool"]);
const ROLE_CHARACTERS = 40;
/** ShareGPT writes a call as a separate message whose text is JSON. */
const CALL_ROLES = new Set(["function_call", "tool_call"]);

const MESSAGE_KEYS = new Set([
  "role",
  "content",
  "name",
  "tool_calls",
  "tool_call_id",
  "function_call",
  "weight",
  "from",
  "value",
]);

const present = (value: unknown) => value !== null && value !== undefined;
const isEmpty = (value: unknown) =>
  !present(value) || value === "" || (Array.isArray(value) && value.length === 0) || value === false;

/** Returns text from a string or OpenAI's content parts. */
function textOf(content: unknown, where: string): string | null {
  if (typeof content === "string") return content;
  if (!present(content)) return null;
  if (!Array.isArray(content)) throw new NotAChat(`${where}: the content is ${kindOf(content)}, not text`);
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const text = isRecord(part) ? (part.text ?? part.refusal) : undefined;
      if (typeof text === "string") return text;
      const type = isRecord(part) && typeof part.type === "string" ? part.type : kindOf(part);
      throw new NotAChat(`${where}: the content has a part that is not text (${type})`);
    })
    .join("");
}

/** Returns what a value is, for use in a message. */
export const kindOf = (value: unknown) => {
  if (value === null || value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (!isRecord(value)) return `a ${typeof value}`;
  const keys = Object.keys(value).slice(0, 5);
  return keys.length === 0 ? "an empty object" : `an object of ${keys.join(", ")}`;
};

/** Calls that no `tool` message has referred to yet, for files whose results do not name their call. */
type OpenCalls = { pending: ToolCall[]; count: number };

function callOf(value: unknown, where: string, open: OpenCalls): ToolCall {
  const called = isRecord(value) && isRecord(value.function) ? value.function : value;
  if (!isRecord(called) || typeof called.name !== "string") {
    throw new NotAChat(`${where}: a tool call has no function name`);
  }
  const given = called.arguments ?? {};
  const id = isRecord(value) && typeof value.id === "string" && value.id !== "" ? value.id : `call_${++open.count}`;
  return {
    id,
    type: "function",
    function: { name: called.name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
  };
}

function callsOf(message: Record<string, unknown>, where: string, open: OpenCalls): ToolCall[] {
  const { tool_calls: calls, function_call: legacy } = message;
  if (!isEmpty(calls)) {
    if (!Array.isArray(calls)) throw new NotAChat(`${where}: tool_calls is ${kindOf(calls)}, not a list`);
    return calls.map((call) => callOf(call, where, open));
  }
  return isRecord(legacy) ? [callOf(legacy, where, open)] : [];
}

function callText(text: string | null, where: string): Record<string, unknown>[] {
  try {
    const value = parseRow(text ?? "");
    const calls: unknown[] = Array.isArray(value) ? value : [value];
    if (calls.every(isRecord)) return calls;
  } catch {
    // Reported by the error below.
  }
  throw new NotAChat(`${where}: a call is not JSON`);
}

/**
 * Returns the id of the call that a result belongs to: the one that it names, otherwise the first without a result. OpenPipe's
 * calls have no ids; its results name the function instead.
 */
function callIdOf({ tool_call_id: id, name }: Record<string, unknown>, open: OpenCalls): string {
  const given = typeof id === "string" ? id : "";
  const byId = open.pending.findIndex((call) => call.id === given);
  const byName = open.pending.findIndex((call) => call.function.name === (given || name));
  const found = byId >= 0 ? byId : byName;
  if (found < 0 && given !== "") return given;
  return open.pending.splice(Math.max(found, 0), 1)[0]?.id ?? "";
}

function messageOf(value: unknown, where: string, open: OpenCalls, note: Notes): ChatMessage {
  if (!isRecord(value)) throw new NotAChat(`${where}: is ${kindOf(value)}, not a message`);
  const named = value.role ?? value.from;
  if (typeof named !== "string" || named.trim() === "") throw new NotAChat(`${where}: has no role`);
  const speaker = named.trim().toLowerCase();
  for (const key of Object.keys(value)) {
    if (!MESSAGE_KEYS.has(key) && !isEmpty(value[key])) note(`“${key}” of a message is ignored`);
  }
  const text = textOf(value.content ?? value.value, where);
  const name = typeof value.name === "string" && value.name !== "" ? { name: value.name } : {};
  if (CALL_ROLES.has(speaker)) {
    const calls = callText(text, where).map((call) => callOf(call, where, open));
    open.pending.push(...calls);
    return { role: "assistant", content: null, tool_calls: calls };
  }
  const role = ownValue(ROLE_OF, speaker) ?? speaker;
  if (!ROLES.has(role)) {
    throw new NotAChat(
      `${where}: has the unknown role “${named.slice(0, ROLE_CHARACTERS)}” (${[...ROLES].join(", ")} are known)`,
    );
  }
  if (role === "tool") return { role, content: text ?? "", tool_call_id: callIdOf(value, open), ...name };
  const calls = role === "assistant" ? callsOf(value, where, open) : [];
  if (calls.length > 0) {
    open.pending = [...calls];
    return { role, content: text, ...name, tool_calls: calls };
  }
  if (text === null && role !== "assistant") throw new NotAChat(`${where}: has no content`);
  return { role, content: text, ...name };
}

export type ReadMessage = { message: ChatMessage; weight?: unknown };

/** Converts a list of messages in OpenAI's or ShareGPT's form to chat/v1. */
export function messagesOf(values: readonly unknown[], where: string, note: Notes): ReadMessage[] {
  const open: OpenCalls = { pending: [], count: 0 };
  return values.map((value, index) => {
    const message = messageOf(value, `${where}[${index}]`, open, note);
    return isRecord(value) && present(value.weight) ? { message, weight: value.weight } : { message };
  });
}

const looksLikeMessage = (value: unknown) => isRecord(value) && ("role" in value || "from" in value);

/** Returns whether a value parsed from a cell is a chat, or part of one, rather than a string that happens to be JSON. */
export function looksLikeChat(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(looksLikeMessage);
  if (!isRecord(value)) return false;
  if (looksLikeMessage(value)) return true;
  return Array.isArray(value.messages) || isRecord(value.message) || Array.isArray(value.choices);
}

/** Returns tools in OpenAI's form; a bare function, as in its older `functions`, is wrapped. */
export function toolsOf(value: unknown, where: string): unknown[] {
  const tools = typeof value === "string" ? (parsed(value, where) ?? []) : value;
  if (!Array.isArray(tools)) throw new NotAChat(`${where}: is ${kindOf(tools)}, not a list of tools`);
  return tools.map((tool: unknown) => {
    const given: unknown = typeof tool === "string" ? parsed(tool, where) : tool;
    return isRecord(given) && !("function" in given) && typeof given.name === "string"
      ? { type: "function", function: given }
      : given;
  });
}

function parsed(text: string, where: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw new NotAChat(`${where}: is not JSON`);
  }
}
