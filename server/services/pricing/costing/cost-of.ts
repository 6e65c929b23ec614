import type { Decimal } from "decimal.js";
import { compilePattern, isPattern } from "../matching/pattern";
import type { Cost, PriceDefinition, PricingTier, Usage } from "../schemas";
import { bucketOf, isKnownBucket, isOfKnownBucket, isServiceTier, mediumOf } from "../usage/schemas";
import { exactProduct, exactSum, type ScaledPrices, scaledPrices, toDecimalString, toDollars } from "./exact-decimal";

/** The cost of a call, and its total with every digit (US dollars, for a `numeric` column). */
export type PricedCall = { readonly cost: Cost | null; readonly totalDecimal: string | null };

export const UNPRICED: PricedCall = Object.freeze({ cost: null, totalDecimal: null });

/** Buckets in which clients report sums of the others; they are never priced. */
export const TOTALS: ReadonlySet<string> = new Set(["total", "total_tokens"]);

/** Exceeds the kinds of units that any provider bills; usage with more is treated as unpriced. */
const BUCKETS_MAX = 64;

/** What `costOf` needs of a definition and its chosen tier, precomputed. */
export type TierPrices = {
  model: Cost["model"];
  source: Cost["source"];
  tier: Cost["tier"];
  pricesVersion: string;
  prices: ReadonlyMap<string, number>;
  /** Returns whether the tier is for calls of this service tier: one of its conditions refers to it. */
  isFor: (serviceTier: string) => boolean;
  scaled: ScaledPrices | null;
  /** Cached plans of recently priced combinations of buckets. */
  plans: Plan[];
};

/** What all calls in a tier with usage in the same buckets have in common. Frozen, because their costs share it. */
type Plan = {
  /** All non-zero buckets and details, in the order of the usage. */
  buckets: readonly string[];
  /** Their prices in units of 10^-scale dollars; `null` for those without one. */
  units: readonly (number | null)[];
  prices: Cost["prices"];
  unpriced: string[];
  unpricedDetails: string[];
  /** An empty breakdown: every bucket with `null`. */
  blank: Cost["breakdown"];
};

export function tierPrices(definition: PriceDefinition, tier: PricingTier, pricesVersion: string): TierPrices {
  const prices = new Map(Object.entries(tier.prices).filter(([bucket]) => !TOTALS.has(bucket)));
  return {
    model: Object.freeze({ id: definition.id, provider: definition.provider, modelName: definition.modelName }),
    source: definition.source,
    tier: Object.freeze({ id: tier.id, name: tier.name }),
    pricesVersion,
    prices,
    isFor: (serviceTier) =>
      tier.conditions.some(({ usageDetailPattern }) => {
        const pattern = compilePattern(usageDetailPattern);
        return isPattern(pattern) && pattern.test(serviceTier);
      }),
    scaled: scaledPrices(prices),
    plans: [],
  };
}

/**
 * Returns the cost of a call with this usage: each count times its price per unit, summed exactly. `null` when there is no
 * usage, or only a total is known; usage of zero costs 0. A known bucket without a price costs `null` and makes the total
 * `null`. A detail without its own price is listed in `unpricedDetails`: a part of a known bucket costs what the bucket
 * costs, anything else does not affect the total. Tokens of a call in a service tier that the price's tier is not for, and
 * media without a price in a default, count as a known bucket without a price. An explicit price of 0 costs 0. Objects shared between costs are frozen.
 */
export function costOf(at: TierPrices, usage: Usage | null): PricedCall {
  if (usage === null) return UNPRICED;
  const plan = knownPlan(at.plans, usage) ?? newPlan(at, usage);
  if (plan.prices === NO_PRICES && plan.unpriced.length === 0 && plan.unpricedDetails.length === 0)
    return costOfZero(at, plan, usage);
  return (at.scaled && inWholeUnits(at, at.scaled.scale, plan)) ?? inDecimals(at, plan, usage);
}

/** Returns the cost of usage in which every known bucket is zero: 0, whatever its price. */
function costOfZero(at: TierPrices, plan: Plan, usage: Usage): PricedCall {
  const buckets = Object.keys(usage).filter((bucket) => usage[bucket] === 0 && isKnownBucket(bucket));
  if (buckets.length === 0 || plan.buckets.some((bucket) => !TOTALS.has(bucket))) return UNPRICED;
  return priced(
    at,
    plan,
    record(buckets, () => 0),
    0,
    "0",
  );
}

/** Scratch buffer: the counts of the usage that `fits` last matched, in the plan's order. */
const counts: number[] = [];

function fits({ buckets }: Plan, usage: Usage): boolean {
  let position = 0;
  for (const bucket in usage) {
    const count = usage[bucket]!;
    if (count === 0) continue;
    if (buckets[position] !== bucket) return false;
    counts[position++] = count;
  }
  return position === buckets.length;
}

function knownPlan(plans: readonly Plan[], usage: Usage): Plan | null {
  for (const plan of plans) if (fits(plan, usage)) return plan;
  return null;
}

const NO_PRICES: Cost["prices"] = Object.freeze({});
/** Bounds the plans cached per tier: combinations of buckets come from clients and are unlimited. */
const PLANS_MAX = 8;

