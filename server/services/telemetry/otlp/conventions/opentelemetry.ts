import type { Convention, GivenFeedback } from "../convention";
import { eventPerMessage, messagesIn, wholeInEvent } from "../readers/message-source";
import { mapped, objectIn, promptIn, text, textOf, texts, value } from "../readers/reader";
import type { SpanView } from "../readers/span-view";
import { toolsIn } from "../readers/tools";
import type { Attributes } from "../types";

export const OPENTELEMETRY: Convention = {
  name: "OpenTelemetry’s GenAI conventions",
  source:
    "open-telemetry/semantic-conventions-genai, docs/registry/attributes/gen-ai.md at 002c8a6e, and the deprecated names of open-telemetry/semantic-conventions at 384d6616",
  conversationId: [text("gen_ai.conversation.id"), text("gen_ai.session.id")],
  resourceConversationId: [text("session.id")],
  userId: [text("enduser.id")],
  serviceName: [text("service.name")],
  version: [text("service.version"), text("vcs.ref.head.revision"), text("vcs.repository.ref.revision")],
  prompt: [promptIn("gen_ai.prompt.name", "gen_ai.prompt.version")],
  spanType: [
    mapped("gen_ai.operation.name", {
      chat: "llm",
      text_completion: "llm",
      generate_content: "llm",
      completion: "llm",
      responses: "llm",
      llm_call: "llm", // Gemini CLI
      generate_text: "llm", // Sentry, of the AI SDK
      stream_text: "llm",
      generate_object: "llm",
      stream_object: "llm",
      embed: "embedding",
      embed_many: "embedding",
      embeddings: "embedding",
      embedding: "embedding",
      execute_tool: "tool",
      tool_call: "tool",
      invoke_agent: "agent",
      create_agent: "agent",
      invoke_workflow: "chain",
      execute_event_loop_cycle: "chain", // Strands
      retrieval: "retriever",
      rerank: "reranker",
    }),
  ],
  marks: {
    tool: ["gen_ai.tool.name", "gen_ai.tool.call.id"],
    llm: [
      "gen_ai.response.model",
      "gen_ai.request.model",
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.output_tokens",
      "gen_ai.usage.prompt_tokens",
    ],
  },
  provider: [text("gen_ai.provider.name"), text("gen_ai.system")],
  requestedModel: [text("gen_ai.request.model")],
  responseModel: [text("gen_ai.response.model")],
  responseId: [text("gen_ai.response.id")],
  // Some clients write it as JSON text, some as a single string.
  finishReasons: [texts("gen_ai.response.finish_reasons")],
  servedTier: [
    text("openai.response.service_tier"),
    text("gen_ai.openai.response.service_tier"),
    text("gen_ai.response.service_tier"),
    text("gen_ai.usage.service_tier"),
  ],
  requestedTier: [
    text("openai.request.service_tier"),
    text("gen_ai.openai.request.service_tier"),
    text("gen_ai.request.service_tier"),
  ],
  inputMessages: [messagesIn("gen_ai.input.messages", "user")],
  outputMessages: [messagesIn("gen_ai.output.messages", "assistant")],
  systemMessages: [messagesIn("gen_ai.system_instructions", "system")],
  toolName: [text("gen_ai.tool.name")],
  toolCallId: [text("gen_ai.tool.call.id"), text("tool_call.id")],
  toolArguments: [value("gen_ai.tool.call.arguments")],
  toolResult: [value("gen_ai.tool.call.result")],
  aroundToolName: /^execute_tool /,
  errorType: [text("error.type"), text("exception.type")],
  errorMessage: [text("error.message"), text("exception.message")],
  usagePrefixes: ["gen_ai.usage."],
  // The newest names first, then older ones and what clients add beside them.
  usageFigures: [
    ["gen_ai.usage.input_tokens", "input"],
    ["gen_ai.usage.prompt_tokens", "input"],
    ["gen_ai.usage.output_tokens", "output"],
    ["gen_ai.usage.completion_tokens", "output"],
    ["gen_ai.usage.cache_read.input_tokens", "cacheRead"],
    ["gen_ai.usage.cache_read_input_tokens", "cacheRead"],
    ["gen_ai.usage.cache_write.input_tokens", "cacheWrite"],
    ["gen_ai.usage.cache_creation.input_tokens", "cacheWrite"],
    ["gen_ai.usage.cache_creation_input_tokens", "cacheWrite"],
    ["gen_ai.usage.cache_write_input_tokens", "cacheWrite"],
    ["gen_ai.usage.reasoning.output_tokens", "reasoning"],
    ["gen_ai.usage.reasoning_tokens", "reasoning"],
    ["gen_ai.usage.total_tokens", "total"],
  ],
  tools: toolsIn("gen_ai.tool.definitions"),
  shown: [
    "gen_ai.request.*",
    "gen_ai.openai.*",
    "openai.*",
    "gen_ai.output.type",
    "gen_ai.tool.definitions",
    "gen_ai.tool.description",
    "gen_ai.tool.type",
    "gen_ai.agent.*",
    "gen_ai.workflow.*",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.client.operation.time_to_first_chunk",
    "gen_ai.server.*",
  ],
  alsoSends: [
    "gen_ai.usage.text.input_tokens",
    "gen_ai.usage.image.input_tokens",
    "gen_ai.usage.audio.input_tokens",
    "gen_ai.usage.video.input_tokens",
    "gen_ai.usage.text.output_tokens",
    "gen_ai.usage.audio.output_tokens",
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.request.max_tokens",
    "gen_ai.request.choice.count",
    "gen_ai.request.temperature",
    "gen_ai.request.top_p",
    "gen_ai.request.top_k",
    "gen_ai.request.stop_sequences",
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.presence_penalty",
    "gen_ai.request.encoding_formats",
    "gen_ai.request.seed",
    "gen_ai.request.stream",
    "gen_ai.agent.id",
    "gen_ai.agent.name",
    "gen_ai.agent.description",
    "gen_ai.agent.version",
    "gen_ai.workflow.name",
    "gen_ai.openai.request.response_format",
    "gen_ai.openai.request.seed",
    "gen_ai.openai.response.system_fingerprint",
    "openai.response.system_fingerprint",
    "openai.api.type",
    "server.address",
    "server.port",
    "event.name",
  ],
  unread: {
    "gen_ai.token.*": "an attribute of metrics",
    "gen_ai.data_source.id": "what a retriever found is shown with its span",
    "gen_ai.embeddings.dimension.count": "vectors, and what they are made of",
    "gen_ai.retrieval.*": "what a retriever found is shown with its span",
    "gen_ai.memory.*": "memory is not part of a conversation",
    "aws.bedrock.guardrail.id": "verdicts of guardrails are not read",
    "aws.bedrock.knowledge_base.id": "what a retriever found is shown with its span",
    "azure.resource_provider.namespace": "names of what ran",
    "mcp.*": "the protocol between a client and its tool server; the tool call has its own span",
    "jsonrpc.request.id": "the protocol between a client and its tool server; the tool call has its own span",
    "jsonrpc.protocol.version": "the protocol between a client and its tool server; the tool call has its own span",
    "rpc.response.status_code": "the protocol between a client and its tool server; the tool call has its own span",
    "network.protocol.name": "where the request went",
    "network.transport": "where the request went",
    "client.address": "where the request went",
    "client.port": "where the request went",
  },
};

