import { z } from "zod";
import { databaseNow } from "@/db/database-now";
import { ruleSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { inTransaction } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { fieldErrors } from "@/server/platform/field-errors";
import { idInput } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { ruleJson } from "./list-rules";
import { configuredRules } from "./rule-settings";
import { configurationFields, type RuleConfiguration, ruleConfiguration } from "./rules";
import { ruleReply } from "./schemas";
import type { Rule } from "./types";

/** Either `enabled` or the whole `configuration`. */
const updateRuleInput = z
  .strictObject({ ruleId: idInput, enabled: z.boolean().optional(), configuration: configurationFields.optional() })
  .refine((input) => (input.enabled === undefined) !== (input.configuration === undefined), {
    message: "Send either enabled or configuration.",
  })
  .meta({
    examples: [{ enabled: true }],
    oneOf: [{ required: ["enabled"] }, { required: ["configuration"] }],
  });

/** Well formed it is by now; whether this Rule has the Signals that it names is the Rule's to say. */
function fitting(rule: Rule, configuration: RuleConfiguration): RuleConfiguration {
  const { error, data } = ruleConfiguration(rule).safeParse(configuration);
  if (data) return data;
  const errors = fieldErrors(error).map((one) => ({ ...one, path: `/configuration${one.path}` }));
  throw new ServiceError("unprocessable", errors.map(({ message }) => message).join(" "), { errors });
}

export const updateRule = verb(
  {
    name: "rules.update",
    summary: "Turn a built-in Rule on or off, or replace its configuration.",
    description: "A configuration is validated whole; a Signal that the Rule does not have is refused by name.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateRuleInput,
    reply: ruleReply,
  },
  (ctx, { ruleId, enabled, configuration }) =>
    inTransaction(ctx, async (tx) => {
      const before = (await configuredRules(tx)).find(({ rule }) => rule.id === ruleId);
      if (!before) throw notFound("Rule");
      const after = {
        enabled: enabled ?? before.enabled,
        configuration: configuration ? fitting(before.rule, configuration) : before.configuration,
        updatedAt: await databaseNow(tx.db),
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
