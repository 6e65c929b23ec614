import { RULE_NAMES } from "@/server/services/diagnostics/rules/schemas";

/** The built-in Rules in display order, as options of a select. */
export const RULE_OPTIONS = Object.entries(RULE_NAMES).map(([value, label]) => ({ value, label }));

/** Returns a Rule's name; its id, if it is not built in. */
export const ruleWords = (ruleId: string): string =>
  RULE_OPTIONS.find(({ value }) => value === ruleId)?.label ?? ruleId;
