import { ownValue } from "@/server/platform/json/own-value";
import { cleanText } from "./clean-text";
import { kindOf, looksLikeChat, messagesOf, NotAChat, type Notes, type ReadMessage, toolsOf } from "./messages";
import { parseRow } from "./parse-row";
import type { FileKind, Role, Shape, Split } from "./schemas";
import type { Recognized } from "./shapes";
import { type FileRow, isRecord } from "./table";
import type { ChatMessage, Draft, DraftPayload } from "./types";

/** A row's values for each role. Two columns may share one. */
type Parts = Partial<Record<Role, unknown[]>>;

const SPLIT_OF: Readonly<Record<string, Split>> = {
  train: "train",
  training: "train",
  validation: "validation",
  valid: "validation",
  val: "validation",
  dev: "validation",
  eval: "validation",
  test: "test",
  testing: "test",
};
/**
 * In a cell, and in Langfuse's exports, strings in these roles are parsed as JSON if they look like a chat; elsewhere they stay
 * strings.
 */
const CHAT_ROLES: ReadonlySet<Role> = new Set(["messages", "input", "expectedOutput", "rejectedOutput"]);

function json(text: string): unknown {
  try {
    return parseRow(text);
  } catch {
    return undefined;
  }
}

type Unwrap = (cell: string) => string;

const unquoted: Unwrap = (cell) => (cell.startsWith('"') ? String(json(cell) ?? cell) : cell);
const unguarded: Unwrap = (cell) => cell.replace(/^'(?=['=+\-@\t\r])/, "");
const isJson = (cell: unknown) => typeof cell !== "string" || cell === "" || json(cell) !== undefined;

/** How the cells of a format's CSV wrap their text. */
const UNWRAP: Partial<Record<Shape, (values: Record<string, unknown>) => Unwrap | undefined>> = {
  // Before 3.157 Langfuse wrote every cell as JSON. Since then text is written verbatim, including any quotes.
  langfuse: (values) => (Object.values(values).every(isJson) ? unquoted : undefined),
  // Our own CSV protects cells against being run as formulas.
  table: () => unguarded,
};

