import { z } from "zod";
import { type Rule, SEVERITIES } from "../types";
import { KEYWORD_SIGNAL } from "./keywords";

export const ADJUDICATION_MODES = ["deterministic-only", "auto"] as const;
export type AdjudicationMode = (typeof ADJUDICATION_MODES)[number];

const KEYWORDS_MAX = 200;
const KEYWORD_CHARACTERS_MAX = 200;

/** What a project may change of a Rule. Whole: a field that is not sent has its default. */
export const configurationFields = z.strictObject({
  /** The project's own words: literal, whole words, letter case aside, any language. */
  keywords: z.array(z.string().trim().min(1).max(KEYWORD_CHARACTERS_MAX)).max(KEYWORDS_MAX).default([]),
  /** 0..1. Signals with a lower score of their detector are dropped. */
  minSignalScore: z.number().min(0).max(1).default(0.3),
  /** 0..1. Signals that are less likely right (measured precision) are dropped. */
  minDiagnosticConfidence: z.number().min(0).max(1).default(0.5),
  /** `auto` asks the adjudicator about ambiguous signals; `deterministic-only` drops them. */
  adjudicationMode: z.enum(ADJUDICATION_MODES).default("deterministic-only"),
  /** `null` is the default model of the project's adjudicator connection. */
  adjudicationModel: z.string().trim().min(1).max(200).nullable().default(null),
  /** By name of the Signal: turned off or on, or of another severity. */
  signalOverrides: z
    .record(
      z.string().max(100),
      z.strictObject({ enabled: z.boolean().optional(), severity: z.enum(SEVERITIES).optional() }),
    )
    .default({}),
});
export type RuleConfiguration = z.infer<typeof configurationFields>;

export const DEFAULT_CONFIGURATION: RuleConfiguration = configurationFields.parse({});

/** The names of all Signals of a Rule, its keywords' one included. */
export const signalsOf = (rule: Rule): string[] => [...rule.detectors.map(({ signal }) => signal), KEYWORD_SIGNAL];

/** The schema of a Rule's whole configuration; a Signal that the Rule does not have is refused by name. */
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
