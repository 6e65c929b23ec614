import type { PartBucket } from "@/server/services/pricing/usage/schemas";
import { CONVENTIONS } from "../conventions";
import { GENKIT } from "../conventions/genkit";
import { LANGFUSE } from "../conventions/langfuse";
import { LITELLM } from "../conventions/litellm";
import { LIVEKIT } from "../conventions/livekit";
import { OPENLLMETRY } from "../conventions/openllmetry";
import { OPENTELEMETRY } from "../conventions/opentelemetry";
import { PYDANTIC } from "../conventions/pydantic";
import { VERCEL_AI_SDK } from "../conventions/vercel-ai-sdk";
import { parseJson, plainDeep } from "../readers/json-text";
import { inOrder, sourcesOf } from "../readers/precedence";
import { numberOf, objectIn } from "../readers/reader";
import type { Attributes } from "../types";
import { byQuantity, type Counting, type Quantity, type WholeQuantity } from "./counting";
import { detailCalled, type MediumBucket, partCalled, partOfBucket } from "./detail-names";

/** How OpenTelemetry counts, and clients that use its names. */
const OTEL: Counting = { name: "gen_ai.usage", cache: "inside", reasoning: "inside" };

/** An attribute with one figure. */
type FlatFigure = { name: string; quantity: Quantity; counting: Counting };

const FIGURES: readonly FlatFigure[] = inOrder({ first: [OPENTELEMETRY, LIVEKIT, PYDANTIC, OPENLLMETRY] }).flatMap(
  ({ usageFigures = [], counting = OTEL }) => usageFigures.map(([name, quantity]) => ({ name, quantity, counting })),
);

/** Attributes with one figure each. The first present for a quantity counts; repeats are stored as raw usage only. */
const FLAT: readonly FlatFigure[] = [...Map.groupBy(FIGURES, ({ counting }) => counting).values()].flatMap((figures) =>
  figures.toSorted(byQuantity),
);

/** Clients that use OpenTelemetry's names but count differently. */
const DIALECTS = CONVENTIONS.flatMap(({ dialect }) => dialect ?? []);

/** Attributes that hold a usage object, with its path. They supply what the flat attributes lack. */
const OBJECTS = sourcesOf("usageObjects", { first: [PYDANTIC, LANGFUSE, LITELLM, VERCEL_AI_SDK, GENKIT] });

/** Attributes that hold details of input or output beside the flat attributes, with the name of what they detail. */
const DETAIL_OBJECTS = sourcesOf("usageDetails");

const OF_LANGFUSE = "langfuse";

/** Usage objects by a name that only they have. The first match decides; without a match, how it counts is unknown. */
const SHAPES: readonly (readonly [marks: readonly string[], counting: Counting])[] = [
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
  [["input", "input_cache_read", "output_reasoning"], { name: OF_LANGFUSE, cache: "beside", reasoning: "beside" }],
];
const UNKNOWN_SHAPE: Counting = { name: "object", cache: null, reasoning: null };

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
  ["cache_creation_1h_input_tokens", "cache_creation", "ephemeral_1h_input_tokens"],
  ["reasoning", "completion_tokens_details", "reasoning_tokens"],
  ["reasoning", "output_tokens_details", "reasoning_tokens"],
  ["reasoning", "thoughts_token_count"],
  ["reasoning", "thoughtsTokenCount"],
  ["reasoning", "thoughtsTokens"],
  ["reasoning", "output_reasoning"],
  ["reasoning", "reasoning_tokens"],
];

/** Containers in which names state only a medium, with the bucket that they belong to; `null` for no particular bucket. */
const CONTAINERS: ReadonlyMap<string, MediumBucket | null> = new Map<string, MediumBucket | null>([
  ["prompt_tokens_details", "input_tokens"],
  ["promptTokensDetails", "input_tokens"],
  ["input_tokens_details", "input_tokens"],
  ["input_token_details", "input_tokens"],
  ["inputTokenDetails", "input_tokens"],
  ["prompt_details", "input_tokens"],
  ["completion_tokens_details", "output_tokens"],
  ["candidates_tokens_details", "output_tokens"],
  ["candidatesTokensDetails", "output_tokens"],
  ["output_tokens_details", "output_tokens"],
  ["output_token_details", "output_tokens"],
  ["outputTokenDetails", "output_tokens"],
  ["completion_details", "output_tokens"],
  ["cached_tokens_details", "cache_read_input_tokens"],
  ["cache_tokens_details", "cache_read_input_tokens"],
  ["cacheTokensDetails", "cache_read_input_tokens"],
  ["details", null], // Pydantic AI
  ["server_tool_use", null], // Anthropic
  ["serverToolUse", null],
]);
/** Breakdowns of a figure that is already counted. */
const COUNTED_ABOVE: ReadonlySet<string> = new Set(["tool_use_prompt_tokens_details", "toolUsePromptTokensDetails"]);

