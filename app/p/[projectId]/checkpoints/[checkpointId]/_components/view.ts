import { parseAsString, parseAsStringLiteral } from "nuqs/server";

/** Actions with a dialog. */
export const QUESTIONS = ["deploy", "export", "certify"] as const;
/** `certificate` is the comparison that is shown; without one, the newest. */
export const viewParsers = { ask: parseAsStringLiteral(QUESTIONS), certificate: parseAsString };
