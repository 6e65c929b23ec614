import type { Decimal } from "decimal.js";
import { exactProduct, exactSum, type ScaledPrices, scaledPrices, toDecimalString, toDollars } from "./exact-decimal";
import type { Cost, PriceDefinition, PricingTier, Usage } from "./schemas";

/** The cost of a call, and its total once more with every digit (US dollars, for a `numeric` column). */
export type PricedCall = { cost: Cost | null; totalDecimal: string | null };

export const UNPRICED: PricedCall = Object.freeze({ cost: null, totalDecimal: null });

/** Sums of the other buckets as clients report them: a check, never something to price. */
const TOTALS: ReadonlySet<string> = new Set(["total", "total_tokens"]);

/** More buckets than this are not usage. */
const BUCKETS_MAX = 64;

/** What `costOf` needs of a definition and its chosen tier, worked out once. */
export type TierPrices = {
  model: Cost["model"];
  source: Cost["source"];
  tier: Cost["tier"];
  pricesVersion: string;
  prices: ReadonlyMap<string, number>;
  scaled: ScaledPrices | null;
};

export function tierPrices(definition: PriceDefinition, tier: PricingTier, pricesVersion: string): TierPrices {
  return {
    model: { id: definition.id, provider: definition.provider, modelName: definition.modelName },
    source: definition.source,
    tier: { id: tier.id, name: tier.name },
    pricesVersion,
    prices: new Map(Object.entries(tier.prices)),
    scaled: scaledPrices(tier.prices),
  };
}

/**
 * What a call with this usage costs: each bucket's count times its price per unit, added in decimals. `null` when there
 * is no usage, all of it is zero, or only a total is known. A bucket without a price costs `null` and makes the total
 * `null`; an explicit price of 0 costs 0.
 */
export function costOf(at: TierPrices, usage: Usage | null): PricedCall {
  if (usage === null) return UNPRICED;
  return (at.scaled && inWholeUnits(at, at.scaled, usage)) ?? inDecimals(at, usage);
}

/** The fast way: whole counts times whole prices. `null` when a number leaves the range in which that is exact. */
function inWholeUnits(at: TierPrices, { scale, units }: ScaledPrices, usage: Usage): PricedCall | null {
  const breakdown: Cost["breakdown"] = {};
  const prices: Cost["prices"] = {};
  const unpriced: string[] = [];
  let sum = 0;
  let buckets = 0;
  for (const bucket in usage) {
    const count = usage[bucket]!;
    if (count === 0 || TOTALS.has(bucket)) continue;
    if (++buckets > BUCKETS_MAX) return UNPRICED;
    const price = units.get(bucket);
    if (price === undefined) {
      breakdown[bucket] = null;
      unpriced.push(bucket);
      continue;
    }
    const product = count * price;
    sum += product;
    if (!Number.isSafeInteger(count) || !Number.isSafeInteger(sum) || count < 0) return null;
    breakdown[bucket] = toDollars(product, scale);
    prices[bucket] = at.prices.get(bucket)!;
  }
  if (buckets === 0) return UNPRICED;
  if (unpriced.length > 0) return priced(at, breakdown, prices, unpriced, null, null);
  return priced(at, breakdown, prices, unpriced, toDollars(sum, scale), toDecimalString(sum, scale));
}

/** The slow way, for fractions (seconds of audio), huge counts and prices of many digits. */
function inDecimals(at: TierPrices, usage: Usage): PricedCall {
  const used = Object.entries(usage).filter(([bucket, count]) => count !== 0 && !TOTALS.has(bucket));
  if (used.length === 0 || used.length > BUCKETS_MAX) return UNPRICED;
  const breakdown: Cost["breakdown"] = {};
  const prices: Cost["prices"] = {};
  const unpriced: string[] = [];
  const parts: Decimal[] = [];
  for (const [bucket, count] of used) {
    const price = at.prices.get(bucket);
    if (price === undefined || !(count > 0 && count < Number.POSITIVE_INFINITY)) {
      breakdown[bucket] = null; // a count that is no number of units has no cost either
      unpriced.push(bucket);
      continue;
    }
    const part = exactProduct(count, price);
    parts.push(part);
    breakdown[bucket] = part.toNumber();
    prices[bucket] = price;
  }
  if (unpriced.length > 0) return priced(at, breakdown, prices, unpriced, null, null);
  const total = exactSum(parts);
  return priced(at, breakdown, prices, unpriced, total.toNumber(), total.toFixed());
}

function priced(
  { model, tier, source, pricesVersion }: TierPrices,
  breakdown: Cost["breakdown"],
  prices: Cost["prices"],
  unpriced: string[],
  total: number | null,
  totalDecimal: string | null,
): PricedCall {
  const cost: Cost = { total, currency: "USD", breakdown, unpriced, model, tier, source, prices, pricesVersion };
  return { cost, totalDecimal };
}
