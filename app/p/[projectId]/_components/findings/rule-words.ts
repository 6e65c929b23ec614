import { RULE_NAMES } from "@/server/services/diagnostics/rules/schemas";

/** The built-in Rules in display order, as options of a select. */
export const RULE_OPTIONS = Object.entries(RULE_NAMES).map(([value, label]) => ({ value, label }));

/** Returns whether a Rule is built in, and so has a name that everybody knows. */
export const isBuiltIn = (ruleId: string): boolean => ruleId in RULE_NAMES;

/** Returns a built-in Rule's name. `RuleName` shows the name of any Rule. */
export const ruleWords = (ruleId: string): string =>
  RULE_OPTIONS.find(({ value }) => value === ruleId)?.label ?? (ruleId.startsWith("rule_") ? "Own Rule" : ruleId);
