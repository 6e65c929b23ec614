import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { type ConfiguredRule, configuredRules } from "./rule-settings";
import { measured } from "./rules";
import { rulesReply } from "./schemas";

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

/** Signals show what holds in the project: overrides over the Rule's defaults. */
export const ruleJson = ({ rule, enabled, configuration }: ConfiguredRule) => ({
  ...rule,
  enabled,
  configuration,
  signals: rule.detectors.map((detector) => {
    const override = configuration.signalOverrides[detector.signal];
    // Figures on generated conversations show that a detector works, not how often it is right in the world.
    const figures = measured(detector.signal)?.measured;
    return {
      name: detector.signal,
      looksFor: detector.looksFor,
      severity: override?.severity ?? detector.severity,
      enabled: override?.enabled ?? detector.enabledByDefault,
      precision: figures?.precision ?? null,
      recall: figures?.recall ?? null,
      measuredOn: figures?.n ?? 0,
    };
  }),
});
