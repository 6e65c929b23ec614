import type { Convention, Fields, GivenFeedback } from "../convention";
import { indexed } from "../readers/json-text";
import { flattened, messagesIn } from "../readers/message-source";
import { mapped, number, objectIn, promptIn, type Reader, sumOf, text, textInJson, value } from "../readers/reader";
import { tagsIn } from "../readers/tags";
import { toolsBelow } from "../readers/tools";
import { TIER_KEYS } from "../usage/tier-keys";

/** What every span of it has. */
const KIND = "openinference.span.kind";

export const OPENINFERENCE: Convention = {
  name: "OpenInference (Phoenix)",
  source: "Arize-ai/openinference, openinference-semantic-conventions at 1fe497f1",
  conversationId: [text("session.id")],
  userId: [text("user.id")],
  labels: [tagsIn("tag.tags")],
  spanType: [
    mapped(KIND, {
      llm: "llm",
      embedding: "embedding",
      tool: "tool",
      agent: "agent",
      chain: "chain",
      retriever: "retriever",
      reranker: "reranker",
      guardrail: "guardrail",
      evaluator: "evaluator",
      prompt: "other",
      unknown: "other",
    }),
  ],
  marks: { llm: ["llm.token_count.prompt", "llm.token_count.completion", "llm.model_name"] },
  provider: [text("llm.provider"), text("llm.system")],
  requestedModel: [
    text("llm.request.model_name"),
    textInJson("llm.invocation_parameters", "model", "model_name"),
    textInJson("embedding.invocation_parameters", "model"),
  ],
  responseModel: [text("llm.response.model_name")],
  requestedOrResponseModel: [text("llm.model_name"), text("embedding.model_name")],
  responseId: [leadingId("output.value")], // the whole response as JSON
  finishReasons: [text("llm.finish_reason")],
  reportedCost: [number("llm.cost.total"), sumOf("llm.cost.prompt", "llm.cost.completion")],
  requestedTier: [textInJson("llm.invocation_parameters", ...TIER_KEYS)],
  inputMessages: [flattened("llm.input_messages.", "user")],
  outputMessages: [flattened("llm.output_messages.", "assistant")],
  inputs: [messagesIn("input.value", "user")],
  outputs: [messagesIn("output.value", "assistant")],
  toolName: [text("tool.name")],
  toolCallId: [text("tool.id")],
  toolArguments: [value("input.value")],
  toolResult: [value("output.value")],
  fallback: {
    toolArguments: [value("tool.parameters")],
  },
  counting: { name: "llm.token_count", cache: "inside", reasoning: "inside" },
  usagePrefixes: ["llm.token_count."],
  usageFigures: [
    ["llm.token_count.prompt", "input"],
    ["llm.token_count.completion", "output"],
    ["llm.token_count.prompt_details.cache_read", "cacheRead"],
    ["llm.token_count.prompt_details.cache_write", "cacheWrite"],
    ["llm.token_count.completion_details.reasoning", "reasoning"],
    ["llm.token_count.total", "total"],
  ],
  prompt: [promptIn("llm.prompt_template.version")],
  feedback: [
    judgedIn("annotations.", "annotation"),
    judgedIn("evaluations.", "evaluation"),
    judgedIn("trace.annotations.", "annotation"),
    judgedIn("trace.evaluations.", "evaluation"),
    judgedIn("session.annotations.", "annotation"),
    judgedIn("session.evaluations.", "evaluation"),
  ],
  tools: toolsBelow("llm.tools.", "tool", "json_schema"),
  shown: [
    "llm.invocation_parameters",
    "embedding.invocation_parameters",
    "llm.tools.*",
    "tool.description",
    "tool.json_schema",
    "agent.name",
    "graph.node.*",
    "llm.prompt_template.*",
    "input.mime_type",
    "output.mime_type",
    "llm.cost.*",
    "embedding.embeddings.*",
  ],
  alsoSends: [
    "llm.token_count.completion_details.audio",
    "llm.token_count.prompt_details.audio",
    "llm.token_count.prompt_details.cache_input",
    "llm.input_messages.*.message.role",
    "llm.input_messages.*.message.content",
    "llm.input_messages.*.message.contents.*.message_content.type",
    "llm.input_messages.*.message.contents.*.message_content.text",
    "llm.input_messages.*.message.contents.*.message_content.id",
    "llm.input_messages.*.message.contents.*.message_content.signature",
    "llm.input_messages.*.message.contents.*.message_content.data",
    "llm.input_messages.*.message.contents.*.message_content.encrypted_content",
    "llm.input_messages.*.message.contents.*.message_content.image.image.url",
    "llm.input_messages.*.message.name",
    "llm.input_messages.*.message.tool_calls.*.tool_call.id",
    "llm.input_messages.*.message.tool_calls.*.tool_call.function.name",
    "llm.input_messages.*.message.tool_calls.*.tool_call.function.arguments",
    "llm.input_messages.*.message.tool_calls.*.tool_call.reasoning_signature",
    "llm.input_messages.*.message.function_call_name",
    "llm.input_messages.*.message.function_call_arguments_json",
    "llm.input_messages.*.message.tool_call_id",
    "llm.output_messages.*.message.role",
    "llm.output_messages.*.message.content",
    "llm.output_messages.*.message.contents.*.message_content.type",
    "llm.output_messages.*.message.contents.*.message_content.text",
    "llm.output_messages.*.message.contents.*.message_content.id",
    "llm.output_messages.*.message.contents.*.message_content.signature",
    "llm.output_messages.*.message.contents.*.message_content.data",
    "llm.output_messages.*.message.contents.*.message_content.encrypted_content",
    "llm.output_messages.*.message.contents.*.message_content.image.image.url",
    "llm.output_messages.*.message.name",
    "llm.output_messages.*.message.tool_calls.*.tool_call.id",
    "llm.output_messages.*.message.tool_calls.*.tool_call.function.name",
    "llm.output_messages.*.message.tool_calls.*.tool_call.function.arguments",
    "llm.output_messages.*.message.tool_calls.*.tool_call.reasoning_signature",
    "llm.output_messages.*.message.function_call_name",
    "llm.output_messages.*.message.function_call_arguments_json",
    "llm.output_messages.*.message.tool_call_id",
    "llm.prompt_template.template",
    "llm.prompt_template.variables",
    "llm.prompt_template.version",
    "llm.cost.completion_details.audio",
    "llm.cost.completion_details.output",
    "llm.cost.completion_details.reasoning",
    "llm.cost.prompt_details.audio",
    "llm.cost.prompt_details.cache_input",
    "llm.cost.prompt_details.cache_read",
    "llm.cost.prompt_details.cache_write",
    "llm.cost.prompt_details.input",
    "metadata",
    "graph.node.id",
    "graph.node.name",
    "graph.node.parent_id",
    "llm.tools.*.tool.json_schema",
    "embedding.embeddings.*.embedding.text",
    "embedding.embeddings.*.embedding.vector",
  ],
  unread: {
    "llm.function_call": "the messages hold it as a tool call",
    "prompt.vendor": "where a prompt is kept",
    "prompt.id": "where a prompt is kept",
    "prompt.url": "where a prompt is kept",
    "llm.prompts.*.prompt.text": "`input.value` and `output.value` hold the same text",
    "llm.choices.*.completion.text": "`input.value` and `output.value` hold the same text",
    "retrieval.documents.*": "what a retriever found is shown with its span",
    "reranker.*": "what a retriever found is shown with its span",
    "audio.url": "media are not stored",
    "audio.mime_type": "media are not stored",
    "audio.transcript": "media are not stored",
  },
};

