import type { PlainMessage } from "../messages/plain-message";
import { isEmpty, plainMessage, textPart } from "../messages/plain-message";
import { readMessages, readSharedFamily, readSharedList } from "../messages/read-messages";
import { type SharedItem, sharedListOf } from "../shared-items";
import { unflatten } from "./flattened";
import { indexed, parseJson, toText } from "./json-text";
import { objectIn, textOf } from "./reader";
import type { MessagePrefix, SpanView } from "./span-view";

/** A source of messages; `takes` as for a `Reader`, `events` names the events that hold them. */
export type MessageSource = {
  takes: readonly string[];
  events?: readonly string[];
  read: (view: SpanView) => PlainMessage[];
};

/** Reads an attribute with messages in any shape, structured or as JSON text. */
function messagesIn(name: string, role: "user" | "assistant" | "system"): MessageSource {
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
function flattened(prefix: MessagePrefix, role: "user" | "assistant"): MessageSource {
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
function eventPerMessage(roles: Readonly<Record<string, string>>): MessageSource {
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
function wholeInEvent(event: string, name: string, role: "user" | "assistant"): MessageSource {
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

/** Vercel AI SDK: text, reasoning, object and tool calls of the response are separate attributes. */
const aiSdkResponse: MessageSource = {
  takes: ["ai.response.text", "ai.response.object", "ai.response.reasoning", "ai.response.toolCalls"],
  read: ({ attributes }) => {
    const message = plainMessage("assistant");
    const reasoning = attributes["ai.response.reasoning"];
    const text = textOf(attributes["ai.response.text"]) ?? textOf(attributes["ai.response.object"]);
    if (reasoning !== undefined) message.parts.push({ type: "reasoning", text: reasoningText(reasoning) });
    if (text !== undefined) message.parts.push(textPart(text));
    const calls = attributes["ai.response.toolCalls"];
    if (calls !== undefined)
      message.toolCalls.push(
        ...readMessages({ role: "assistant", tool_calls: calls }, "assistant").flatMap((read) => read.toolCalls),
      );
    return [message];
  },
};

function reasoningText(sent: unknown): string {
  const parsed = parseJson(sent);
  if (!Array.isArray(parsed)) return toText(sent);
  return parsed.map((part) => textOf(objectIn(part)?.text) ?? "").join("\n");
}

/** LiveKit: what a model is given, as `{items: […]}`. */
function liveKitContext(name: string): MessageSource {
  return { takes: [name], read: ({ attributes }) => readMessages(objectIn(attributes[name])?.items, "user") };
}

/** LiveKit: text and tool calls of the response are separate attributes. */
function liveKitResponse(prefix: string): MessageSource {
  const [said, called] = [`${prefix}text`, `${prefix}function_calls`];
  return {
    takes: [said, called],
    read: ({ attributes }) => {
      const text = textOf(attributes[said]);
      const message = plainMessage("assistant", text === undefined ? [] : [textPart(text)]);
      const calls = attributes[called];
      if (calls !== undefined)
        message.toolCalls.push(...readMessages(calls, "assistant").flatMap(({ toolCalls }) => toolCalls));
      return [message];
    },
  };
}

/** Sentry: text, object and tool calls of the response are separate attributes; texts may be a list in JSON. */
const sentryResponse: MessageSource = {
  takes: ["gen_ai.response.text", "gen_ai.response.object", "gen_ai.response.tool_calls"],
  read: ({ attributes }) => {
    const message = plainMessage("assistant");
    const sent = attributes["gen_ai.response.text"] ?? attributes["gen_ai.response.object"];
    const list = parseJson(sent);
    const texts = Array.isArray(list) && list.every((item) => typeof item === "string") ? list : [textOf(sent)];
    for (const text of texts) if (text !== undefined && text !== "") message.parts.push(textPart(text));
    const calls = attributes["gen_ai.response.tool_calls"];
    if (calls !== undefined)
      message.toolCalls.push(
        ...readMessages({ role: "assistant", tool_calls: calls }, "assistant").flatMap((read) => read.toolCalls),
      );
    return [message];
  },
};

/** Logfire's first version: a request's or response's own JSON. That of the Responses API has the model's name alone. */
const logfireRequest: MessageSource = {
  takes: ["request_data"],
  read: ({ attributes }) => {
    const sent = objectIn(attributes.request_data);
    return sent && ("messages" in sent || "prompt" in sent) ? readMessages(sent, "user") : [];
  },
};
const logfireResponse: MessageSource = {
  takes: ["response_data"],
  read: ({ attributes }) => {
    const sent = objectIn(attributes.response_data);
    return readMessages(sent?.message ?? sent?.combined_chunk_content ?? sent?.text, "assistant");
  },
};

/**
 * Logfire and older versions of Pydantic AI: events in a list. Without a choice among them, the response is what the assistant
 * did last.
 */
function eventList(name: string, isResponse: boolean): MessageSource {
  return {
    takes: [name],
    read: ({ attributes }) => {
      const list = parseJson(attributes[name]) ?? attributes[name];
      if (!Array.isArray(list)) return [];
      const events = list.map((item) => objectIn(item) ?? {});
      const isChoice = (event: Sent) => event["event.name"] === "gen_ai.choice";
      const end = events.findLastIndex(
        ({ role, "event.name": kind }) => role !== "assistant" && kind !== UNKNOWN_EVENT,
      );
      const own = events.some(isChoice)
        ? events.filter((event) => isChoice(event) === isResponse)
        : isResponse
          ? events.slice(end + 1)
          : events.slice(0, end + 1);
      return own.flatMap((event) => readEvent(event, isResponse ? "assistant" : "user"));
    },
  };
}

type Sent = Readonly<Record<string, unknown>>;

/** An item that Logfire has no event for; it has the item itself as `data`. */
const UNKNOWN_EVENT = "gen_ai.unknown";

function readEvent({ "event.name": kind, message, data, ...event }: Sent, role: string): PlainMessage[] {
  if (kind === UNKNOWN_EVENT) return readMessages(data === undefined ? undefined : [data], role);
  return readMessages(message ?? event, role);
}

/** Attributes and events that hold input messages by name. */
export const INPUT_MESSAGES: readonly MessageSource[] = [
  messagesIn("gen_ai.input.messages", "user"), // OpenTelemetry GenAI
  flattened("llm.input_messages.", "user"), // OpenInference
  flattened("gen_ai.prompt.", "user"), // OpenLLMetry
  messagesIn("gen_ai.prompt", "user"),
  eventPerMessage({
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
  }),
  wholeInEvent("gen_ai.content.prompt", "gen_ai.prompt", "user"),
  messagesIn("gen_ai.request.messages", "user"), // Sentry
  messagesIn("vercel.ai.prompt.messages", "user"), // Sentry, of the AI SDK
  messagesIn("vercel.ai.prompt", "user"),
  messagesIn("ai.prompt.messages", "user"), // Vercel AI SDK
  messagesIn("ai.prompt", "user"),
  messagesIn("pydantic_ai.all_messages", "user"),
  messagesIn("all_messages_events", "user"),
  eventList("events", false),
  logfireRequest,
  messagesIn("gcp.vertex.agent.llm_request", "user"),
  liveKitContext("lk.pii.chat_ctx"),
  liveKitContext("lk.chat_ctx"), // its older name
];

export const OUTPUT_MESSAGES: readonly MessageSource[] = [
  messagesIn("gen_ai.output.messages", "assistant"),
  flattened("llm.output_messages.", "assistant"),
  flattened("gen_ai.completion.", "assistant"),
  messagesIn("gen_ai.completion", "assistant"),
  eventPerMessage({ "gen_ai.choice": "assistant" }),
  wholeInEvent("gen_ai.content.completion", "gen_ai.completion", "assistant"),
  aiSdkResponse,
  sentryResponse,
  eventList("events", true),
  logfireResponse,
  messagesIn("gcp.vertex.agent.llm_response", "assistant"),
  liveKitResponse("lk.pii.response."),
  liveKitResponse("lk.response."),
];

/** Generic inputs: messages for a model call, but any value for a wrapper. */
export const INPUTS: readonly MessageSource[] = [
  messagesIn("langfuse.observation.input", "user"),
  messagesIn("langwatch.input", "user"),
  messagesIn("genkit:input", "user"),
  messagesIn("lmnr.span.input", "user"),
  messagesIn("mlflow.spanInputs", "user"),
  messagesIn("traceloop.entity.input", "user"),
  messagesIn("input.value", "user"),
  messagesIn("input", "user"),
  messagesIn("langfuse.trace.input", "user"),
];

export const OUTPUTS: readonly MessageSource[] = [
  messagesIn("langfuse.observation.output", "assistant"),
  messagesIn("langwatch.output", "assistant"),
  messagesIn("genkit:output", "assistant"),
  messagesIn("lmnr.span.output", "assistant"),
  messagesIn("mlflow.spanOutputs", "assistant"),
  messagesIn("traceloop.entity.output", "assistant"),
  messagesIn("final_result", "assistant"), // Pydantic AI
  messagesIn("output.value", "assistant"),
  messagesIn("output", "assistant"),
  messagesIn("langfuse.trace.output", "assistant"),
];

/** System prompts that are sent separately from the messages. */
export const SYSTEM_MESSAGES: readonly MessageSource[] = [
  messagesIn("gen_ai.system_instructions", "system"),
  {
    takes: ["ai.prompt"],
    read: ({ attributes }) => {
      const system = objectIn(attributes["ai.prompt"])?.system;
      return system === undefined ? [] : readMessages(system, "system");
    },
  },
  messagesIn("system_prompt", "system"), // Strands
];

/** Returns the messages of the first source that has any with content. */
export function firstMessages(sources: readonly MessageSource[], view: SpanView): PlainMessage[] {
  for (const source of sources) {
    const messages = source.read(view).filter((message) => !isEmpty(message));
    if (messages.length > 0) return messages;
  }
  return [];
}
