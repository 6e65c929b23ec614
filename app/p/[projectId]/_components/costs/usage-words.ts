import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";

type Usage = Readonly<Record<string, number>>;

/** Returns the number of tokens used, without searches, seconds and clients' own details. */
export const tokensIn = (usage: Usage) =>
  Object.entries(usage).reduce((sum, [name, count]) => (isOfKnownBucket(name) ? sum + count : sum), 0);

const FIRST_BUCKETS = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
];

/** Returns the names of used units: known buckets, then their parts, then all other details alphabetically. */
export function usageNames(usage: Usage): string[] {
  const rank = (name: string) =>
    FIRST_BUCKETS.indexOf(name) + 1 || FIRST_BUCKETS.length + (isOfKnownBucket(name) ? 1 : 2);
  return Object.keys(usage).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Returns units for display: integers as they are, fractions (seconds of audio) to six decimals. */
export const formatUnits = (count: number) => count.toLocaleString("en-US", { maximumFractionDigits: 6 });