/**
 * Reads what people, models and programs said of a span, such as `annotations.0.annotation.score`. What is said of a trace or a
 * session is on a span of it.
 */
function judgedIn(prefix: string, name: string): Fields["feedback"] {
  return {
    takes: [`${prefix}*`],
    read: ({ span, attributes, treeOf }) => {
      // Most spans of other exporters have no such attribute, and looking for it costs a pass over all.
      if (!(KIND in attributes)) return [];
      return (indexed(treeOf(prefix) ?? {}) ?? []).map((item) => {
        const {
          name: of,
          score,
          label,
          explanation,
          annotator_kind: evaluator,
        } = objectIn(objectIn(item)?.[name]) ?? {};
        const said = { name: of, value: score, label, comment: explanation, evaluator };
        return { ...said, onParent: false, atUs: span.endedUs } as GivenFeedback;
      });
    },
  };
}

/** Reads an `id` at the start of JSON text without parsing it, as it may be long. */
function leadingId(name: string): Reader<string> {
  return {
    takes: [name],
    read: (attributes) => {
      const value = attributes[name];
      return typeof value === "string"
        ? /^\{\s*"id"\s*:\s*"([^"\\]{1,200})"/.exec(value.slice(0, 300))?.[1]
        : undefined;
    },
  };
}
