import { PART_BUCKETS, type PartBucket, partsIn } from "@/server/services/pricing/usage/schemas";
import type { Figures } from "./figures";

/** Whether a client's input includes cache reads and writes, and its output includes reasoning. */
export type Way = { readonly cacheInside: boolean; readonly reasoningInside: boolean };

export const PARTS_OF = {
  input_tokens: partsIn("input_tokens"),
  output_tokens: partsIn("output_tokens"),
  cache_read_input_tokens: partsIn("cache_read_input_tokens"),
  cache_creation_input_tokens: partsIn("cache_creation_input_tokens"),
};
export type DividedBucket = keyof typeof PARTS_OF;

const TEXT_OF: Partial<Record<DividedBucket, PartBucket>> = {
  input_tokens: "input_text_tokens",
  output_tokens: "output_text_tokens",
};
const TEXTS: ReadonlySet<PartBucket> = new Set(Object.values(TEXT_OF));
/** Gemini counts what its tools read outside the prompt. */
const NEVER_INSIDE: PartBucket = "tool_use_prompt_token_count";

/** Parts whose cached share is also counted in the cached input. */
const CACHED_SHARES: readonly (readonly [part: PartBucket, cached: PartBucket])[] = [
  ["input_audio_tokens", "cache_read_input_audio_tokens"],
  ["input_image_tokens", "cache_read_input_image_tokens"],
  ["input_video_tokens", "cache_read_input_video_tokens"],
];

export const sumOf = <Name>(names: readonly Name[], count: (name: Name) => number) =>
  names.reduce((sum, name) => sum + count(name), 0);

export type Parts = {
  /** Parts that may have a count. */
  names: readonly PartBucket[];
  count: (part: PartBucket) => number;
  /** Returns the remainder of a bucket without its parts; negative if figures contradict each other. */
  takeOut: (bucket: DividedBucket, whole: number) => number;
};

/** Fast path: most calls have no parts. */
const NO_PARTS: Parts = { names: [], count: () => 0, takeOut: (_, whole) => whole };

/** Returns the parts of buckets in these figures, each counted once. */
export function partsOf({ found, beside }: Figures, way: Way, cache: number): Parts {
  if (!PART_BUCKETS.some((part) => found.has(part))) return NO_PARTS;
  const counts = new Map(PART_BUCKETS.map((part) => [part, found.get(part)?.count ?? 0]));
  const count = (part: PartBucket) => counts.get(part) ?? 0;
  if (way.cacheInside) {
    for (const [part, cached] of CACHED_SHARES) {
      if (count(cached) <= count(part)) counts.set(part, count(part) - count(cached));
    }
  }
  const mayBeInside = (part: PartBucket) => part !== NEVER_INSIDE && !TEXTS.has(part) && !beside.has(part);
  const inside = (bucket: DividedBucket) => sumOf(PARTS_OF[bucket].filter(mayBeInside), count);
  const wholes = { input_tokens: found.get("input")?.count, output_tokens: found.get("output")?.count };
  const inInputOrOutput = inside("input_tokens") + inside("output_tokens");
  const allOf =
    (wholes.input_tokens ?? 0) +
    (wholes.output_tokens ?? 0) +
    (way.cacheInside ? 0 : cache) +
    (way.reasoningInside ? 0 : (found.get("reasoning")?.count ?? 0)) +
    inInputOrOutput;
  const totalHasThemBeside = inInputOrOutput > 0 && found.get("total")?.count === allOf;
  const besideTheirBucket: Partial<Record<DividedBucket, boolean>> = {
    input_tokens: totalHasThemBeside || inside("input_tokens") > (wholes.input_tokens ?? Number.POSITIVE_INFINITY),
    output_tokens: totalHasThemBeside || inside("output_tokens") > (wholes.output_tokens ?? Number.POSITIVE_INFINITY),
  };

  return {
    names: PART_BUCKETS,
    count,
    takeOut(bucket, whole) {
      const rest = besideTheirBucket[bucket] ? whole : whole - inside(bucket);
      const text = TEXT_OF[bucket];
      if (!text || count(text) === 0) return rest;
      if (count(text) < rest) return rest - count(text);
      // If a client lists every medium, its text count is the remainder of the bucket.
      counts.set(text, 0);
      return rest;
    },
  };
}
