/** How vendors name the tier of a call, in their responses and in what clients make of them. */
export const TIER_KEYS = ["service_tier", "serviceTier"] as const;
