import { cleanDeep, parseJson } from "../readers/json-text";
import { numberOf, objectIn } from "../readers/reader";
import type { Attributes } from "../types";

/** What a figure of a client's usage counts. `uncached` is input less everything that a cache took or gave. */
export type Quantity =
  | "input"
  | "uncached"
  | "output"
  | "total"
  | "cacheRead"
  | "cacheWrite"
  | "cacheWrite5m"
  | "cacheWrite1h"
  | "reasoning"
  | "inputAudio"
  | "outputAudio"
  | "inputImage"
  | "outputImage";

/**
 * Where a convention counts cached and reasoning tokens: `inside` input and output, `beside` them, or nobody knows.
 */
export type Convention = { name: string; cache: "inside" | "beside" | null; reasoning: "inside" | "beside" | null };

const OTEL: Convention = { name: "gen_ai.usage", cache: "inside", reasoning: "inside" };
const OPENINFERENCE: Convention = { name: "llm.token_count", cache: "inside", reasoning: "inside" };
const AI_SDK: Convention = { name: "ai.usage", cache: "inside", reasoning: "inside" };
const CLAUDE_CODE: Convention = { name: "claude-code", cache: "beside", reasoning: "inside" };

/** Attributes that are one figure each. The first present of a quantity counts; repeats of it are only kept as sent. */
const FLAT: readonly (readonly [name: string, quantity: Quantity, convention: Convention])[] = [
  // OpenTelemetry GenAI, its older names, and what clients add under them
  ["gen_ai.usage.input_tokens", "input", OTEL],
  ["gen_ai.usage.prompt_tokens", "input", OTEL],
  ["gen_ai.usage.output_tokens", "output", OTEL],
  ["gen_ai.usage.completion_tokens", "output", OTEL],
  ["gen_ai.usage.cache_read.input_tokens", "cacheRead", OTEL],
  ["gen_ai.usage.cache_read_input_tokens", "cacheRead", OTEL],
  ["gen_ai.usage.details.cache_read_tokens", "cacheRead", OTEL], // Pydantic AI
  ["gen_ai.usage.details.cache_read_input_tokens", "cacheRead", OTEL],
  ["gen_ai.usage.cache_write.input_tokens", "cacheWrite", OTEL],
  ["gen_ai.usage.cache_creation.input_tokens", "cacheWrite", OTEL],
  ["gen_ai.usage.cache_creation_input_tokens", "cacheWrite", OTEL],
  ["gen_ai.usage.cache_write_input_tokens", "cacheWrite", OTEL],
  ["gen_ai.usage.details.cache_write_tokens", "cacheWrite", OTEL],
  ["gen_ai.usage.details.cache_creation_input_tokens", "cacheWrite", OTEL],
  ["anthropic.usage.cache_creation.ephemeral_5m_input_tokens", "cacheWrite5m", OTEL],
  ["anthropic.usage.cache_creation.ephemeral_1h_input_tokens", "cacheWrite1h", OTEL],
  ["gen_ai.usage.reasoning.output_tokens", "reasoning", OTEL],
  ["gen_ai.usage.reasoning_tokens", "reasoning", OTEL],
  ["gen_ai.usage.details.reasoning_tokens", "reasoning", OTEL],
  ["gen_ai.usage.audio.input_tokens", "inputAudio", OTEL],
  ["gen_ai.usage.audio.output_tokens", "outputAudio", OTEL],
  ["gen_ai.usage.image.input_tokens", "inputImage", OTEL],
  ["gen_ai.usage.image.output_tokens", "outputImage", OTEL],
  ["gen_ai.usage.total_tokens", "total", OTEL],
  ["llm.usage.total_tokens", "total", OTEL],
  ["gen_ai.client.token.usage", "total", OTEL], // OpenLIT
  // OpenInference
  ["llm.token_count.prompt", "input", OPENINFERENCE],
  ["llm.token_count.completion", "output", OPENINFERENCE],
  ["llm.token_count.prompt_details.cache_read", "cacheRead", OPENINFERENCE],
  ["llm.token_count.prompt_details.cache_write", "cacheWrite", OPENINFERENCE],
  ["llm.token_count.prompt_details.audio", "inputAudio", OPENINFERENCE],
  ["llm.token_count.completion_details.reasoning", "reasoning", OPENINFERENCE],
  ["llm.token_count.completion_details.audio", "outputAudio", OPENINFERENCE],
  ["llm.token_count.total", "total", OPENINFERENCE],
  // Vercel AI SDK 4, 5 and 6
  ["ai.usage.inputTokens", "input", AI_SDK],
  ["ai.usage.promptTokens", "input", AI_SDK],
  ["ai.usage.tokens", "input", AI_SDK],
  ["ai.usage.outputTokens", "output", AI_SDK],
  ["ai.usage.completionTokens", "output", AI_SDK],
  ["ai.usage.inputTokenDetails.noCacheTokens", "uncached", AI_SDK],
  ["ai.usage.inputTokenDetails.cacheReadTokens", "cacheRead", AI_SDK],
  ["ai.usage.cachedInputTokens", "cacheRead", AI_SDK],
  ["ai.usage.inputTokenDetails.cacheWriteTokens", "cacheWrite", AI_SDK],
  ["ai.usage.outputTokenDetails.reasoningTokens", "reasoning", AI_SDK],
  ["ai.usage.reasoningTokens", "reasoning", AI_SDK],
  ["ai.usage.totalTokens", "total", AI_SDK],
  // Claude Code
  ["input_tokens", "input", CLAUDE_CODE],
  ["output_tokens", "output", CLAUDE_CODE],
  ["cache_read_tokens", "cacheRead", CLAUDE_CODE],
  ["cache_creation_tokens", "cacheWrite", CLAUDE_CODE],
];

