import { isExactNumber } from "@/server/platform/json/exact-json";
import { indexed, parseJson, toText, unwrapList } from "../readers/json-text";
import type { ItemReading, SharedItem, SharedList } from "../shared-items";
import { isHostedTool } from "./hosted-tools";
import { areParts, isUnknownPart, readPart, readParts } from "./parts";
import { addToolCall, hasCall, isEmpty, type PlainMessage, plainMessage, textPart } from "./plain-message";
import { roleOf, roleOfType } from "./roles";
import { toolCallOf, toolCallsOf, toolResultCallId, toolResultPartsOf } from "./tool-values";

type Sent = Readonly<Record<string, unknown>>;

/** Bounds recursion; no client nests messages deeper. */
const MAX_ENVELOPE_DEPTH = 8;

const isSent = (value: unknown): value is Sent =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/**
 * Reads the messages of a value in any of the shapes that clients send: a list of messages (OpenAI, Anthropic, Gemini, AI SDK, LangChain,
 * Bedrock, OpenTelemetry), a list of parts, a request or response that holds them, JSON text of those, or plain text.
 * @param role the role of messages without one
 */
export function readMessages(value: unknown, role: string): PlainMessage[] {
  return joinPieces(read(value, role, 0).filter((message) => !isEmpty(message)));
}

/**
 * Reads the messages of a list of shared items as `readMessages` would read its value or text, but parses each item only once.
 * Returns `undefined` if the interpretation of an item depends on the others.
 */
export function readSharedList({ items, isText }: SharedList, role: string): PlainMessage[] | undefined {
  const depth = isText ? 2 : 1;
  return joinReadings(
    items.map((item) => item.reading(`${role} ${depth}`, ({ text }) => readItem(parseJson(text, 1), role, depth))),
  );
}

/** Does the same for a list of shared items that is flattened into attributes; `made` builds an item from its attributes. */
export function readSharedFamily(
  { items }: SharedList,
  role: string,
  made: (item: SharedItem) => unknown,
): PlainMessage[] | undefined {
  return joinReadings(items.map((item) => item.reading(`${role} flattened`, () => readItem(made(item), role, 1))));
}

function joinReadings(readings: readonly ItemReading[]): PlainMessage[] | undefined {
  if (readings.includes(null) || !readings.some((reading) => reading?.isMessage)) return undefined;
  return joinPieces(readings.flatMap((reading) => reading?.messages ?? []));
}

function readItem(item: unknown, role: string, depth: number): ItemReading {
  if (item === undefined) return null;
  const messages = read(item, role, depth).filter((message) => !isEmpty(message));
  for (const message of messages)
    for (const shared of [message, message.parts, message.toolCalls]) Object.freeze(shared);
  return { isMessage: isMessage(item), messages };
}

function read(value: unknown, role: string, depth: number): PlainMessage[] {
  if (value === undefined || value === null || depth > MAX_ENVELOPE_DEPTH) return [];
  if (typeof value === "string") {
    const parsed = parseJson(value);
    if (parsed !== undefined && typeof parsed !== "string") return read(parsed, role, depth + 1);
    return [plainMessage(role, textParts(parsed ?? value))];
  }
  const list = isSent(value) && "role" in value ? undefined : unwrapList(value);
  if (list) return readList(list, role, depth);
  if (isSent(value)) return readObject(value, role, depth);
  return [plainMessage(role, textParts(toText(value)))];
}

function readList(list: readonly unknown[], role: string, depth: number): PlainMessage[] {
  if (list.some(isMessage)) return list.flatMap((item) => readListItem(item, role, depth + 1));
  if (list.every(Array.isArray)) return list.flatMap((item) => read(item, role, depth + 1)); // LangChain's batches
  if (list.every((item) => typeof item === "string" || areParts([item]))) return partsMessage(list, role);
  if (list.every(isPart) && list.some((item) => areParts([item]))) return partsMessage(list, role);
  return list.flatMap((item) => readListItem(item, role, depth + 1));
}

const isPart = (item: unknown) => typeof item === "string" || areParts([item]) || isUnknownItem(item);

/** The role of what neither the user nor the assistant said, nor a tool returned. */
const NOBODY = "other";

/** Reads an item of a list. One of an unknown type is nobody's words, whatever texts it contains. */
const readListItem = (item: unknown, role: string, depth: number): PlainMessage[] =>
  isUnknownItem(item) && !isMessage(item) ? partsMessage([item], NOBODY) : read(item, role, depth);

/** LangChain's types of objects that hold messages. */
const CONTAINERS = /^(?:Chat)?Generation(?:Chunk)?$|^(?:LLMResult|constructor)$/;

const isUnknownItem = (item: unknown): boolean => isUnknownPart(item) && !CONTAINERS.test(String((item as Sent).type));

