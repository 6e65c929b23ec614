import type { Caps } from "../collection";

/** So that one loud user, or one Finding, is not the Dataset. */
export const CAPS: Caps = { perUser: 20, perFinding: 50 };
