import { z } from "zod";
import { SEVERITIES } from "@/db/schema/enumerations";
import { filledText } from "@/server/platform/schemas";

/** The built-in Rules by id, with their names, in display order. */
export const RULE_NAMES = {
  "tool-failure": "Tool failure",
  "agent-loop": "Agent loop",
  "user-dissatisfaction": "User dissatisfaction",
  "user-correction": "User correction",
  "broken-response": "Broken response",
  refusal: "Refusal",
  "provider-health": "Provider health",
  "task-failure": "Task failure",
  "unsafe-content": "Unsafe content",
  "ungrounded-answer": "Ungrounded answer",
} as const;
export type RuleId = keyof typeof RULE_NAMES;

export const ADJUDICATION_MODES = ["deterministic-only", "auto"] as const;
export type AdjudicationMode = (typeof ADJUDICATION_MODES)[number];

/** What a confidence rests on, by what weighs most in it. */
export const CONFIDENCE_BASES = ["measured", "generated", "assumed"] as const;

/** Conversations added to every count, so that a share of 1 in 1 does not score highest. */
export const PRIOR_CONVERSATIONS = 10;

const KEYWORDS_MAX = 200;
const KEYWORD_CHARACTERS_MAX = 200;

/** Valid values per field. */
const keywords = z.array(filledText(KEYWORD_CHARACTERS_MAX)).max(KEYWORDS_MAX);
const share = z.number().min(0).max(1);
const adjudicationMode = z.enum(ADJUDICATION_MODES);
const adjudicationModel = filledText(200).nullable();
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
  /** 0..1: the share of conversations that are diagnosed automatically, the same ones for every Rule with that rate. */
  sampleRate: share.default(1),
  /** By Signal name: turned on or off, or with another severity. */
  signalOverrides: z
    .record(signalName, z.strictObject({ enabled: z.boolean().optional(), severity: severity.optional() }))
    .default({}),
});
export type RuleConfiguration = z.infer<typeof configurationFields>;

/** The same of an own Rule, which finds nothing without its judge. */
export const ownConfigurationFields = configurationFields.extend({
  adjudicationMode: adjudicationMode.default("auto"),
});

export const DEFAULT_CONFIGURATION: RuleConfiguration = configurationFields.parse({});
const OWN_DEFAULT_CONFIGURATION: RuleConfiguration = ownConfigurationFields.parse({});

/** Returns the configuration of a Rule that nobody has changed. */
export const defaultConfiguration = ({ own }: { own?: object }): RuleConfiguration =>
  own ? OWN_DEFAULT_CONFIGURATION : DEFAULT_CONFIGURATION;

/** The fields that a PATCH changes: `null` resets a field to its default, or removes the override of a Signal. */
export const configurationPatch = z.strictObject({
  keywords: keywords.nullish(),
  minSignalScore: share.nullish(),
  minDiagnosticConfidence: share.nullish(),
  adjudicationMode: adjudicationMode.nullish(),
  adjudicationModel: adjudicationModel.optional(),
  sampleRate: share.nullish(),
  signalOverrides: z
    .record(signalName, z.strictObject({ enabled: z.boolean().nullish(), severity: severity.nullish() }).nullable())
    .nullish(),
});
export type ConfigurationPatch = z.infer<typeof configurationPatch>;
