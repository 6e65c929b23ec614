import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";

type Usage = Readonly<Record<string, number>>;

/** Returns how many tokens were used: what searches, seconds and clients' own details count is not in it. */
export const tokensIn = (usage: Usage) =>
  Object.entries(usage).reduce((sum, [name, count]) => (isOfKnownBucket(name) ? sum + count : sum), 0);

const FIRST_BUCKETS = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
];

/** Returns the names of what was used: known buckets, then their parts, then all other details by the alphabet. */
export function usageNames(usage: Usage): string[] {
  const rank = (name: string) =>
    FIRST_BUCKETS.indexOf(name) + 1 || FIRST_BUCKETS.length + (isOfKnownBucket(name) ? 1 : 2);
  return Object.keys(usage).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Returns units as people read them: whole ones whole, fractions (seconds of audio) to the sixth place. */
export const formatUnits = (count: number) => count.toLocaleString("en-US", { maximumFractionDigits: 6 });
