import type { Caps } from "../proposals";

/** Keeps one very active user, or one Finding, from dominating the Dataset. */
export const CAPS: Caps = { perUser: 20, perFinding: 50 };
