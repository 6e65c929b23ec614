import { z } from "zod";
import { SEVERITIES } from "@/db/schema/enumerations";
import type { Rule } from "../types";
import { KEYWORD_SIGNAL } from "./keywords";

export const ADJUDICATION_MODES = ["deterministic-only", "auto"] as const;
export type AdjudicationMode = (typeof ADJUDICATION_MODES)[number];

const KEYWORDS_MAX = 200;
const KEYWORD_CHARACTERS_MAX = 200;

/** Valid values per field. */
const keywords = z.array(z.string().trim().min(1).max(KEYWORD_CHARACTERS_MAX)).max(KEYWORDS_MAX);
const share = z.number().min(0).max(1);
const adjudicationMode = z.enum(ADJUDICATION_MODES);
const adjudicationModel = z.string().trim().min(1).max(200).nullable();
const signalName = z.string().max(100);
const severity = z.enum(SEVERITIES);

/** A Rule's complete configuration; missing fields get their default. */
export const configurationFields = z.strictObject({
  /** Matched literally, as whole words, case-insensitively, in any language. */
  keywords: keywords.default([]),
  /** 0..1. Signals with a lower detector score are dropped. */
  minSignalScore: share.default(0.3),
  /** 0..1. Signals with a lower confidence (measured precision) are dropped. */
  minDiagnosticConfidence: share.default(0.5),
  /** `auto` asks the adjudicator about ambiguous signals; `deterministic-only` drops them. */
  adjudicationMode: adjudicationMode.default("deterministic-only"),
  /** `null` for the default model of the project's adjudicator connection. */
  adjudicationModel: adjudicationModel.default(null),
  /** By Signal name: turned on or off, or with another severity. */
  signalOverrides: z
    .record(signalName, z.strictObject({ enabled: z.boolean().optional(), severity: severity.optional() }))
    .default({}),
});
export type RuleConfiguration = z.infer<typeof configurationFields>;

export const DEFAULT_CONFIGURATION: RuleConfiguration = configurationFields.parse({});

/** The fields that a PATCH changes: `null` resets a field to its default, or removes the override of a Signal. */
export const configurationPatch = z.strictObject({
  keywords: keywords.nullish(),
  minSignalScore: share.nullish(),
  minDiagnosticConfidence: share.nullish(),
  adjudicationMode: adjudicationMode.nullish(),
  adjudicationModel: adjudicationModel.optional(),
  signalOverrides: z
    .record(signalName, z.strictObject({ enabled: z.boolean().nullish(), severity: severity.nullish() }).nullable())
    .nullish(),
});
export type ConfigurationPatch = z.infer<typeof configurationPatch>;

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
  return configurationFields.superRefine(({ signalOverrides }, context) => {
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