/** Names of known quantities at any path; `counted` are those that the tables above read. */
const OTHER_NAMES: ReadonlyMap<string, WholeQuantity | "counted"> = new Map(
  Object.entries({
    cacheRead: [
      "cache_read_input_tokens",
      "cache_read_input_token_count",
      "cache_read_tokens",
      "cache_read",
      "cached_tokens",
      "cached_input_tokens",
      "input_cached_text_tokens", // LiveKit, if it sends no sum
      "prompt_cached_tokens",
      "cached_content_tokens", // Pydantic AI, of Gemini
      "cached_prompt_tokens",
      "cached_prompt_text_tokens", // xAI
      "prompt_cache_hit_tokens", // DeepSeek
      "cacheReadTokens",
      "cacheReadInputTokens", // Bedrock
      "cachedInputTokens",
    ],
    cacheWrite: [
      "cache_creation_input_tokens",
      "cache_creation_tokens",
      "cache_creation",
      "cache_write_input_tokens",
      "cache_write_tokens",
      "cache_write",
      "cacheCreationInputTokens",
      "cacheWriteInputTokens", // Bedrock
      "cacheWriteTokens",
    ],
    cacheWrite5m: ["ephemeral_5m_input_tokens", "cache_creation_5m_input_tokens"],
    reasoning: [
      "reasoning_output_tokens",
      "reasoning_tokens",
      "reasoningTokens",
      "reasoning",
      "output_reasoning",
      "output_reasoning_tokens",
      "thinking_tokens", // Anthropic
      "thoughts_tokens", // Pydantic AI, of Gemini
    ],
    counted: [
      "input_tokens",
      "inputTokens",
      "prompt_tokens",
      "promptTokens",
      "output_tokens",
      "outputTokens",
      "completion_tokens",
      "completionTokens",
      "prompt_cache_miss_tokens",
      "noCacheTokens",
    ],
  } satisfies Partial<Record<WholeQuantity | "counted", string[]>>).flatMap(([quantity, names]) =>
    names.map((name) => [name, quantity as WholeQuantity | "counted"] as const),
  ),
);

export type Figure = { count: number; counting: Counting };
export type Figures = {
  found: ReadonlyMap<Quantity, Figure>;
  /** Parts that the client counts outside their bucket. */
  beside: ReadonlySet<PartBucket>;
  /** All other usage, by the client's own name. */
  details: ReadonlyMap<string, number>;
  /** All figures as sent, by attribute name. */
  raw: Record<string, unknown>;
};

const FLAT_NAMES: ReadonlySet<string> = new Set(FLAT.map(({ name }) => name));
const INSIDE_PATHS: ReadonlySet<string> = new Set(INSIDE.map(([, ...path]) => path.join(".")));

/** Collects the usage figures of a span, not reconciled; `null` if it has none. */
export function readFigures(attributes: Attributes): Figures | null {
  const found = new Map<Quantity, Figure>();
  const raw: Record<string, unknown> = Object.create(null);
  const otel = dialectOf(attributes);
  for (const { name, quantity, counting } of FLAT) {
    const sent = attributes[name];
    if (sent === undefined) continue;
    const count = countOf(sent);
    if (count === undefined) continue;
    raw[name] = sent;
    const counted = counting === OTEL ? otel : counting;
    if (isUnset(found, quantity) && !(quantity === "total" && counted.totalIsSum)) {
      found.set(quantity, { count, counting: counted });
    }
  }
  const others: OtherFigures = { found, beside: new Set(), details: new Map() };
  for (const name in attributes) {
    // Other attributes are not accessed: one may be a long history, which is assembled from its parts on access.
    const other = FLAT_NAMES.has(name) || !hasUsagePrefix(name) ? undefined : otherFigureIn(name, attributes[name]);
    if (!other) continue;
    raw[name] = attributes[name];
    addOther(others, other, otel);
  }
  for (const [name, ...path] of OBJECTS) {
    const sent = attributes[name];
    if (sent === undefined) continue;
    const object = objectAt(sent, path);
    if (!object) continue;
    const clean = plainDeep(object) as Readonly<Record<string, unknown>>;
    raw[name] = clean;
    const counting = countingOf(object);
    for (const [quantity, ...inside] of INSIDE) {
      const count = countOf(valueAt(object, inside));
      if (count !== undefined && isUnset(found, quantity)) found.set(quantity, { count, counting });
    }
    for (const leaf of leavesOf(clean)) {
      if (!INSIDE_PATHS.has(leaf.path.join("."))) addOther(others, leaf, counting);
    }
  }
  for (const [name, container] of DETAIL_OBJECTS) {
    const object = objectIn(attributes[name]);
    if (!object) continue;
    const clean = plainDeep(object) as Readonly<Record<string, unknown>>;
    raw[name] = clean;
    for (const leaf of leavesOf(clean, [container])) addOther(others, leaf, otel);
  }
  return found.size > 0 || others.details.size > 0 ? { ...others, raw } : null;
}

