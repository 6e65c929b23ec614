import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { KEYWORD_SEVERITY, KEYWORD_SIGNAL, measured } from "../rules";
import { rulesReply } from "../schemas";
import { type ConfiguredRule, configuredRules } from "./rule-settings";

export const listRules = verb(
  {
    name: "rules.list",
    summary: "List the built-in Rules with their Signals and this project's configuration.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: rulesReply,
  },
  async (ctx) => ({ rules: (await configuredRules(ctx)).map(ruleJson) }),
);

/** The Signal that every Rule has in addition to those of its detectors. */
const KEYWORD = {
  signal: KEYWORD_SIGNAL,
  severity: KEYWORD_SEVERITY,
  enabledByDefault: true,
  looksFor: "One of the project's own `keywords`, said by anyone but the instructions.",
};

/** Converts a configured Rule to its JSON form; Signals have the project's overrides applied. */
export const ruleJson = ({ rule, revision, enabled, configuration }: ConfiguredRule) => ({
  ...rule,
  enabled,
  configurationRevision: revision,
  configuration,
  signals: [...rule.detectors, KEYWORD].map(({ signal, severity, enabledByDefault, looksFor }) => {
    const override = configuration.signalOverrides[signal];
    // Figures from generated conversations would show that a detector works, not how precise it is on real ones.
    const figures = measured(signal)?.measured;
    return {
      name: signal,
      looksFor,
      severity: override?.severity ?? severity,
      enabled: override?.enabled ?? enabledByDefault,
      precision: figures?.precision ?? null,
      recall: figures?.recall ?? null,
      measuredOn: figures?.n ?? 0,
    };
  }),
});
