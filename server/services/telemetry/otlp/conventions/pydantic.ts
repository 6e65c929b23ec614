import type { Convention, GivenFeedback } from "../convention";
import type { PlainMessage } from "../messages/plain-message";
import { readMessages } from "../messages/read-messages";
import { parseJson } from "../readers/json-text";
import { type MessageSource, messagesIn } from "../readers/message-source";
import { number, numberOf, objectIn, textInJson, value } from "../readers/reader";
import type { SpanView } from "../readers/span-view";
import { TIER_KEYS } from "../usage/tier-keys";

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

/** Logfire's `record_feedback` makes a span of its own, below the one that it annotates. */
const annotationOf = ({ span, attributes }: SpanView): GivenFeedback[] => {
  const name = attributes["logfire.feedback.name"];
  if (typeof name !== "string" || name.trim() === "") return [];
  const comment = attributes["logfire.feedback.comment"];
  return [{ name, value: attributes[name], comment, onParent: true, atUs: span.startedUs }];
};

export const PYDANTIC: Convention = {
  name: "Pydantic AI and Logfire",
  source:
    "pydantic/pydantic-ai, pydantic_ai_slim at 4fda3898, and pydantic/logfire, logfire/_internal/integrations at e484a6b5",
  marks: { agent: ["pydantic_ai.all_messages", "all_messages_events"] },
  frameworks: ["pydantic-ai"],
  reportedCost: [number("operation.cost")],
  servedTier: [textInJson("gen_ai.usage.raw", ...TIER_KEYS)],
  streamUs: [
    {
      takes: ["duration", "logfire.span_type"],
      read: (attributes) => {
        const seconds = attributes["logfire.span_type"] === "log" ? numberOf(attributes.duration) : undefined;
        return seconds !== undefined && seconds >= 0 ? seconds * 1_000_000 : undefined;
      },
    },
  ],
  inputMessages: [
    messagesIn("pydantic_ai.all_messages", "user"),
    messagesIn("all_messages_events", "user"),
    eventList("events", false),
    logfireRequest,
  ],
  outputMessages: [eventList("events", true), logfireResponse],
  outputs: [messagesIn("final_result", "assistant")],
  // before its third version
  toolArguments: [value("tool_arguments")],
  toolResult: [value("tool_response")],
  aroundToolName: /^running tool: /,
  controlFlow: { CallDeferred: "interrupted", ApprovalRequired: "interrupted" },
  feedback: [{ takes: ["logfire.feedback.*"], read: annotationOf }],
  usageObjects: [["gen_ai.usage.raw"]],
  usageFigures: [
    ["gen_ai.usage.details.cache_read_tokens", "cacheRead"],
    ["gen_ai.usage.details.cache_read_input_tokens", "cacheRead"],
    ["gen_ai.usage.details.cache_write_tokens", "cacheWrite"],
    ["gen_ai.usage.details.cache_creation_input_tokens", "cacheWrite"],
    ["gen_ai.usage.details.reasoning_tokens", "reasoning"],
  ],
  shown: ["model_request_parameters", "agent_name", "model_name", "gen_ai.aggregated_usage.*"],
  alsoSends: [
    "gen_ai.system",
    "gen_ai.provider.name",
    "gen_ai.operation.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.response.id",
    "gen_ai.response.finish_reasons",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "gen_ai.conversation.id",
    "gen_ai.usage.partial.*",
    "gen_ai.usage.details.*",
    "error.type",
    "gen_ai.request.max_tokens",
    "gen_ai.request.temperature",
    "gen_ai.request.top_p",
    "gen_ai.request.top_k",
    "gen_ai.request.stop_sequences",
    "gen_ai.request.seed",
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.presence_penalty",
    "gen_ai.tool.definitions",
    "gen_ai.agent.name",
    "gen_ai.agent.call.id",
    "gen_ai.agent.description",
    "gen_ai.client.operation.time_to_first_chunk",
    "metadata",
    "server.address",
    "server.port",
  ],
  unread: {
    "pydantic_ai.cache.*": "follows from the usage",
    async: "how Logfire shows the span",
    model_settings: "parameters of the request",
    raw_input: "the events hold it",
    response: "the events hold it",
    "logfire.*": "how Logfire shows the span",
    "exception.logfire.data": "how Logfire shows the span",
    "gen_ai.embeddings.dimension.count": "vectors, and what they are made of",
    tools: "tools that were offered",
    "pydantic_ai.new_message_index": "how a run went on; its messages are read",
    "pydantic_ai.variable_instructions": "how a run went on; its messages are read",
    "pydantic_ai.tool.failure_stage": "how a run went on; its messages are read",
    "pydantic_ai.tool.deferral.name": "how a run went on; its messages are read",
    "pydantic_ai.tool.deferral.metadata": "how a run went on; its messages are read",
    "pydantic_ai.realtime": "how a run went on; its messages are read",
    pydantic_ai_standing_prompt_planted: "how a run went on; its messages are read",
    tools_added: "tools that were offered",
    inputs_count: "vectors, and what they are made of",
    embeddings: "vectors, and what they are made of",
    inputs: "vectors, and what they are made of",
  },
};
