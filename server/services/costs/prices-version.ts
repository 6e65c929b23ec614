import type { PriceRevision } from "@/server/services/pricing";

/** Names the prices that hold at one moment, for a reader to give back. */
export const pricesVersionOf = ({ pricingVersion, catalogue }: PriceRevision) => `${pricingVersion}/${catalogue}`;
