import type { PriceRevision } from "@/server/services/pricing";

/** Returns the opaque `pricesVersion` that clients pass back to refer to these prices. */
export const pricesVersionOf = ({ pricingVersion, catalogue }: PriceRevision) => `${pricingVersion}/${catalogue}`;
