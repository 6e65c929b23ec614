import type { Usage } from "../schemas";

/** Characters. Neither a price nor a condition can refer to a longer detail name. */
export const DETAIL_NAME_MAX = 100;

/**
 * Buckets shared by all readers and price lists, in the order in which they are listed; all other usage is a detail. With each its
 * parts: details that clients include in it. Ingest subtracts them from it, so that counts are disjoint. A part without its own
 * price in a definition costs what its bucket costs, except for media in a default (see `priceKey`).
 */
const BUCKETS = {
  input_tokens: [
    "input_audio_tokens",
    "input_image_tokens",
    "input_video_tokens",
    "input_text_tokens",
    "tool_use_prompt_token_count",
  ],
  cache_read_input_tokens: [
    "cache_read_input_audio_tokens",
    "cache_read_input_image_tokens",
    "cache_read_input_video_tokens",
  ],
  cache_creation_input_tokens: ["cache_creation_1h_input_tokens"],
  output_tokens: [
    "output_audio_tokens",
    "output_image_tokens",
    "output_video_tokens",
    "output_text_tokens",
    "accepted_prediction_tokens",
    "rejected_prediction_tokens",
  ],
  reasoning_output_tokens: [],
} as const;
export type KnownBucket = keyof typeof BUCKETS;
export type PartBucket = (typeof BUCKETS)[KnownBucket][number];

export const KNOWN_BUCKETS = Object.keys(BUCKETS) as readonly KnownBucket[];
const KNOWN: ReadonlySet<string> = new Set(KNOWN_BUCKETS);

/** Returns the parts of a bucket. */
export const partsIn = (bucket: KnownBucket): readonly PartBucket[] => BUCKETS[bucket];
export const PART_BUCKETS = KNOWN_BUCKETS.flatMap(partsIn);
const PART_OF: ReadonlyMap<string, KnownBucket> = new Map(
  KNOWN_BUCKETS.flatMap((bucket) => partsIn(bucket).map((part) => [part, bucket] as const)),
);

const SERVICE_TIER = "service_tier_";

/**
 * Returns the name under which usage says that a call was served in another way than the standard one, at another price
 * (`flex`, `batch`, `priority`, `fast`): a detail with the count 1, which a tier's conditions can refer to.
 */
export const serviceTierCalled = (tier: string): string =>
  SERVICE_TIER +
  tier
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .slice(0, DETAIL_NAME_MAX - SERVICE_TIER.length);

export const isServiceTier = (name: string): boolean => name.startsWith(SERVICE_TIER);

/** Returns the medium of a detail that counts tokens of audio, images or video, or `undefined`. */
export const mediumOf = (name: string): string | undefined =>
  PART_OF.has(name) ? /_(audio|image|video)_tokens$/.exec(name)?.[1] : undefined;

/** Every name of usage that counts tokens. */
export const TOKEN_NAMES: readonly string[] = [...KNOWN_BUCKETS, ...PART_BUCKETS];

/** Returns the known bucket that a detail is part of, or `undefined`. */
export const bucketOf = (name: string): KnownBucket | undefined => PART_OF.get(name);

export const isKnownBucket = (name: string): boolean => KNOWN.has(name);

/** Returns whether usage under this name counts tokens of a known bucket, as opposed to searches or seconds. */
export const isOfKnownBucket = (name: string): boolean => KNOWN.has(name) || PART_OF.has(name);

/** Returns usage by known bucket, with parts added to their bucket and other details dropped. */
export function wholeBuckets(usage: Usage): Usage {
  const whole: Usage = {};
  for (const [name, count] of Object.entries(usage)) {
    const bucket = bucketOf(name) ?? name;
    if (KNOWN.has(bucket)) whole[bucket] = (whole[bucket] ?? 0) + count;
  }
  return whole;
}
