import {
  bucketName,
  conditionWords,
  formatPrice,
  VENDOR_WORDS,
} from "@/app/p/[projectId]/_components/costs/price-words";
import type { PriceVersion, PricingTier } from "@/server/services/pricing/schemas";

type Fields = Record<string, unknown>;

/** Returns tiers in a form for comparing versions: quoted prices, under the tiers' names. */
export function tierFields(tiers: readonly PricingTier[]): Fields {
  const fields: Fields = {};
  for (const { name, isDefault, priority, conditions, prices } of tiers) {
    fields[`${name}: applies to`] = isDefault ? "every other call" : conditions.map(conditionWords).join(" and ");
    if (!isDefault) fields[`${name}: priority`] = priority;
    for (const [bucket, price] of Object.entries(prices)) {
      fields[`${name}: ${bucketName(bucket).toLowerCase()}`] = formatPrice(bucket, price);
    }
  }
  return fields;
}

export const versionFields = ({ provider, modelName, matchPattern, pricingTiers }: PriceVersion): Fields => ({
  Vendor: VENDOR_WORDS[provider],
  Model: modelName,
  Pattern: matchPattern,
  ...tierFields(pricingTiers),
});
