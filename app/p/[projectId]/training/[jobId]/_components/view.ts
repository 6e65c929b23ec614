import { parseAsStringLiteral } from "nuqs/server";

export const TABS = ["charts", "samples", "checkpoints", "log", "settings"] as const;
export const LEVELS = ["info", "warn", "error"] as const;

/** The open tab of the run, and the minimum severity of log entries. */
export const viewParsers = {
  tab: parseAsStringLiteral(TABS).withDefault("charts"),
  level: parseAsStringLiteral(LEVELS).withDefault("info"),
};
