import { isOfKnownBucket, KNOWN_BUCKETS } from "@/server/services/pricing/usage/schemas";

type Usage = Readonly<Record<string, number>>;

/** Returns the number of tokens used, without searches, seconds and clients' own details. */
export const tokensIn = (usage: Usage) =>
  Object.entries(usage).reduce((sum, [name, count]) => (isOfKnownBucket(name) ? sum + count : sum), 0);

const FIRST: readonly string[] = KNOWN_BUCKETS;

/** Returns the names of used units: known buckets, then their parts, then all other details alphabetically. */
export function usageNames(usage: Usage): string[] {
  const rank = (name: string) => FIRST.indexOf(name) + 1 || FIRST.length + (isOfKnownBucket(name) ? 1 : 2);
  return Object.keys(usage).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Returns units for display: integers as they are, fractions (seconds of audio) to six decimals. */
export const formatUnits = (count: number) => count.toLocaleString("en-US", { maximumFractionDigits: 6 });