function isMessage(value: unknown): boolean {
  if (!isSent(value)) return false;
  return (
    "role" in value ||
    isSent(value.message) ||
    roleOfType(value.type) !== undefined ||
    value.type === "message" ||
    isConstructor(value) ||
    isHostedTool(value)
  );
}

function partsMessage(parts: readonly unknown[], role: string): PlainMessage[] {
  return readParts(parts, plainMessage(role));
}

/** Fields under which objects hold messages. The first field that an object has decides. */
const ENVELOPES: readonly (readonly [
  name: string,
  open: (sent: Sent, role: string, depth: number) => PlainMessage[],
])[] = [
  ["messages", (sent, role, depth) => [...systemOf(sent), ...read(sent.messages, role, depth)]],
  [
    "contents",
    (sent, role, depth) => [...systemOf(isSent(sent.config) ? sent.config : sent), ...read(sent.contents, role, depth)],
  ],
  ["choices", (sent, _role, depth) => read(sent.choices, "assistant", depth)],
  ["candidates", (sent, _role, depth) => read(sent.candidates, "assistant", depth)],
  ["generations", (sent, _role, depth) => read(sent.generations, "assistant", depth)],
  ["message", (sent, role, depth) => read(sent.message, role, depth)],
  ["args", (sent, role, depth) => read(firstArgument(sent), role, depth)],
  ["update", (sent, role, depth) => read(sent.update, role, depth)],
  ["input", (sent, role, depth) => [...systemOf(sent), ...read(sent.input, role, depth)]],
  ["inputs", (sent, role, depth) => read(sent.inputs, role, depth)],
  ["outputs", (sent, role, depth) => read(sent.outputs, role, depth)],
  ["output", (sent, role, depth) => read(sent.output, role, depth)],
  ["prompt", (sent, role, depth) => [...systemOf(sent), ...read(sent.prompt, role, depth)]],
  ["question", (sent, role, depth) => read(sent.question, role, depth)],
  ["query", (sent, role, depth) => read(sent.query, role, depth)],
  ["answer", (sent, role, depth) => read(sent.answer, role, depth)],
  ["value", (sent, role, depth) => read(sent.value, role, depth)],
];

function readObject(sent: Sent, role: string, depth: number): PlainMessage[] {
  if (sent.type === "function_call") return withToolCalls(plainMessage("assistant"), [sent]);
  if (sent.type === "function_call_output") return [toolResultMessage(sent)];
  if (sent.type === "reasoning" || isHostedTool(sent)) return partsMessage([sent], "assistant");
  if (isConstructor(sent)) return readConstructor(sent, role, depth);
  if (isSent(sent.data) && roleOfType(sent.type))
    return read({ ...sent.data, role: roleOfType(sent.type) }, role, depth + 1);
  if (isMessageBody(sent)) return readMessage(sent, role);
  // Gemini: {content: {role, parts}}
  if (isSent(sent.content) && ("parts" in sent.content || "role" in sent.content))
    return read(sent.content, "assistant", depth + 1);
  for (const [name, open] of ENVELOPES) {
    const held = sent[name];
    if (held !== undefined && held !== null) return open(sent, role, depth + 1);
  }
  if (areParts([sent])) return partsMessage([sent], role);
  return [plainMessage(role, textParts(toText(sent)))];
}

function isMessageBody(sent: Sent): boolean {
  if (isSent(sent.message)) return false;
  if (typeof sent.role === "string") return true;
  if (Array.isArray(sent.parts) || "tool_calls" in sent || "function_call" in sent || "tool_call_id" in sent)
    return true;
  if (typeof sent.content === "string" || Array.isArray(sent.content)) return true;
  if (typeof sent.contents === "object" && sent.contents !== null && !Array.isArray(sent.contents)) return true; // flattened
  return typeof sent.text === "string" && !("type" in sent);
}

/** Reads one message of any vendor. Tool results inside it become separate messages before it. */
function readMessage(sent: Sent, defaultRole: string): PlainMessage[] {
  const role = roleOf(sent.role) ?? roleOfType(sent.type) ?? defaultRole;
  if (role === "tool") return readToolMessage(sent);
  const message = plainMessage(role);
  if (typeof sent.reasoning_content === "string")
    message.parts.push({ type: "reasoning", text: sent.reasoning_content });
  const content = contentOf(sent.parts ?? sent.content ?? sent.contents ?? sent.text);
  const messages = readParts(content, message);
  // OpenInference sends `content` and `contents`
  if (message.parts.length === 0 && sent.contents !== undefined && sent.content !== undefined)
    messages.push(...readParts(contentOf(sent.contents), message).filter((said) => said !== message));
  const calls = sent.tool_calls ?? sent.toolCalls;
  if (calls !== undefined || sent.function_call !== undefined) addCalls(messages, sent, calls, message);
  return messages;
}

