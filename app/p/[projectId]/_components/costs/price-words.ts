import { Decimal } from "decimal.js";
import { capitalized } from "@/app/_lib/format";
import type { PriceProvider, PriceSource, TierCondition } from "@/server/services/pricing/schemas";

/** The origin of a price as a word. */
export const SOURCE_WORDS: Record<PriceSource, string> = {
  default: "Built-in",
  project_override: "Project override",
  project_custom: "Project price",
};

export const VENDOR_WORDS: Record<PriceProvider, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  xai: "xAI",
  mistral: "Mistral",
  deepseek: "DeepSeek",
  cohere: "Cohere",
  moonshotai: "Moonshot AI",
  zai: "Z.ai",
  minimax: "MiniMax",
  external: "External",
};

/** Returns a usage bucket's readable name: `cache_read_input_tokens` → `Cache read input tokens`. */
export const bucketName = (bucket: string) => capitalized(bucket.replaceAll("_", " "));

/** Returns how many units vendors quote a bucket's price for: a million tokens, or one of anything else. */
export const quotedFor = (bucket: string) => (/token/i.test(bucket) ? 1_000_000 : 1);

/** Converts a stored price (US dollars per unit) to its quoted form with every digit, and back. */
export const quoted = (bucket: string, price: number) => new Decimal(price).times(quotedFor(bucket)).toFixed();
export const unquoted = (bucket: string, amount: string) => new Decimal(amount).div(quotedFor(bucket)).toNumber();

/** `$2.50 / 1M`, or `$0.01 each` for units other than tokens. Every digit: prices are compared. */
export function formatPrice(bucket: string, price: number) {
  const [whole, decimals = ""] = quoted(bucket, price).split(".");
  return `$${whole}.${decimals.padEnd(2, "0")}${quotedFor(bucket) === 1 ? " each" : " / 1M"}`;
}

const OPERATOR_WORDS: Record<TierCondition["operator"], string> = {
  gt: "more than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
  eq: "exactly",
  neq: "not exactly",
};
export const OPERATORS = Object.entries(OPERATOR_WORDS).map(([value, label]) => ({ value, label }));

/** Returns a condition as part of a sentence: `more than 200,000 in buckets like "input"`. */
export const conditionWords = ({ usageDetailPattern, operator, value }: TierCondition) =>
  `${OPERATOR_WORDS[operator]} ${value.toLocaleString("en-US", { maximumFractionDigits: 12 })} in buckets like "${usageDetailPattern}"`;
