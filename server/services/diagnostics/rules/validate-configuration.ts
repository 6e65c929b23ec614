import { ServiceError } from "@/server/platform/errors";
import { fieldErrors } from "@/server/platform/field-errors";
import type { Rule } from "../types";
import { KEYWORD_SIGNAL } from "./keywords";
import {
  type ConfigurationPatch,
  configurationFields,
  ownConfigurationFields,
  type RuleConfiguration,
} from "./schemas";

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Applies a JSON merge patch (RFC 7396), and also removes objects that end up empty. */
function merged(target: Json, patch: Json): Json {
  const result = new Map(Object.entries(target));
  for (const [key, change] of Object.entries(patch)) {
    if (change === undefined) continue;
    const before = result.get(key);
    const after = isObject(change) ? merged(isObject(before) ? before : {}, change) : change;
    if (after === null || (isObject(after) && Object.keys(after).length === 0)) result.delete(key);
    else result.set(key, after);
  }
  return Object.fromEntries(result);
}

/** Returns the patched configuration, not yet validated. */
export const patchedConfiguration = (configuration: RuleConfiguration, patch: ConfigurationPatch): Json =>
  merged(configuration, patch);

/** Returns the names of all Signals of a Rule, including `keyword`. */
export const signalsOf = (rule: Rule): string[] => [...rule.detectors.map(({ signal }) => signal), KEYWORD_SIGNAL];

/** Returns the schema of a Rule's complete configuration; unknown Signals are rejected by name. */
export function ruleConfiguration(rule: Rule) {
  const known = new Set(signalsOf(rule));
  return (rule.own ? ownConfigurationFields : configurationFields).superRefine(({ signalOverrides }, context) => {
    for (const signal of Object.keys(signalOverrides)) {
      if (known.has(signal)) continue;
      context.addIssue({
        code: "custom",
        path: ["signalOverrides", signal],
        message: `The Rule "${rule.id}" has no Signal "${signal}". It has: ${[...known].join(", ")}.`,
      });
    }
  });
}

/** Validates a whole configuration against its Rule; throws a 422 that lists every problem. */
export function validatedConfiguration(rule: Rule, configuration: object): RuleConfiguration {
  const { error, data } = ruleConfiguration(rule).safeParse(configuration);
  if (data) return data;
  const errors = fieldErrors(error).map((one) => ({ ...one, path: `/configuration${one.path}` }));
  throw new ServiceError("unprocessable", errors.map(({ message }) => message).join(" "), { errors });
}