/** Adds the calls beside a message's content, except those that are in it. */
function addCalls(messages: readonly PlainMessage[], sent: Sent, calls: unknown, message: PlainMessage): void {
  const called = messages.flatMap(({ toolCalls }) => toolCalls);
  const last = messages.findLast((said) => said.role === message.role) ?? message;
  for (const call of toolCallsOf(calls)) if (!hasCall(called, call)) addToolCall(last, call);
  const single = toolCallOf(sent.function_call);
  if (single && messages.every(({ toolCalls }) => toolCalls.length === 0)) addToolCall(last, single);
}

function readToolMessage(sent: Sent): PlainMessage[] {
  const parts = Array.isArray(sent.parts) ? sent.parts : Array.isArray(sent.content) ? sent.content : undefined;
  if (parts) {
    const message = { ...plainMessage("tool"), toolCallId: toolResultCallId(sent) };
    const toolResults: PlainMessage[] = [];
    for (const part of parts) readPart(part, message, toolResults);
    return isEmpty(message) ? toolResults : [...toolResults, message];
  }
  // LangChain through Langfuse sends tool definitions as tool messages
  if (isSent(sent.content) && sent.content.type === "function") return [];
  const held = toolResultsInText(sent.content);
  return held ?? [toolResultMessage(sent)];
}

/** Strands writes a tool's message as JSON text of `[{toolResult: …}]`. */
function toolResultsInText(content: unknown): PlainMessage[] | undefined {
  if (typeof content !== "string" || !content.startsWith("[{")) return undefined;
  const list = parseJson(content);
  if (!Array.isArray(list) || !list.every((item) => isSent(item) && isSent(item.toolResult))) return undefined;
  return partsMessage(list, "tool").filter((message) => !isEmpty(message));
}

const toolResultMessage = (sent: Sent): PlainMessage => ({
  ...plainMessage("tool", toolResultPartsOf(sent)),
  toolCallId: toolResultCallId(sent),
});

/** Returns the parts of a message's content. */
function contentOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") {
    const parts = content.startsWith("[{") ? parseJson(content) : undefined;
    return Array.isArray(parts) && areParts(parts) ? parts : [content];
  }
  return Array.isArray(content) ? content : (indexed(content as Sent) ?? [content]);
}

function withToolCalls(message: PlainMessage, calls: readonly unknown[]): PlainMessage[] {
  for (const call of calls) {
    const read = toolCallOf(call);
    if (read) addToolCall(message, read);
  }
  return [message];
}

/** LangSmith leaves out what marks a serialised object. */
const isConstructor = (sent: Sent) =>
  sent.lc === 1 || (isSent(sent.kwargs) && "content" in sent.kwargs && !("args" in sent));

/** LangChain's serialised messages: `{lc: 1, id: […, "HumanMessage"], kwargs: {content}}`. */
function readConstructor(sent: Sent, role: string, depth: number): PlainMessage[] {
  if (!isSent(sent.kwargs)) return [];
  const className = Array.isArray(sent.id) ? sent.id.at(-1) : undefined;
  const implied = roleOfType(sent.kwargs.type) ?? roleOfType(className);
  return read({ ...sent.kwargs, role: implied ?? role }, role, depth + 1);
}

/** `{args: [[messages]], kwargs}`: the arguments of a traced function. */
const firstArgument = (sent: Sent): unknown => (Array.isArray(sent.args) ? sent.args[0] : sent.args);

const SYSTEM_NAMES = ["system", "instructions", "system_instruction", "systemInstruction"] as const;

function systemOf(sent: Sent): PlainMessage[] {
  for (const name of SYSTEM_NAMES) {
    const value = sent[name];
    if (value === undefined || value === null) continue;
    const message = plainMessage("system");
    for (const part of contentOf(isSent(value) && Array.isArray(value.parts) ? value.parts : value))
      readPart(part, message, []);
    return [message];
  }
  return [];
}

const textParts = (text: string) => (text === "" ? [] : [textPart(text)]);

/** Joins a response that is split over several messages (reasoning, then text, then each tool call). */
function joinPieces(messages: readonly PlainMessage[]): PlainMessage[] {
  const joined: PlainMessage[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (
      before &&
      message.role === "assistant" &&
      before.role === "assistant" &&
      (isReasoning(before) || message.parts.length === 0)
    )
      joined[joined.length - 1] = joinedWith(before, message);
    else joined.push(message);
  }
  return joined;
}

/** Returns a copy, because the messages of a shared item are used by others too. */
function joinedWith(before: PlainMessage, message: PlainMessage): PlainMessage {
  const both = { ...before, parts: [...before.parts, ...message.parts], toolCalls: [...before.toolCalls] };
  for (const call of message.toolCalls) addToolCall(both, call);
  return both;
}

const isReasoning = (message: PlainMessage) =>
  message.toolCalls.length === 0 && message.parts.every((part) => part.type === "reasoning");