/** The event on the span that was evaluated. */
const EVALUATION = "gen_ai.evaluation.result";

const evaluationsOf = ({ events }: SpanView): GivenFeedback[] =>
  events
    .filter(({ name }) => name === EVALUATION)
    .map(({ timeUs, attributes, body }) => {
      const held = typeof body === "object" && !Array.isArray(body) ? body : null;
      const given: Attributes = held ? Object.assign(Object.create(null), held, attributes) : attributes;
      return {
        name: given["gen_ai.evaluation.name"],
        value: given["gen_ai.evaluation.score.value"],
        label: given["gen_ai.evaluation.score.label"],
        comment: given["gen_ai.evaluation.explanation"],
        evaluator: given["gen_ai.evaluation.evaluator.type"],
        responseId: given["gen_ai.response.id"],
        onParent: false,
        atUs: timeUs,
      };
    });

/** Its older form, in which each message is an event of the span or a log record of it. */
export const OPENTELEMETRY_EVENTS: Convention = {
  name: "OpenTelemetry’s GenAI events",
  source: null,
  events: { type: { "gen_ai.choice": "llm" }, details: ["gen_ai.client.inference.operation.details"] },
  finishReasonsOfSpan: [
    ({ events }) =>
      events
        .filter(({ name }) => name === "gen_ai.choice")
        .map(({ attributes, body }) => textOf(attributes.finish_reason) ?? textOf(objectIn(body)?.finish_reason)),
  ],
  inputMessages: [
    eventPerMessage({
      "gen_ai.system.message": "system",
      "gen_ai.user.message": "user",
      "gen_ai.assistant.message": "assistant",
      "gen_ai.tool.message": "tool",
    }),
    wholeInEvent("gen_ai.content.prompt", "gen_ai.prompt", "user"),
  ],
  outputMessages: [
    eventPerMessage({ "gen_ai.choice": "assistant" }),
    wholeInEvent("gen_ai.content.completion", "gen_ai.completion", "assistant"),
  ],
  feedback: [{ takes: ["gen_ai.evaluation.*"], read: evaluationsOf }],
  shown: ["event.name"],
  alsoSends: [],
  unread: {},
};
