import type { Cost } from "../schemas";

/** Returns a stored cost with all that a cost has today: one from before details were told names none. */
export const completeCost = (stored: Cost): Cost => ({ ...stored, unpricedDetails: stored.unpricedDetails ?? [] });
