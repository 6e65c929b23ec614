import type { Convention } from "../convention";
import { plainMessage, textPart } from "../messages/plain-message";
import { readMessages } from "../messages/read-messages";
import { parseJson } from "../readers/json-text";
import { type MessageSource, messagesIn } from "../readers/message-source";
import { textOf, value } from "../readers/reader";

/** Text, object and tool calls of the response are separate attributes; texts may be a list in JSON. */
const response: MessageSource = {
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

export const SENTRY: Convention = {
  name: "Sentry (Python and JavaScript)",
  source:
    "getsentry/sentry-python, sentry_sdk/consts.py at 064542dd (what its integrations use), and getsentry/sentry-javascript, packages/core/src/tracing at f7a6cc0c",
  inputMessages: [
    messagesIn("gen_ai.request.messages", "user"),
    // the AI SDK's
    messagesIn("vercel.ai.prompt.messages", "user"),
    messagesIn("vercel.ai.prompt", "user"),
  ],
  outputMessages: [response],
  // Traceloop has the same names.
  toolArguments: [value("gen_ai.tool.input")],
  toolResult: [value("gen_ai.tool.output")],
  alsoSends: [
    "gen_ai.conversation.id",
    "gen_ai.operation.name",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.request.model",
    "gen_ai.system",
    "gen_ai.tool.name",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.input_tokens.cached",
    "gen_ai.usage.input_tokens.cache_write",
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.output_tokens.reasoning",
    "gen_ai.usage.total_tokens",
    "gen_ai.prompt",
    "gen_ai.response.stop_reason",
    "gen_ai.input.messages",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.tool.call.id",
    "gen_ai.usage.output_tokens.prediction_accepted",
    "gen_ai.usage.output_tokens.prediction_rejected",
    "gen_ai.usage.input_tokens.cache_miss",
    "gen_ai.agent.name",
    "gen_ai.request.available_tools",
    "gen_ai.tool.definitions",
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.max_tokens",
    "gen_ai.request.presence_penalty",
    "gen_ai.request.reasoning.level",
    "gen_ai.request.seed",
    "gen_ai.request.temperature",
    "gen_ai.request.top_k",
    "gen_ai.request.top_p",
    "gen_ai.tool.description",
    "gen_ai.request.stream",
    "gen_ai.request.stop_sequences",
    "gen_ai.request.encoding_format",
    "gen_ai.request.dimensions",
    "gen_ai.tool.type",
    "gen_ai.request.schema",
    "openai.response.id",
    "openai.response.model",
    "openai.response.timestamp",
    "openai.usage.completion_tokens",
    "openai.usage.prompt_tokens",
  ],
  unread: {
    "vercel.ai.*": "the AI SDK's attributes under another name; what is read of them has a name of `gen_ai` too",
    "ai.citations": "only of Cohere's first API",
    "ai.documents": "only of Cohere's first API",
    "ai.finish_reason": "only of Cohere's first API",
    "ai.frequency_penalty": "only of Cohere's first API",
    "ai.generation_id": "only of Cohere's first API",
    "ai.input_messages": "only of Cohere's first API",
    "ai.model_id": "only of Cohere's first API",
    "ai.preamble": "only of Cohere's first API",
    "ai.presence_penalty": "only of Cohere's first API",
    "ai.raw_prompting": "only of Cohere's first API",
    "ai.responses": "only of Cohere's first API",
    "ai.search_queries": "only of Cohere's first API",
    "ai.is_search_required": "only of Cohere's first API",
    "ai.search_results": "only of Cohere's first API",
    "ai.seed": "only of Cohere's first API",
    "ai.streaming": "only of Cohere's first API",
    "ai.texts": "only of Cohere's first API",
    "ai.top_k": "only of Cohere's first API",
    "ai.top_p": "only of Cohere's first API",
    "ai.tool_calls": "only of Cohere's first API",
    "ai.tools": "only of Cohere's first API",
    "ai.warnings": "only of Cohere's first API",
    "gen_ai.embeddings.input": "vectors, and what they are made of",
    "gen_ai.function_id": "names of what ran",
    "gen_ai.pipeline.name": "names of what ran",
    "gen_ai.response.streaming": "nothing here depends on it",
    "gen_ai.response.time_to_first_token": "durations",
    "mcp.tool.name": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.prompt.name": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.resource.uri": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.method.name": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.request.id": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.tool.result.content": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.tool.result.content_count":
      "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.prompt.result.message_content":
      "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.prompt.result.message_role":
      "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.prompt.result.message_count":
      "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.resource.protocol": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.transport": "the protocol between a client and its tool server; the tool call has its own span",
    "mcp.session.id": "the protocol between a client and its tool server; the tool call has its own span",
    "sentry.sdk_meta.gen_ai.input.messages.original_length": "our own limits say what was cut",
    "anthropic.response.timestamp": "the span has its times",
  },
};