function newPlan(at: TierPrices, usage: Usage): Plan {
  const buckets = Object.keys(usage).filter((bucket) => usage[bucket] !== 0);
  const counted =
    buckets.length > BUCKETS_MAX ? [] : buckets.filter((bucket) => !TOTALS.has(bucket) && !isServiceTier(bucket));
  const isPriced = buckets.every((bucket) => !isServiceTier(bucket) || at.isFor(bucket));
  const pricedAs = new Map(
    counted.map((bucket) => [bucket, isPriced || !isOfKnownBucket(bucket) ? priceKey(at, bucket) : undefined]),
  );
  const known = counted.filter((bucket) => pricedAs.get(bucket) !== undefined);
  const plan: Plan = {
    buckets,
    units: buckets.map((bucket) => at.scaled?.units.get(pricedAs.get(bucket) ?? "") ?? null),
    prices:
      known.length === 0 ? NO_PRICES : Object.freeze(record(known, (bucket) => at.prices.get(pricedAs.get(bucket)!)!)),
    unpriced: Object.freeze(
      counted.filter((bucket) => pricedAs.get(bucket) === undefined && isOfKnownBucket(bucket)),
    ) as string[],
    unpricedDetails: Object.freeze(
      counted.filter((bucket) => pricedAs.get(bucket) !== bucket && !isKnownBucket(bucket)),
    ) as string[],
    blank: record(counted, () => null),
  };
  at.plans.unshift(plan);
  at.plans.length = Math.min(at.plans.length, PLANS_MAX);
  fits(plan, usage);
  return plan;
}

/**
 * Returns the key of a bucket's price: its own, or that of the bucket it is part of. A default states the prices of the media
 * that are billed like text, so there the text price is not that of others.
 */
function priceKey({ prices, source }: TierPrices, bucket: string): string | undefined {
  if (prices.has(bucket)) return bucket;
  const medium = mediumOf(bucket);
  if (source === "default" && medium !== undefined) {
    const likeText = prices.has("input_tokens") && prices.get(`input_${medium}_tokens`) === prices.get("input_tokens");
    if (!likeText || bucketOf(bucket) === "output_tokens") return undefined;
  }
  const whole = bucketOf(bucket);
  return whole !== undefined && prices.has(whole) ? whole : undefined;
}

const record = <V>(keys: string[], value: (key: string) => V): Record<string, V> =>
  Object.fromEntries(keys.map((key) => [key, value(key)]));

/** Fast path with integer arithmetic. Returns `null` when a number leaves the range in which that is exact. */
function inWholeUnits(at: TierPrices, scale: number, plan: Plan): PricedCall | null {
  const breakdown = { ...plan.blank };
  let sum = 0;
  for (let position = 0; position < plan.buckets.length; position++) {
    const units = plan.units[position]!;
    if (units === null) continue;
    const count = counts[position]!;
    const product = count * units;
    sum += product;
    if (!Number.isSafeInteger(count) || !Number.isSafeInteger(sum) || count < 0) return null;
    breakdown[plan.buckets[position]!] = toDollars(product, scale);
  }
  if (isUnknown(plan)) return priced(at, plan, breakdown, null, null);
  return priced(at, plan, breakdown, toDollars(sum, scale), toDecimalString(sum, scale));
}

/** Slow path for fractions (seconds of audio), huge counts and prices with many digits. */
function inDecimals(at: TierPrices, plan: Plan, usage: Usage): PricedCall {
  const breakdown = { ...plan.blank };
  const parts: Decimal[] = [];
  const known = Object.entries(plan.prices);
  for (const [bucket, price] of known) {
    const count = usage[bucket]!;
    if (!(count > 0 && count < Number.POSITIVE_INFINITY)) continue; // not a valid count, so the cost is unknown
    const part = exactProduct(count, price);
    parts.push(part);
    breakdown[bucket] = numberOf(part);
  }
  if (parts.length < known.length || isUnknown(plan)) {
    const unpriced = Object.keys(breakdown).filter(
      (bucket) =>
        breakdown[bucket] === null && (known.some(([name]) => name === bucket) || plan.unpriced.includes(bucket)),
    );
    return priced(at, { ...plan, unpriced }, breakdown, null, null);
  }
  const total = exactSum(parts);
  return priced(at, plan, breakdown, numberOf(total), numberOf(total) === null ? null : total.toFixed());
}

/** Returns an amount as a number; `null` beyond what one can hold. */
function numberOf(amount: Decimal): number | null {
  const number = amount.toNumber();
  return Number.isFinite(number) ? number : null;
}

/** Returns whether the total is unknown: a known bucket has no price, or nothing has one. */
const isUnknown = ({ unpriced, prices }: Plan) => unpriced.length > 0 || prices === NO_PRICES;

function priced(
  { model, tier, source, pricesVersion }: TierPrices,
  { prices, unpriced, unpricedDetails }: Plan,
  breakdown: Cost["breakdown"],
  total: number | null,
  totalDecimal: string | null,
): PricedCall {
  return {
    cost: {
      total,
      currency: "USD",
      breakdown,
      unpriced,
      unpricedDetails,
      model,
      tier,
      source,
      prices,
      pricesVersion,
    },
    totalDecimal,
  };
}
