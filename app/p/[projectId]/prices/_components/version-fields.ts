import { bucketName, conditionWords, formatPrice, VENDOR_WORDS } from "@/app/_lib/price-words";
import type { PriceVersion } from "@/server/services/pricing/schemas";

/** A version as a person compares it with another: prices as they are quoted, tiers by their names. */
export function versionFields(version: PriceVersion): Record<string, unknown> {
  const fields: Record<string, unknown> = {
    Vendor: VENDOR_WORDS[version.provider],
    Model: version.modelName,
    Pattern: version.matchPattern,
  };
  for (const { name, isDefault, priority, conditions, prices } of version.pricingTiers) {
    fields[`${name}: applies to`] = isDefault ? "every other call" : conditions.map(conditionWords).join(" and ");
    if (!isDefault) fields[`${name}: priority`] = priority;
    for (const [bucket, price] of Object.entries(prices)) {
      fields[`${name}: ${bucketName(bucket).toLowerCase()}`] = formatPrice(bucket, price);
    }
  }
  return fields;
}
