import { compilePattern, isPattern } from "../matching/pattern";
import type { CONDITION_OPERATORS, PriceDefinition, PricingTier, Usage } from "../schemas";
import { DETAIL_NAME_MAX } from "../usage/schemas";
import { addExactly } from "./exact-decimal";

/** Bounds a condition's memo of bucket names, which come from clients and are unlimited. */
const NAMES_CACHED_MAX = 200;

type Operator = (typeof CONDITION_OPERATORS)[number];
type Condition = { counts: (bucket: string) => boolean; operator: Operator; value: number };

/** A definition's tiers with compiled conditions, in evaluation order. */
export type TierChooser = {
  conditional: readonly { tier: PricingTier; conditions: readonly Condition[] }[];
  /** The default tier; `null` when the definition has none. */
  fallback: PricingTier | null;
};

export function tierChooser(definition: Pick<PriceDefinition, "pricingTiers">): TierChooser {
  const compiled = new Map<string, (bucket: string) => boolean>();
  const conditional = definition.pricingTiers
    .filter((tier) => !tier.isDefault && tier.conditions.length > 0)
    .sort((a, b) => a.priority - b.priority)
    .map((tier) => ({
      tier,
      conditions: tier.conditions.map(({ usageDetailPattern, operator, value }) => {
        const counts = compiled.get(usageDetailPattern) ?? bucketTest(usageDetailPattern);
        compiled.set(usageDetailPattern, counts ?? NO_BUCKET);
        return { counts: counts ?? NO_BUCKET, operator, value, usable: counts !== null };
      }),
    }))
    // A condition with an invalid pattern never holds, so its tier never applies.
    .filter(({ conditions }) => conditions.every(({ usable }) => usable));
  return { conditional, fallback: definition.pricingTiers.find((tier) => tier.isDefault) ?? null };
}

/**
 * Returns the tier for a call with this usage: the first by ascending priority whose conditions all hold, else the default.
 * A condition compares the sum of all buckets and details whose names match, which is 0 when none does.
 */
export function chooseTier(chooser: TierChooser, usage: Usage): PricingTier | null {
  for (const { tier, conditions } of chooser.conditional) {
    if (conditions.every((condition) => holds(condition, usage))) return tier;
  }
  return chooser.fallback;
}

const NO_BUCKET = () => false;

function bucketTest(source: string): ((bucket: string) => boolean) | null {
  const pattern = compilePattern(source);
  if (!isPattern(pattern)) return null;
  const memo = new Map<string, boolean>();
  return (bucket) => {
    const known = memo.get(bucket);
    if (known !== undefined) return known;
    if (bucket.length > DETAIL_NAME_MAX) return false;
    const matches = pattern.test(bucket);
    if (memo.size >= NAMES_CACHED_MAX) memo.clear();
    memo.set(bucket, matches);
    return matches;
  };
}

function holds({ counts, operator, value }: Condition, usage: Usage): boolean {
  let sum = 0;
  for (const bucket in usage) if (counts(bucket)) sum += usage[bucket]!;
  if (!Number.isSafeInteger(sum))
    sum = addExactly(
      Object.keys(usage)
        .filter(counts)
        .map((bucket) => usage[bucket]!),
    );
  return COMPARE[operator](sum, value);
}

const COMPARE: Record<Operator, (sum: number, value: number) => boolean> = {
  gt: (sum, value) => sum > value,
  gte: (sum, value) => sum >= value,
  lt: (sum, value) => sum < value,
  lte: (sum, value) => sum <= value,
  eq: (sum, value) => sum === value,
  neq: (sum, value) => sum !== value,
};
