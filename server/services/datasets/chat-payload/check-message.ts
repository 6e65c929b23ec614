import type { Fields, Problems } from "./problems";
import { CHAT_KEYS, CHAT_LIMITS, type ChatRole } from "./schemas";

const ROLES = Object.keys(CHAT_KEYS.message) as ChatRole[];
const ROLE = `Must be one of ${ROLES.join(", ")}.`;
const ROLE_CHARACTERS = 40;
const isRole = (value: unknown): value is ChatRole => ROLES.includes(value as ChatRole);
const NO_SUCH_FIELD = Object.fromEntries(
  ROLES.map((role) => [role, `${role === "assistant" ? "An" : "A"} ${role} message has no such field. Remove it.`]),
) as Record<ChatRole, string>;

const ARRAY = "Must be a string. Join the text of its parts into one string; images and other parts are not supported.";

/** Checks one message. Returns its role and fields, or `undefined` if they are not readable. */
export function checkMessage(
  value: unknown,
  at: string,
  toolNames: ReadonlySet<string> | undefined,
  problems: Problems,
) {
  const fields = problems.object(value, at);
  if (!fields) return undefined;
  const { role, name } = fields;
  if (!isRole(role)) {
    problems.add(
      `${at}/role`,
      typeof role === "string" ? `“${role.slice(0, ROLE_CHARACTERS).toWellFormed()}” is not a role. ${ROLE}` : ROLE,
    );
    return undefined;
  }
  problems.knownKeys(fields, at, CHAT_KEYS.message[role], NO_SUCH_FIELD[role]);
  if (role === "assistant" && fields.weight !== undefined) checkWeight(fields.weight, `${at}/weight`, problems);
  const calls = role === "assistant" && fields.tool_calls !== undefined;
  checkContent(fields.content, `${at}/content`, role, calls, problems);
  if (name !== undefined) problems.name(name, `${at}/name`);
  if (calls) checkCalls(fields.tool_calls, `${at}/tool_calls`, toolNames, problems);
  return { role, fields };
}

/** Adds a problem unless the value is a share of an answer's part in training. */
export function checkWeight(value: unknown, at: string, problems: Problems) {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) problems.add(at, "Must be a number from 0 to 1.");
}

function checkContent(content: unknown, at: string, role: ChatRole, calls: boolean, problems: Problems) {
  if (typeof content === "string") {
    // A tool may return nothing, and a call needs no text.
    if (role === "tool" || calls || content.trim() !== "") return;
  } else if (Array.isArray(content)) return problems.add(at, ARRAY);
  else if (calls && (content === null || content === undefined)) return;
  problems.add(at, role === "tool" ? "Must be a string. It may be empty." : emptyContent(role));
}

const emptyContent = (role: ChatRole) =>
  role === "assistant"
    ? "Must be a non-empty string, unless the message has tool_calls."
    : "Must be a non-empty string.";

function checkCalls(value: unknown, at: string, toolNames: ReadonlySet<string> | undefined, problems: Problems) {
  const whenEmpty = "Has no tool call. Leave tool_calls out.";
  const calls = problems.array(value, at, CHAT_LIMITS.callsPerMessage, whenEmpty) ?? [];
  const ids = new Set<string>();
  for (const [index, call] of calls.entries()) {
    if (problems.full) return;
    const id = checkCall(call, `${at}/${index}`, toolNames, problems);
    if (id === undefined) continue;
    if (ids.has(id)) problems.add(`${at}/${index}/id`, "Another call in this message has this id. Give each its own.");
    ids.add(id);
  }
}

/** Checks one tool call and returns its id. */
function checkCall(value: unknown, at: string, toolNames: ReadonlySet<string> | undefined, problems: Problems) {
  const call = problems.object(value, at, CHAT_KEYS.toolCall);
  if (!call) return undefined;
  problems.literal(call.type, `${at}/type`, "function");
  const called = problems.object(call.function, `${at}/function`, CHAT_KEYS.functionCall);
  if (called) checkCalled(called, `${at}/function`, toolNames, problems);
  return problems.callId(call.id, `${at}/id`);
}

function checkCalled(called: Fields, at: string, toolNames: ReadonlySet<string> | undefined, problems: Problems) {
  const name = problems.name(called.name, `${at}/name`);
  if (name !== undefined && toolNames && !toolNames.has(name)) {
    problems.add(`${at}/name`, `"${name}" is not in input.tools. Add the tool, or correct the name.`);
  }
  const given = called.arguments;
  if (typeof given !== "string") {
    problems.add(`${at}/arguments`, "Must be a string that contains a JSON object. Write the arguments as JSON text.");
  } else if (given !== "{}" && !holdsObject(given)) {
    problems.add(`${at}/arguments`, 'Must contain a JSON object, such as "{}" for no arguments.');
  }
}

function holdsObject(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