/** Whether a later figure counts: clients send zero under one name and the number under another. */
const isUnset = (found: ReadonlyMap<Quantity, Figure>, quantity: Quantity) => !found.get(quantity)?.count;

type OtherFigures = { found: Map<Quantity, Figure>; beside: Set<PartBucket>; details: Map<string, number> };

/** Records a figure that no table lists: as another spelling, as a part of a bucket, or under its own name. */
function addOther({ found, beside, details }: OtherFigures, { path, value }: Leaf, counting: Counting) {
  if (path.some((step) => COUNTED_ABOVE.has(step))) return;
  const name = path.at(-1) ?? "";
  const part = partCalled(path.join(".")) ?? partIn(path) ?? partCalled(name);
  const quantity = part ?? OTHER_NAMES.get(name);
  if (quantity === undefined) return addDetail(details, path, value);
  const count = countOf(value);
  if (quantity === "counted" || count === undefined || !isUnset(found, quantity)) return;
  found.set(quantity, { count, counting });
  // Langfuse's handler for LangChain subtracts `input_audio` from `input`.
  if (part && part !== "counted" && counting.name === OF_LANGFUSE && !name.includes("token")) beside.add(part);
}

function partIn(path: readonly string[]): PartBucket | "counted" | undefined {
  const container = CONTAINERS.get(path.at(-2) ?? "");
  return container ? partOfBucket(container, path.at(-1) ?? "") : undefined;
}

/** Limit of detail names read per span. */
const DETAILS_READ = 1_000;

function addDetail(details: Map<string, number>, path: readonly string[], value: unknown) {
  const name = detailCalled(path.filter((step) => !CONTAINERS.has(step)).join("."));
  const amount = amountOf(value);
  if (name === undefined || amount === undefined || details.has(name) || details.size >= DETAILS_READ) return;
  details.set(name, amount);
}

/** A figure with its path, outermost name first. */
type Leaf = { path: readonly string[]; value: unknown };

/** Attributes with these prefixes are usage, whatever their name. */
const PREFIXES = CONVENTIONS.flatMap(({ usagePrefixes = [] }) => usagePrefixes);

const hasUsagePrefix = (attribute: string) => PREFIXES.some((prefix) => attribute.startsWith(prefix));

/** Returns the figure in an attribute that no table lists but whose prefix marks it as usage. */
export function otherFigureIn(attribute: string, value: unknown): Leaf | undefined {
  for (const prefix of PREFIXES) {
    if (!attribute.startsWith(prefix)) continue;
    return numberOf(value) === undefined ? undefined : { path: attribute.slice(prefix.length).split("."), value };
  }
  return undefined;
}

const MAX_LEAF_DEPTH = 4;

/** Yields the figures in a usage object. The only lists that are read are Gemini's, which count by modality. */
function* leavesOf(object: Readonly<Record<string, unknown>>, above: readonly string[] = []): Generator<Leaf> {
  for (const [name, value] of Object.entries(object)) {
    const path = [...above, name];
    if (Array.isArray(value)) {
      for (const item of value) {
        const of = objectIn(item);
        const modality = of?.modality;
        if (typeof modality === "string") yield { path: [...path, modality], value: of?.token_count ?? of?.tokenCount };
      }
    } else if (typeof value === "object" && value !== null) {
      if (path.length < MAX_LEAF_DEPTH) yield* leavesOf(value as Readonly<Record<string, unknown>>, path);
    } else yield { path, value };
  }
}

/** Returns how a client counts what it sends under OpenTelemetry's names. */
function dialectOf(attributes: Attributes): Counting {
  for (const { marks, counting } of DIALECTS) {
    for (const [name, value] of marks) {
      const sent = attributes[name];
      if (value === undefined ? sent !== undefined : sent === value) return counting;
    }
  }
  return OTEL;
}

function countingOf(object: Readonly<Record<string, unknown>>): Counting {
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

/** Converts Python's text of a dictionary of numbers to JSON. If texts inside contain quotes, the result is not JSON and is ignored. */
function pythonToJson(text: string): string {
  return text.replaceAll("'", '"').replaceAll("None", "null").replaceAll("True", "true").replaceAll("False", "false");
}

/** Reads a token count; a negative or fractional figure is ignored. */
function countOf(sent: unknown): number | undefined {
  const count = numberOf(sent);
  return count !== undefined && count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

/** Smaller quantities are not billed by any provider. */
const MIN_AMOUNT = 1e-9;

/**
 * Reads an amount in other units, which may be fractional (seconds). Zero means no usage, and amounts beyond exact integers are
 * ignored.
 */
function amountOf(sent: unknown): number | undefined {
  const amount = numberOf(sent);
  return amount !== undefined && amount >= MIN_AMOUNT && amount <= Number.MAX_SAFE_INTEGER ? amount : undefined;
}
