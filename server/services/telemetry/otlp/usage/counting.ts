import type { PartBucket } from "@/server/services/pricing/usage/schemas";

/**
 * What a figure of a client's usage counts: `uncached` is input without cache reads and writes; a part has the name of its part
 * bucket.
 */
export type Quantity = WholeQuantity | PartBucket;
export type WholeQuantity =
  | "input"
  | "uncached"
  | "output"
  | "total"
  | "cacheRead"
  | "cacheWrite"
  | "cacheWrite5m"
  | "reasoning";

/**
 * Where a client counts cached and reasoning tokens: `inside` input and output, `beside` them, or `null` if unknown.
 */
export type Counting = {
  name: string;
  cache: "inside" | "beside" | null;
  reasoning: "inside" | "beside" | null;
  /** Whether the total is a sum of other figures, and therefore no evidence of what they include. */
  totalIsSum?: true;
};

/** Quantities in the order in which figures are listed as sent. */
const ORDER: readonly Quantity[] = [
  "input",
  "output",
  "uncached",
  "cacheRead",
  "cacheWrite",
  "cacheWrite5m",
  "cache_creation_1h_input_tokens",
  "reasoning",
  "total",
];

export const byQuantity = (one: { quantity: Quantity }, other: { quantity: Quantity }): number =>
  ORDER.indexOf(one.quantity) - ORDER.indexOf(other.quantity);
