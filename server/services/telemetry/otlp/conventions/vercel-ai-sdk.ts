import type { Convention } from "../convention";
import { plainMessage, textPart } from "../messages/plain-message";
import { readMessages } from "../messages/read-messages";
import { parseJson, toText } from "../readers/json-text";
import { type MessageSource, messagesIn } from "../readers/message-source";
import { mapped, objectIn, type Reader, text, textOf, value } from "../readers/reader";
import { tagsIn } from "../readers/tags";
import { toolsIn } from "../readers/tools";
import { TIER_KEYS } from "../usage/tier-keys";

/** Reads the vendor in a name such as `openai.chat`. */
function vendorIn(name: string): Reader<string> {
  const { takes, read } = text(name);
  return { takes, read: (attributes) => read(attributes)?.split(".")[0] };
}

/** Reads the tier in what a provider adds: `{openai: {serviceTier}}`, `{anthropic: {usage: {service_tier}}}`. */
const tierInProviderMetadata: Reader<string> = {
  takes: ["ai.response.providerMetadata"],
  read: (attributes) => {
    for (const vendor of Object.values(objectIn(attributes["ai.response.providerMetadata"]) ?? {})) {
      const found = tierIn(objectIn(vendor)) ?? tierIn(objectIn(objectIn(vendor)?.usage));
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

const tierIn = (object: Readonly<Record<string, unknown>> | undefined) => {
  for (const name of TIER_KEYS) {
    const found = textOf(object?.[name]);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Text, reasoning, object and tool calls of the response are separate attributes. */
const response: MessageSource = {
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

export const VERCEL_AI_SDK: Convention = {
  name: "Vercel AI SDK",
  source: "vercel/ai, packages/otel/src at ed857f50",
  // Its version 7 has `ai.settings.context` instead.
  conversationId: ["ai.telemetry.metadata", "ai.settings.context"].flatMap((holder) => [
    text(`${holder}.sessionId`),
    text(`${holder}.threadId`),
  ]),
  userId: [text("ai.telemetry.metadata.userId"), text("ai.settings.context.userId")],
  labels: [tagsIn("ai.telemetry.metadata.tags"), tagsIn("ai.settings.context.tags")],
  spanType: [
    mapped("ai.operationId", {
      "ai.generatetext.dogenerate": "llm",
      "ai.streamtext.dostream": "llm",
      "ai.generateobject.dogenerate": "llm",
      "ai.streamobject.dostream": "llm",
      "ai.embed.doembed": "embedding",
      "ai.embedmany.doembed": "embedding",
      "ai.rerank.dorerank": "reranker",
      "ai.toolcall": "tool",
      "ai.generatetext": "agent",
      "ai.streamtext": "agent",
      "ai.generateobject": "agent",
      "ai.streamobject": "agent",
      "ai.embed": "chain",
      "ai.embedmany": "chain",
      "ai.rerank": "chain",
    }),
  ],
  provider: [vendorIn("ai.model.provider")],
  requestedModel: [text("ai.model.id")],
  responseModel: [text("ai.response.model")],
  responseId: [text("ai.response.id")],
  finishReasons: [text("ai.response.finishReason")],
  servedTier: [tierInProviderMetadata],
  inputMessages: [messagesIn("ai.prompt.messages", "user"), messagesIn("ai.prompt", "user")],
  outputMessages: [response],
  systemMessages: [
    {
      takes: ["ai.prompt"],
      read: ({ attributes }) => {
        const system = objectIn(attributes["ai.prompt"])?.system;
        return system === undefined ? [] : readMessages(system, "system");
      },
    },
  ],
  toolName: [text("ai.toolCall.name")],
  toolCallId: [text("ai.toolCall.id")],
  toolArguments: [value("ai.toolCall.args")],
  toolResult: [value("ai.toolCall.result")],
  aroundToolName: /^ai\.toolCall /,
  counting: { name: "ai.usage", cache: "inside", reasoning: "inside" },
  usagePrefixes: ["ai.usage."],
  usageObjects: [["ai.response.providerMetadata", "anthropic", "usage"]],
  // its versions 4, 5 and 6
  usageFigures: [
    ["ai.usage.inputTokens", "input"],
    ["ai.usage.promptTokens", "input"],
    ["ai.usage.tokens", "input"],
    ["ai.usage.outputTokens", "output"],
    ["ai.usage.completionTokens", "output"],
    ["ai.usage.inputTokenDetails.noCacheTokens", "uncached"],
    ["ai.usage.inputTokenDetails.cacheReadTokens", "cacheRead"],
    ["ai.usage.cachedInputTokens", "cacheRead"],
    ["ai.usage.inputTokenDetails.cacheWriteTokens", "cacheWrite"],
    ["ai.usage.outputTokenDetails.reasoningTokens", "reasoning"],
    ["ai.usage.reasoningTokens", "reasoning"],
    ["ai.usage.totalTokens", "total"],
  ],
  tools: toolsIn("ai.prompt.tools"),
  shown: [
    "ai.settings.*",
    "ai.prompt.toolChoice",
    "ai.prompt.tools",
    "ai.telemetry.functionId",
    "resource.name",
    "operation.name",
    "ai.telemetry.metadata.*",
    "ai.response.msToFirstChunk",
    "ai.response.msToFinish",
    "ai.response.avgOutputTokensPerSecond",
    "ai.response.timestamp",
  ],
  alsoSends: [
    "ai.usage.outputTokenDetails.textTokens",
    "gen_ai.input.messages",
    "gen_ai.operation.name",
    "gen_ai.output.messages",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.system",
    "gen_ai.system_instructions",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.result",
    "gen_ai.tool.name",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.agent.name",
    "gen_ai.client.operation.time_to_first_chunk",
    "gen_ai.output.type",
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.max_tokens",
    "gen_ai.request.presence_penalty",
    "gen_ai.request.seed",
    "gen_ai.request.stop_sequences",
    "gen_ai.request.temperature",
    "gen_ai.request.top_k",
    "gen_ai.request.top_p",
    "gen_ai.tool.definitions",
    "gen_ai.tool.type",
    "ai.settings.context.*",
  ],
  unread: {
    "ai.embedding": "vectors, and what they are made of",
    "ai.embeddings": "vectors, and what they are made of",
    "ai.ranking*": "what was asked of the model, in its request",
    "ai.response.files": "files that a model made are too large for a span",
    "ai.schema*": "what was asked of the model, in its request",
    "ai.stream.msToFirstChunk": "durations",
    "ai.value": "vectors, and what they are made of",
    "ai.values": "vectors, and what they are made of",
    "gen_ai.client.operation.duration": "durations",
    "gen_ai.client.operation.time_per_output_chunk": "durations",
    "gen_ai.execute_tool.duration": "durations",
    "ai.request.headers.*": "may carry credentials",
  },
};