function cellValue(cell: unknown, role: Role, unwrap: Unwrap | undefined): unknown {
  if (typeof cell !== "string") return cell;
  const content = unwrap ? unwrap(cell) : cell;
  if (/^\s*[[{]/.test(content) && CHAT_ROLES.has(role)) {
    const value = json(content);
    return looksLikeChat(value) ? value : content;
  }
  return role === "payload" || role === "source" ? (json(content) ?? content) : content;
}

/** Returns the warning that a key or column is ignored. */
export const notKept = (name: string) => `“${name}” is ignored: an Example has no field for it`;

const isAbsent = (value: unknown) => value === undefined || value === null || value === "";
/** Spaces in place of tools, a system prompt or a whole conversation say that there are none. */
const isBlank = (value: unknown) => isAbsent(value) || (typeof value === "string" && value.trim() === "");

/** A list or dictionary as Python prints it, where JSON is expected. */
const PRINTED_BY_PYTHON = /^\s*\[?\s*\{\s*'(?:role|from|content|value|messages)'\s*:/;

function partsOf(values: Record<string, unknown>, { mapping, shape }: Recognized, kind: FileKind, note: Notes): Parts {
  const parts: Parts = {};
  const unwrap = kind === "csv" ? UNWRAP[shape]?.(values) : undefined;
  // Langfuse stores the content of traces as strings, and exports it as strings even in JSON.
  const areTexts = kind === "csv" || kind === "parquet" || shape === "langfuse";
  for (const [name, given] of Object.entries(values)) {
    const role = ownValue(mapping, name) ?? "ignore";
    const value = areTexts ? cellValue(given, role, unwrap) : given;
    if (isAbsent(value)) continue;
    if (typeof value === "string" && CHAT_ROLES.has(role) && PRINTED_BY_PYTHON.test(value)) {
      throw new NotAChat(`${name}: is not JSON but a list as Python prints it; write it with json.dumps`);
    }
    if (role === "ignore") {
      note(notKept(name));
      continue;
    }
    const own = parts[role] ?? [];
    own.push(value);
    parts[role] = own;
  }
  return parts;
}

const only = (parts: Parts, role: Role): unknown => parts[role]?.[0];
const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : undefined);

type Context = { messages: ChatMessage[]; tools?: unknown[] };

/** Returns what precedes the answer; plain strings become user messages. */
function inputOf(values: readonly unknown[], note: Notes): Context {
  const chat = values.find((value) => typeof value === "object");
  if (chat === undefined) {
    const content = values.map(text).join("\n\n");
    return { messages: content === "" ? [] : [{ role: "user", content }] };
  }
  if (Array.isArray(chat)) return { messages: plain(messagesOf(chat, "input", note)) };
  if (!isRecord(chat)) throw new NotAChat("input: is missing");
  if ("role" in chat || "from" in chat) return { messages: plain(messagesOf([chat], "input", note)) };
  const { messages, tools, functions, ...rest } = chat;
  if (!Array.isArray(messages)) throw new NotAChat(`input: is ${kindOf(chat)}, which is not a chat`);
  for (const key of Object.keys(rest)) note(notKept(`input.${key}`));
  const given = tools ?? functions;
  return {
    messages: plain(messagesOf(messages, "input.messages", note)),
    ...(isBlank(given) ? {} : { tools: toolsOf(given, "input.tools") }),
  };
}

/** Returns messages with the weights of answers; no other message has one. */
const plain = (read: readonly ReadMessage[]): ChatMessage[] =>
  read.map(({ message, weight }) =>
    message.role === "assistant" && weight !== undefined ? { ...message, weight: Number(weight) } : message,
  );

type Answer = { before: ChatMessage[]; message: ChatMessage; weight?: unknown };

/** Returns an answer from a string, a message, an OpenAI response, or a list that ends with the answer. */
function answerOf(value: unknown, where: string, note: Notes): Answer {
  if (typeof value === "string" || typeof value === "number") {
    return { before: [], message: { role: "assistant", content: String(value) } };
  }
  if (isRecord(value) && isRecord(value.message)) return answerOf(value.message, where, note);
  if (isRecord(value) && Array.isArray(value.choices)) return answerOf(value.choices[0], where, note);
  if (isRecord(value) && Array.isArray(value.messages)) return answerOf(value.messages, where, note);
  if (Array.isArray(value) && value.length === 0) throw new NotAChat(`${where}: is empty`);
  const list = Array.isArray(value) ? value : [isRecord(value) ? { role: value.from ?? "assistant", ...value } : value];
  if (!list.every(isRecord) || list.length === 0) throw new NotAChat(`${where}: is ${kindOf(value)}, not an answer`);
  if (!Array.isArray(value) && !["content", "value", "tool_calls", "function_call"].some((key) => key in list[0]!)) {
    throw new NotAChat(`${where}: is ${kindOf(value)}, which is not an answer`);
  }
  const read = messagesOf(list, where, note);
  const last = read.at(-1);
  if (last?.message.role !== "assistant") throw new NotAChat(`${where}: does not end with the assistant's message`);
  return { before: plain(read.slice(0, -1)), ...last };
}

const withoutWeights = (messages: readonly ChatMessage[]) => messages.map(({ weight: _, ...message }) => message);
const same = (left: readonly ChatMessage[], right: readonly ChatMessage[]) =>
  JSON.stringify(withoutWeights(left)) === JSON.stringify(withoutWeights(right));

/** Joins a prompt with the messages before the answer in the answer's own list, which may repeat the prompt. */
function joined(prompt: ChatMessage[], before: ChatMessage[]): ChatMessage[] {
  if (before.length === 0) return prompt;
  const system = prompt.filter(({ role }) => role === "system" || role === "developer");
  const rest = prompt.slice(system.length);
  if (same(before.slice(0, prompt.length), prompt)) return before;
  if (same(before.slice(0, rest.length), rest)) return [...system, ...before];
  return [...prompt, ...before];
}

const exact = (value: unknown, type: string): boolean => isRecord(value) && value.type === type;

/** Returns a payload from a row in our own format, verbatim, to be checked by the validation. */
function exactPayload(parts: Parts): DraftPayload | undefined {
  const payload = only(parts, "payload");
  if (payload !== undefined) {
    if (!isRecord(payload)) throw new NotAChat(`payload: is ${kindOf(payload)}, not an object`);
    const { input, expectedOutput } = payload;
    if (!isRecord(input) || !Array.isArray(input.messages)) throw new NotAChat("payload.input: has no messages");
    if (!isRecord(expectedOutput) || !isRecord(expectedOutput.message)) {
      throw new NotAChat("payload.expectedOutput: has no message");
    }
    return payload as DraftPayload;
  }
  const [input, expectedOutput, rejectedOutput] = [
    only(parts, "input"),
    only(parts, "expectedOutput"),
    only(parts, "rejectedOutput"),
  ];
  if (!exact(input, "chat") || !exact(expectedOutput, "chat_message")) return undefined;
  return { input, expectedOutput, ...(isAbsent(rejectedOutput) ? {} : { rejectedOutput }) } as DraftPayload;
}

/** Returns a whole conversation, which may be JSON in text; text that is not JSON is none. */
function wholeOf(sent: unknown): unknown {
  if (typeof sent !== "string") return sent;
  if (isBlank(sent)) throw new NotAChat("messages: is empty");
  const value = json(sent);
  if (value === undefined) throw new NotAChat("messages: is not JSON");
  return value;
}

function conversation(parts: Parts, note: Notes): { prompt: Context; answer: Answer } {
  const prompt = inputOf(parts.input ?? [], note);
  const expected = only(parts, "expectedOutput");
  const whole = wholeOf(only(parts, "messages"));
  if (whole !== undefined) {
    if (expected === undefined) return { prompt, answer: answerOf(whole, "messages", note) };
    if (!Array.isArray(whole)) throw new NotAChat(`messages: is ${kindOf(whole)}, not a list`);
    prompt.messages.push(...plain(messagesOf(whole, "messages", note)));
  }
  if (expected === undefined) throw new NotAChat("Has no answer to learn from");
  return { prompt, answer: answerOf(expected, "expectedOutput", note) };
}

function rejectedOf(parts: Parts, answer: Answer, note: Notes): ChatMessage | undefined {
  const value = only(parts, "rejectedOutput");
  if (isAbsent(value)) return undefined;
  const rejected = answerOf(value, "rejectedOutput", note);
  if (rejected.before.length > 0 && !same(rejected.before, answer.before)) {
    throw new NotAChat("rejectedOutput: differs from the chosen conversation before its last message");
  }
  return rejected.message;
}

function payloadOf(parts: Parts, note: Notes): DraftPayload {
  const own = exactPayload(parts);
  if (own) return own;
  const { prompt, answer } = conversation(parts, note);
  const isBad = isBadAnswer(only(parts, "label"));
  const rejected = isBad ? answer.message : rejectedOf(parts, answer, note);
  const messages = joined(prompt.messages, answer.before);
  const system = text(only(parts, "system"));
  if (system && !isBlank(system) && messages[0]?.role !== "system")
    messages.unshift({ role: "system", content: system });
  const given = only(parts, "tools");
  const tools = isBlank(given) ? prompt.tools : toolsOf(given, "tools");
  const weight = isBad ? 0 : (answer.weight ?? only(parts, "weight"));
  return {
    input: { type: "chat", messages, ...(tools && tools.length > 0 && { tools }) },
    expectedOutput: {
      type: "chat_message",
      message: answer.message,
      ...(isAbsent(weight) ? {} : { weight: Number(weight) }),
    },
    ...(rejected && { rejectedOutput: { type: "chat_message", message: rejected } }),
  };
}

function tagsOf(value: unknown, note: Notes): string[] | undefined {
  if (isAbsent(value)) return undefined;
  const list = typeof value === "string" ? (/^\s*\[/.test(value) ? json(value) : value.split(",")) : value;
  if (!Array.isArray(list) || !list.every((tag) => typeof tag === "string")) {
    note("Tags that are not a list of strings are ignored");
    return undefined;
  }
  return list === value || (typeof value === "string" && value.trimStart().startsWith("["))
    ? list
    : list.map((tag) => tag.trim()).filter((tag) => tag !== "");
}

function splitOf(value: unknown, note: Notes): Split | undefined {
  if (isAbsent(value)) return undefined;
  const split = SPLIT_OF[String(value).toLowerCase()];
  if (!split) note(`The split “${String(value).slice(0, 40)}” is not train, validation or test, and is ignored`);
  return split;
}

/** In a table, kind and reference have their own columns, which are easier to edit than JSON. */
function sourceOf(parts: Parts): Draft["source"] {
  const given = only(parts, "source");
  const source = isRecord(given) ? given : {};
  const kind = text(only(parts, "sourceKind") ?? source.kind);
  if (kind === undefined) return undefined;
  const texts = {
    externalRef: text(only(parts, "sourceRef") ?? source.externalRef),
    objective: text(source.objective),
    conversationId: text(source.conversationId),
    userId: text(source.userId),
    findingId: text(source.findingId),
  };
  return {
    kind,
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...(typeof source.turn === "number" && { turn: source.turn }),
  };
}

/** Recognizes our own ids; any other id is that of the row in the system it comes from. */
function idsOf(parts: Parts): Pick<Draft, "id" | "externalRef"> {
  const [id, externalRef] = [text(only(parts, "id")), text(only(parts, "externalRef"))];
  if (id?.startsWith("ex_")) return { id, ...(externalRef !== undefined && { externalRef }) };
  const ref = externalRef ?? id;
  return ref === undefined ? {} : { externalRef: ref };
}

function refuse(parts: Parts) {
  if (String(only(parts, "status")).toUpperCase() === "ARCHIVED") throw new NotAChat("Is archived in Langfuse");
}

/**
 * Returns whether KTO's label says that an answer is bad. Its Example has the answer both as the rejected one and, with a
 * weight of 0, as the expected one: there is no good one to learn from.
 */
const isBadAnswer = (label: unknown) => label === false || label === 0 || /^(?:false|0)$/i.test(String(label).trim());

export type ReadRow = { draft: Draft } | { problem: string };

/** Returns the Example that a row describes, or what prevents reading it as a chat. */
export function readRow(
  { line, raw, values }: FileRow & { values: Record<string, unknown> },
  recognized: Recognized,
  kind: FileKind,
  note: Notes,
): ReadRow {
  try {
    // JSON can express neither without an escape, and walking through every row would cost as much as parsing it.
    const isJson = kind === "jsonl" || kind === "json";
    const cleaned = isJson && !raw.includes("\\u") ? { value: values, changed: false } : cleanText(values);
    if (cleaned.changed) note("Characters that cannot be stored (NUL, half of a surrogate pair) were removed");
    const parts = partsOf(cleaned.value as Record<string, unknown>, recognized, kind, note);
    refuse(parts);
    const payload = payloadOf(parts, note);
    const [tags, split, source] = [
      tagsOf(only(parts, "tags"), note),
      splitOf(only(parts, "split"), note),
      sourceOf(parts),
    ];
    return {
      draft: {
        payload,
        ...(tags && { tags }),
        ...(split && { split }),
        ...(source && { source }),
        ...idsOf(parts),
        line,
      },
    };
  } catch (error) {
    if (error instanceof NotAChat || error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}