/** Attributes that hold a whole usage object, and where in it. What the flat attributes leave out is taken from here. */
const OBJECTS: readonly (readonly [name: string, ...path: string[]])[] = [
  ["gen_ai.usage.raw"], // Logfire
  ["langfuse.observation.usage_details"],
  ["metadata.usage_object"], // LiteLLM, as Python text
  ["ai.response.providerMetadata", "anthropic", "usage"],
  ["genkit:output", "usage"],
  ["gcp.vertex.agent.llm_response", "usage_metadata"],
];

/** Usage objects, told apart by a name that only they have. The first that fits; what none of them fits says nothing. */
const SHAPES: readonly (readonly [marks: readonly string[], convention: Convention])[] = [
  [["prompt_token_count", "promptTokenCount"], { name: "gemini", cache: "inside", reasoning: "beside" }],
  [["thoughtsTokens", "inputCharacters"], { name: "genkit", cache: "inside", reasoning: null }],
  [
    ["cache_read_input_tokens", "cache_creation_input_tokens"],
    { name: "anthropic", cache: "beside", reasoning: "inside" },
  ],
  [
    ["prompt_tokens", "prompt_tokens_details", "input_tokens_details"],
    { name: "openai", cache: "inside", reasoning: "inside" },
  ],
  [["input", "input_cache_read", "output_reasoning"], { name: "langfuse", cache: "beside", reasoning: "beside" }],
];
const UNKNOWN_SHAPE: Convention = { name: "object", cache: null, reasoning: null };

