import { parseAsStringLiteral } from "nuqs/server";

export const LANGUAGES = ["curl", "javascript", "python"] as const;
/** Actions with a dialog. */
export const QUESTIONS = ["stop", "roll-back", "deploy", "force"] as const;

export const viewParsers = {
  language: parseAsStringLiteral(LANGUAGES).withDefault("curl"),
  ask: parseAsStringLiteral(QUESTIONS),
};
