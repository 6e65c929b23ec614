import { type PlainMessage, plainMessage, textPart } from "../messages/plain-message";
import { readMessages, readSharedFamily, readSharedList } from "../messages/read-messages";
import { type SharedItem, sharedListOf } from "../shared-items";
import { unflatten } from "./flattened";
import { indexed, parseJson } from "./json-text";
import { objectIn } from "./reader";
import type { SpanView } from "./span-view";

/** A source of messages; `takes` as for a `Reader`, `events` names the events that hold them. */
export type MessageSource = {
  takes: readonly string[];
  events?: readonly string[];
  read: (view: SpanView) => PlainMessage[];
};

/** Reads an attribute with messages in any shape, structured or as JSON text. */
export function messagesIn(name: string, role: "user" | "assistant" | "system"): MessageSource {
  return {
    takes: [name],
    read: ({ attributes }) => {
      const shared = sharedListOf(attributes, name);
      const read = shared && readSharedList(shared, role);
      if (read) return read;
      const value = attributes[name];
      return value === undefined ? [] : readMessages(value, role);
    },
  };
}

/** Reads attributes flattened by index, such as `llm.input_messages.0.message.role`. */
export function flattened(prefix: string, role: "user" | "assistant"): MessageSource {
  return {
    takes: [`${prefix}*`],
    read: (view) => {
      const shared = sharedListOf(view.attributes, prefix);
      const read = shared && readSharedFamily(shared, role, ({ members }) => flattenedMessage(itemOf(members)));
      if (read) return read;
      const tree = view.treeOf(prefix);
      if (!tree) return [];
      const messages = indexed(tree) ?? ("role" in tree || "content" in tree ? [tree] : []);
      return readMessages(messages.map(flattenedMessage), role);
    },
  };
}

/** Returns what `unflatten` builds from the attributes of one list item. */
const itemOf = (members: SharedItem["members"]): unknown =>
  unflatten(Object.fromEntries(members.map(([rest, value]) => [`0.${rest}`, value])), "")?.["0"];

/** Unwraps `{message: {…}}` of OpenInference; elsewhere the message is bare. Without a role it is still a message, not a part. */
function flattenedMessage(sent: unknown): unknown {
  const message = objectIn(sent) ?? {};
  const inner = objectIn(message.message) ?? message;
  return "role" in inner ||
    !("content" in inner || "contents" in inner || "tool_calls" in inner || "function_call" in inner)
    ? inner
    : { role: null, ...inner };
}

/** Reads events or log records that hold one message each; the event's name determines the role. */
export function eventPerMessage(roles: Readonly<Record<string, string>>): MessageSource {
  const roleOfEvent = new Map(Object.entries(roles));
  return {
    takes: [],
    events: Object.keys(roles),
    read: ({ events }) =>
      events.flatMap(({ name, attributes, body }) => {
        const role = roleOfEvent.get(name);
        if (role === undefined) return [];
        const held = objectIn(body);
        const sent: Record<string, unknown> = held ? { ...held } : { ...attributes };
        // a choice wraps its message; Strands and Semantic Kernel write that as JSON text
        if (sent.message !== undefined) return readMessages(parseJson(sent.message) ?? sent.message, role);
        return readMessages({ ...sent, role: sent.role ?? role }, role);
      }),
  };
}

/** Reads an event that holds a call's whole input or output in one attribute. */
export function wholeInEvent(event: string, name: string, role: "user" | "assistant"): MessageSource {
  return {
    takes: [],
    events: [event],
    read: ({ events }) => {
      const value = events.find((candidate) => candidate.name === event)?.attributes[name];
      if (value === undefined) return [];
      return typeof value === "string" && role === "user" ? transcript(value) : readMessages(value, role);
    },
  };
}

const SPEAKER = /^(system|user|assistant|tool): /;

/** OpenLIT writes the prompt as a single string, in which each message starts a line with its role. */
function transcript(text: string): PlainMessage[] {
  if (!SPEAKER.test(text)) return readMessages(text, "user");
  return text.split(/\n(?=(?:system|user|assistant|tool): )/).map((turn) => {
    const role = SPEAKER.exec(turn)?.[1] ?? "user";
    return plainMessage(role, [textPart(turn.slice(role.length + 2))]);
  });
}
