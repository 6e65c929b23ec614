import type { Convention } from "../convention";
import { plainMessage, textPart } from "../messages/plain-message";
import type { MessageSource } from "../readers/message-source";
import { firstOf, mapped, objectIn, type Reader, text, textOf } from "../readers/reader";

export const ANTHROPIC_SDK: Convention = {
  name: "Anthropic’s SDK",
  source: null,
  finishReasons: [text("anthropic.message.stop_reason")],
  servedTier: [text("anthropic.response.service_tier")],
  surcharges: [
    { ...inUsage("speed"), standard: ["standard", "normal"] },
    { ...inUsage("inference_geo"), standard: ["global", "not_available"], prefix: "geo_" },
  ],
  usagePrefixes: ["anthropic.usage."],
  usageFigures: [
    ["anthropic.usage.cache_creation.ephemeral_5m_input_tokens", "cacheWrite5m"],
    ["anthropic.usage.cache_creation.ephemeral_1h_input_tokens", "cache_creation_1h_input_tokens"],
  ],
  alsoSends: [],
  unread: {
    "anthropic.request.id": "the id of a request; the response has its own",
  },
};

/** What it sends in place of a prompt unless it is told to send prompts. */
const REDACTED = "<REDACTED>";

/** What the person asked, on the span of the interaction. */
const prompt: MessageSource = {
  takes: ["user_prompt"],
  read: ({ attributes: { user_prompt: asked } }) =>
    typeof asked === "string" && asked !== REDACTED ? [plainMessage("user", [textPart(asked)])] : [],
};

/** What it answered, in a log record of the interaction for each answer. */
const responses: MessageSource = {
  takes: [],
  events: ["assistant_response"],
  read: ({ events }) =>
    events.flatMap(({ name, attributes: { response } }) =>
      name === "assistant_response" && typeof response === "string" && response !== REDACTED
        ? [plainMessage("assistant", [textPart(response)])]
        : [],
    ),
};

export const CLAUDE_CODE: Convention = {
  name: "Claude Code",
  source: null,
  spanType: [
    mapped("span.type", {
      llm_request: "llm",
      tool: "tool",
      interaction: "agent",
      // Parts of the tool's span, which name its call, too.
      "tool.blocked_on_user": "other",
      "tool.execution": "other",
    }),
  ],
  inputMessages: [prompt],
  outputMessages: [responses],
  requestedModel: [text("model")],
  surcharges: [{ takes: ["speed"], read: ({ speed }) => (speed === "fast" ? speed : undefined) }],
  toolName: [text("tool_name")],
  toolCallId: [text("tool_use_id")],
  toolEvents: [{ result: "tool.output" }],
  failed: [mapped("success", { false: true })],
  counting: { name: "claude-code", cache: "beside", reasoning: "inside" },
  usageFigures: [
    ["input_tokens", "input"],
    ["output_tokens", "output"],
    ["cache_read_tokens", "cacheRead"],
    ["cache_creation_tokens", "cacheWrite"],
  ],
  shown: ["ttft_ms"],
  alsoSends: [],
  unread: {
    attempt: "every attempt has its own span",
    "llm_request.context": "which part of Claude Code asked",
    "tool.result": "the event of the tool holds it",
  },
};

/** Reads a field of the vendor's usage, wherever a client puts that. */
function inUsage(field: string): Reader<string> {
  const flat = [text(`anthropic.usage.${field}`), text(`gen_ai.usage.${field}`), text(`anthropic.response.${field}`)];
  return {
    takes: flat.flatMap(({ takes }) => takes),
    read: (attributes) =>
      firstOf(flat, attributes) ??
      textOf(objectIn(attributes["gen_ai.usage.raw"])?.[field]) ??
      textOf(objectIn(objectIn(objectIn(attributes["ai.response.providerMetadata"])?.anthropic)?.usage)?.[field]),
  };
}
