import type { Cost } from "../schemas";

/** Returns a stored cost in the current shape: costs stored by earlier releases lack `unpricedDetails`. */
export const completeCost = (stored: Cost): Cost => ({ ...stored, unpricedDetails: stored.unpricedDetails ?? [] });
