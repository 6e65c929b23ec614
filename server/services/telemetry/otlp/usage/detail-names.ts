import {
  DETAIL_NAME_MAX,
  type KnownBucket,
  PART_BUCKETS,
  type PartBucket,
} from "@/server/services/pricing/usage/schemas";

/** Media of the parts of input, output and cached input. */
const MEDIA = ["audio", "image", "video", "text"] as const;

/** The name prefix of a bucket's parts. */
const PREFIX_OF = {
  input_tokens: "input",
  output_tokens: "output",
  cache_read_input_tokens: "cache_read_input",
} as const satisfies Partial<Record<KnownBucket, string>>;
/** Buckets whose parts clients name by medium only. */
export type MediumBucket = keyof typeof PREFIX_OF;

const PART_NAMES: ReadonlySet<string> = new Set(PART_BUCKETS);
const asPart = (name: string) => (PART_NAMES.has(name) ? (name as PartBucket) : undefined);

/** Spellings of parts: our own names, and clients' names for the same count. */
const SPELLINGS: ReadonlyMap<string, PartBucket> = new Map([
  ...PART_BUCKETS.map((part) => [part, part] as const),
  ...MEDIA.flatMap((medium) => [
    ...(["input", "output"] as const).flatMap((side) => {
      const part = asPart(`${side}_${medium}_tokens`);
      return part
        ? ([
            [`${side}_${medium}`, part], // Langfuse's handler for LangChain
            [`${side}_modality_${medium}`, part],
            [`${medium}.${side}_tokens`, part], // OpenTelemetry
            [`${medium}_${side}_tokens`, part],
            [`${medium}_${side === "input" ? "prompt" : "candidates"}_tokens`, part], // Pydantic AI, of Gemini
            [camelCase(part), part],
          ] as const)
        : [];
    }),
    ...[asPart(`cache_read_input_${medium}_tokens`)].flatMap((part) =>
      part
        ? [
            [`input_cached_${medium}_tokens`, part] as const, // LiveKit
            [`${medium}.cache_read.input_tokens`, part] as const,
            [`cache_${medium}_read_tokens`, part] as const, // Pydantic AI
            [`${medium}_cache_tokens`, part] as const,
          ]
        : [],
    ),
  ]),
  ["ephemeral_1h_input_tokens", "cache_creation_1h_input_tokens"],
  ["toolUsePromptTokenCount", "tool_use_prompt_token_count"],
  ["tool_use_prompt_tokens", "tool_use_prompt_token_count"],
  ["acceptedPredictionTokens", "accepted_prediction_tokens"],
  ["rejectedPredictionTokens", "rejected_prediction_tokens"],
]);

/** Returns the part that a client's name refers to. */
export const partCalled = (name: string): PartBucket | undefined => SPELLINGS.get(name);

/**
 * Returns the part of a bucket that a client names only by its medium (`audio_tokens` of the input); `counted` for text that is
 * the remainder of the bucket.
 */
export function partOfBucket(bucket: MediumBucket, name: string): PartBucket | "counted" | undefined {
  const medium = name.toLowerCase().replace(/_?tokens?$/, "");
  // Gemini counts pages of documents as images.
  const part = asPart(`${PREFIX_OF[bucket]}_${medium === "document" ? "image" : medium}_tokens`);
  return part ?? (medium === "text" ? "counted" : undefined);
}

/** Names that price catalogues list under another name. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["web_search_requests", "web_searches"], // Anthropic
  ["webSearchRequests", "web_searches"],
]);

/** Totals, money and durations, which are not usage. */
const NO_USAGE =
  /^(?:total(?:[._]?tokens?|[._]token[._]count)?|totalTokens?|totalTokenCount)$|(?:^|[._])(?:cost|price|usd)(?:s|[._]|$)|(?:cost|price|usd)$|(?:^|[._])(?:time|latency|duration)$/i;

/** Returns the detail name for a client's figure; `undefined` if it is not a detail. */
export function detailCalled(name: string): string | undefined {
  if (name === "" || name.length > DETAIL_NAME_MAX || name === "__proto__" || NO_USAGE.test(name)) return undefined;
  return SYNONYMS.get(name) ?? name;
}

function camelCase(name: string) {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
