import type { Usage } from "../schemas";

/** A detail's longest name: what is longer, neither a price nor a condition could name. */
export const DETAIL_NAME_MAX = 100;

/** Buckets that every reader and every price list agree on. All other usage is a detail. */
const KNOWN_BUCKETS = [
  "input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
] as const;
export type KnownBucket = (typeof KNOWN_BUCKETS)[number];
const KNOWN: ReadonlySet<string> = new Set(KNOWN_BUCKETS);

/**
 * Details that a client counts within a known bucket. Ingest takes them out of it, so that no count is in two places; what a
 * definition has no own price for costs what its bucket costs.
 */
const PARTS = {
  input_audio_tokens: "input_tokens",
  input_image_tokens: "input_tokens",
  input_video_tokens: "input_tokens",
  input_text_tokens: "input_tokens",
  tool_use_prompt_token_count: "input_tokens",
  output_audio_tokens: "output_tokens",
  output_image_tokens: "output_tokens",
  output_video_tokens: "output_tokens",
  output_text_tokens: "output_tokens",
  accepted_prediction_tokens: "output_tokens",
  rejected_prediction_tokens: "output_tokens",
  cache_creation_1h_input_tokens: "cache_creation_input_tokens",
  cache_read_input_audio_tokens: "cache_read_input_tokens",
  cache_read_input_image_tokens: "cache_read_input_tokens",
  cache_read_input_video_tokens: "cache_read_input_tokens",
} as const satisfies Record<string, KnownBucket>;
export type PartBucket = keyof typeof PARTS;

const PART_OF: ReadonlyMap<string, KnownBucket> = new Map(Object.entries(PARTS));
export const PART_BUCKETS = Object.keys(PARTS) as readonly PartBucket[];

/** Returns the known bucket that a detail is part of; `undefined` for everything else. */
export const bucketOf = (name: string): KnownBucket | undefined => PART_OF.get(name);

export const isKnownBucket = (name: string): boolean => KNOWN.has(name);

/** Returns whether usage under this name counts tokens that some known bucket is about, and not searches or seconds. */
export const isOfKnownBucket = (name: string): boolean => KNOWN.has(name) || PART_OF.has(name);

/** Returns usage by known bucket alone, each with its parts. */
export function wholeBuckets(usage: Usage): Usage {
  const whole: Usage = {};
  for (const [name, count] of Object.entries(usage)) {
    const bucket = bucketOf(name) ?? name;
    if (KNOWN.has(bucket)) whole[bucket] = (whole[bucket] ?? 0) + count;
  }
  return whole;
}
