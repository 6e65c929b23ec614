import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { ruleSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { idInput } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { findAdjudicator } from "../adjudicator";
import { judgedFindings } from "../findings/judged-findings";
import { configurationPatch, patchedConfiguration, validatedConfiguration } from "../rules";
import { changedRuleReply, ruleReply } from "../schemas";
import { ruleJson } from "./list-rules";
import { configuredRules } from "./rule-settings";

/** Either `enabled` or a patch of the `configuration`. */
const updateRuleInput = z
  .strictObject({ ruleId: idInput, enabled: z.boolean().optional(), configuration: configurationPatch.optional() })
  .refine((input) => (input.enabled === undefined) !== (input.configuration === undefined), {
    message: "Send either enabled or configuration.",
  })
  .meta({
    examples: [{ enabled: true }],
    oneOf: [{ required: ["enabled"] }, { required: ["configuration"] }],
  });

/** Serialises concurrent PATCHes, which read before they write. */
const lockRule = (tx: Ctx, ruleId: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`rule ${tx.projectId} ${ruleId}`}, 0))`);

export const updateRule = verb(
  {
    name: "rules.update",
    summary: "Turn a Rule on or off, or change its configuration.",
    description:
      "Merges `configuration` into the current one, including within `signalOverrides` and each Signal's override; `null` resets a field to its default, and `keywords` is replaced as a whole. The result is validated as a whole; an unknown Signal is rejected by name (422). A change creates a new `configurationRevision`, and Rule Runs of an earlier revision do not count as repetitions of later ones.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateRuleInput,
    reply: ruleReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedRuleReply },
  },
  (ctx, { ruleId, enabled, configuration }) =>
    inTransaction(ctx, async (tx) => {
      await lockRule(tx, ruleId);
      const before = (await configuredRules(tx)).find(({ rule }) => rule.id === ruleId);
      if (!before) throw notFound("Rule");
      const after = {
        enabled: enabled ?? before.enabled,
        configuration: configuration
          ? validatedConfiguration(before.rule, patchedConfiguration(before.configuration, configuration))
          : before.configuration,
      };
      const changes = !isDeepStrictEqual(after, { enabled: before.enabled, configuration: before.configuration });
      const revision = before.revision + (changes ? 1 : 0);
      if (changes) {
        await tx.db
          .insert(ruleSettings)
          .values({ projectId: tx.projectId, id: ruleId, revision, ...after, updatedAt: NOW });
      }
      auditNote(tx, {
        target: { type: "rule", id: ruleId },
        before: {
          configurationRevision: before.revision,
          enabled: before.enabled,
          configuration: before.configuration,
        },
        after: { configurationRevision: revision, ...after },
      });
      const known = { judged: await judgedFindings(tx), adjudicator: await findAdjudicator(tx) };
      return { rule: ruleJson({ ...before, ...after, revision }, known) };
    }),
);
