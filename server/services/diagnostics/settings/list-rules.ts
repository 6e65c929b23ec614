import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { type Adjudicator, findAdjudicator } from "../adjudicator";
import {
  type JudgedFindings,
  judgedFindings,
  reviewedConfidence,
  reviewedPrecision,
  shippedConfidence,
} from "../findings/judged-findings";
import { KEYWORD_SEVERITY, KEYWORD_SIGNAL, measured, type RuleConfiguration } from "../rules";
import { type rule as ruleJsonSchema, rulesReply } from "../schemas";
import type { Detector } from "../types";
import { type ConfiguredRule, configuredRules } from "./rule-settings";

export const listRules = verb(
  {
    name: "rules.list",
    summary: "List the Rules, built in and the project's own, with their Signals and this project's configuration.",
    description:
      "Signals have the project's overrides applied, and `enabled` says whether Runs report them. `precision` and `recall` were measured on labelled conversations; `reviewedPrecision` and `confidence` come from this project's own reviews. `null` is unknown.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: rulesReply,
  },
  async (ctx) => {
    const known = { judged: await judgedFindings(ctx), adjudicator: await findAdjudicator(ctx) };
    return { rules: (await configuredRules(ctx)).map((rule) => ruleJson(rule, known)) };
  },
);

/** The Signal that every Rule has in addition to those of its detectors. */
const KEYWORD: Omit<Detector, "detect"> = {
  signal: KEYWORD_SIGNAL,
  severity: KEYWORD_SEVERITY,
  enabledByDefault: true,
  looksFor: "One of the project's own `keywords`, in any message except the instructions.",
};

/** What a Rule's JSON form needs to know about the project. */
type Known = { judged: JudgedFindings; adjudicator: Adjudicator | null };

/** Returns what a Signal that only an adjudicator can settle lacks. */
function lacks({ adjudicationMode, adjudicationModel }: RuleConfiguration, adjudicator: Adjudicator | null) {
  if (!adjudicator || (adjudicationModel ?? adjudicator.defaultModel) === null) return "adjudicator";
  return adjudicationMode === "auto" ? null : "mode";
}

/** Converts a configured Rule to its JSON form; Signals have the project's overrides applied. */
export const ruleJson = (
  { rule, revision, enabled, configuration }: ConfiguredRule,
  { judged, adjudicator }: Known,
): z.input<typeof ruleJsonSchema> => ({
  ...rule,
  own: rule.own ?? null,
  enabled,
  configurationRevision: revision,
  configuration,
  signals: [...rule.detectors, KEYWORD].map(({ signal, severity, enabledByDefault, looksFor, needsAdjudicator }) => {
    const override = configuration.signalOverrides[signal];
    const isOn = override?.enabled ?? enabledByDefault;
    const needs = isOn && needsAdjudicator ? lacks(configuration, adjudicator) : null;
    // Figures from generated conversations would show that a detector works, not how precise it is on real ones.
    const figures = measured(signal)?.measured;
    const reviews = judged(rule.id, signal);
    return {
      name: signal,
      looksFor,
      severity: override?.severity ?? severity,
      enabled: isOn && needs === null,
      needs,
      precision: figures?.precision ?? null,
      recall: figures?.recall ?? null,
      f1: figures?.f1 ?? null,
      auc: figures?.auc ?? null,
      measuredOn: figures?.n ?? 0,
      basis: (figures?.n ?? 0) > 0 ? "measured" : "none",
      ...reviews,
      reviewedPrecision: reviewedPrecision(reviews),
      confidence: reviewedConfidence(reviews) ?? shippedConfidence(signal),
    };
  }),
});
