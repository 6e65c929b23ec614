import { CONVERSATION_ID, USER_ID } from "./identity/identity";
import { INPUT_MESSAGES, INPUTS, OUTPUT_MESSAGES, OUTPUTS, SYSTEM_MESSAGES } from "./readers/input-output";
import { TOOL_ARGUMENTS, TOOL_EVENTS, TOOL_RESULT } from "./readers/tool";

const SOURCES = [...INPUT_MESSAGES, ...OUTPUT_MESSAGES, ...INPUTS, ...OUTPUTS, ...SYSTEM_MESSAGES];
const TAKEN = [...SOURCES, ...TOOL_ARGUMENTS, ...TOOL_RESULT].flatMap(({ takes }) => takes);
const NAMES = new Set(TAKEN.filter((name) => !name.endsWith("*")));
const PREFIXES = TAKEN.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
const EVENTS = new Set([...SOURCES.flatMap(({ events = [] }) => events), ...TOOL_EVENTS]);
const IDENTITIES = new Set(
  [...CONVERSATION_ID, ...USER_ID].filter(({ inObject }) => !inObject).flatMap(({ takes }) => takes),
);

/** Whether an attribute of this name holds message text or a tool's arguments or result, from which readers build messages. */
export const isMessageText = (name: string) => NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));

/** Whether an event or log record of this name holds message text. */
export const isMessageEvent = (name: string) => EVENTS.has(name);

/** Whether an attribute of this name identifies a conversation or user. */
export const isIdentity = (name: string) => IDENTITIES.has(name);
