import { parseAsStringLiteral } from "nuqs/server";

export const TABS = ["charts", "samples", "checkpoints", "log", "settings"] as const;
export const LEVELS = ["info", "warn", "error"] as const;

/** The open part of the run, and the least severe entries of its log. */
export const viewParsers = {
  tab: parseAsStringLiteral(TABS).withDefault("charts"),
  level: parseAsStringLiteral(LEVELS).withDefault("info"),
};
