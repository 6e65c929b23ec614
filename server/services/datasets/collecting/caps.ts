import type { Caps } from "../collection";

/** Keeps one very active user, or one Finding, from dominating the Dataset. */
export const CAPS: Caps = { perUser: 20, perFinding: 50 };