/** Names inside usage objects. */
const INSIDE: readonly (readonly [quantity: Quantity, ...path: string[]])[] = [
  ["input", "input_tokens"],
  ["input", "prompt_tokens"],
  ["input", "prompt_token_count"],
  ["input", "promptTokenCount"],
  ["input", "inputTokens"],
  ["input", "input"],
  ["output", "output_tokens"],
  ["output", "completion_tokens"],
  ["output", "candidates_token_count"],
  ["output", "candidatesTokenCount"],
  ["output", "outputTokens"],
  ["output", "output"],
  ["total", "total_tokens"],
  ["total", "total_token_count"],
  ["total", "totalTokenCount"],
  ["total", "totalTokens"],
  ["total", "total"],
  ["cacheRead", "cache_read_input_tokens"],
  ["cacheRead", "prompt_tokens_details", "cached_tokens"],
  ["cacheRead", "input_tokens_details", "cached_tokens"],
  ["cacheRead", "cached_content_token_count"],
  ["cacheRead", "cachedContentTokenCount"],
  ["cacheRead", "cachedContentTokens"],
  ["cacheRead", "input_cache_read"],
  ["cacheRead", "input_cached_tokens"],
  ["cacheWrite", "cache_creation_input_tokens"],
  ["cacheWrite", "input_cache_creation"],
  ["cacheWrite", "prompt_tokens_details", "cache_write_tokens"],
  ["cacheWrite5m", "cache_creation", "ephemeral_5m_input_tokens"],
  ["cacheWrite1h", "cache_creation", "ephemeral_1h_input_tokens"],
  ["reasoning", "completion_tokens_details", "reasoning_tokens"],
  ["reasoning", "output_tokens_details", "reasoning_tokens"],
  ["reasoning", "thoughts_token_count"],
  ["reasoning", "thoughtsTokenCount"],
  ["reasoning", "thoughtsTokens"],
  ["reasoning", "output_reasoning"],
  ["reasoning", "reasoning_tokens"],
  ["inputAudio", "prompt_tokens_details", "audio_tokens"],
  ["inputAudio", "input_audio"],
  ["outputAudio", "completion_tokens_details", "audio_tokens"],
  ["outputAudio", "output_audio"],
];

/** The attributes that this table takes. */
export const USAGE_ATTRIBUTES: readonly string[] = [...FLAT.map(([name]) => name), ...OBJECTS.map(([name]) => name)];

export type Figure = { count: number; convention: Convention };
export type Figures = {
  found: ReadonlyMap<Quantity, Figure>;
  /** Every figure as sent, by the name of its attribute. */
  raw: Record<string, unknown>;
};

/** Collects what a span says about usage, unreconciled, or `null` when it says nothing. */
export function readFigures(attributes: Attributes): Figures | null {
  const found = new Map<Quantity, Figure>();
  const raw: Record<string, unknown> = {};
  for (const [name, quantity, convention] of FLAT) {
    const sent = attributes[name];
    if (sent === undefined) continue;
    const count = countOf(sent);
    if (count === undefined) continue;
    raw[name] = sent;
    if (!found.has(quantity)) found.set(quantity, { count, convention });
  }
  for (const [name, ...path] of OBJECTS) {
    const sent = attributes[name];
    if (sent === undefined) continue;
    const object = objectAt(sent, path);
    if (!object) continue;
    raw[name] = cleanDeep(object, 0);
    const convention = conventionOf(object);
    for (const [quantity, ...inside] of INSIDE) {
      const count = countOf(valueAt(object, inside));
      if (count !== undefined && !found.has(quantity)) found.set(quantity, { count, convention });
    }
  }
  return found.size > 0 ? { found, raw } : null;
}

function conventionOf(object: Readonly<Record<string, unknown>>): Convention {
  return SHAPES.find(([marks]) => marks.some((mark) => mark in object))?.[1] ?? UNKNOWN_SHAPE;
}

function objectAt(sent: unknown, path: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const parsed = typeof sent === "string" && sent.startsWith("{'") ? parseJson(pythonToJson(sent)) : sent;
  return objectIn(valueAt(objectIn(parsed), path));
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}

/** Python's text of a dictionary of numbers, as JSON. Texts inside it may have quotes: then it is no JSON, and is left. */
function pythonToJson(text: string): string {
  return text.replaceAll("'", '"').replaceAll("None", "null").replaceAll("True", "true").replaceAll("False", "false");
}

/** Tokens are counted from zero: a negative or fractional figure says nothing. */
function countOf(sent: unknown): number | undefined {
  const count = numberOf(sent);
  return count !== undefined && count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}
