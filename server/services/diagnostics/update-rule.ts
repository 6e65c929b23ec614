import { ruleSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { inTransaction } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { ruleJson } from "./list-rules";
import { configuredRules } from "./rule-settings";
import { findRule, ruleConfiguration } from "./rules";
import { ruleReply, updateRuleInput } from "./schemas";

export const updateRule = verb(
  {
    name: "rules.update",
    summary: "Turn a built-in Rule on or off, or replace its configuration.",
    description: "A configuration is validated whole; a Signal that the Rule does not have is refused by name.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateRuleInput.superRefine(({ ruleId, configuration }, context) => {
      const rule = findRule(ruleId);
      const parsed = rule && configuration && ruleConfiguration(rule).safeParse(configuration);
      for (const issue of parsed?.error?.issues ?? []) {
        const ends = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [key]) : [[]];
        for (const end of ends) {
          context.addIssue({ code: "custom", message: issue.message, path: ["configuration", ...issue.path, ...end] });
        }
      }
    }),
    reply: ruleReply,
  },
  (ctx, { ruleId, enabled, configuration }) =>
    inTransaction(ctx, async (tx) => {
      const before = (await configuredRules(tx)).find(({ rule }) => rule.id === ruleId);
      if (!before) throw notFound("Rule");
      const after = {
        enabled: enabled ?? before.enabled,
        configuration: configuration ? ruleConfiguration(before.rule).parse(configuration) : before.configuration,
        updatedAt: Date.now(),
      };
      await tx.db
        .insert(ruleSettings)
        .values({ projectId: tx.projectId, id: ruleId, ...after })
        .onConflictDoUpdate({ target: [ruleSettings.projectId, ruleSettings.id], set: after });
      auditNote(tx, {
        target: { type: "rule", id: ruleId },
        before: { enabled: before.enabled, configuration: before.configuration },
        after: { enabled: after.enabled, configuration: after.configuration },
      });
      return { rule: ruleJson({ ...before, ...after }) };
    }),
);
