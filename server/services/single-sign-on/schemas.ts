/** Why a person authenticated by the provider may not sign in; the sign-in page has a sentence for each. */
export const REFUSALS = ["domain", "unverified", "unknown", "taken", "early", "disabled"] as const;
export type Refusal = (typeof REFUSALS)[number];
