import { parseAsString, parseAsStringLiteral } from "nuqs/server";

/** What can be asked before it is done. */
export const QUESTIONS = ["deploy", "export", "certify"] as const;
/** `certificate` is the comparison that is shown; without one, the newest. */
export const viewParsers = { ask: parseAsStringLiteral(QUESTIONS), certificate: parseAsString };
