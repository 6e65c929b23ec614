import { and, asc, eq } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { inTransaction } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { findConversation } from "@/server/services/telemetry";
import { queueRuleRuns } from "./queue-rule-runs";
import { ruleRunJson } from "./rule-run-json";
import { configuredRules } from "./rule-settings";
import { createRuleRunsInput, ruleRunsReply } from "./schemas";

export const createRuleRuns = verb(
  {
    name: "ruleRuns.create",
    summary: "Queue every enabled Rule for one conversation as it was at `lastActivityAt`.",
    description:
      "`conversationId` is our id or the client's own. Asking twice for the same activity answers the same Runs. Entries of `traceIds` that are not strings are dropped.",
    effect: "write",
    capability: "diagnostics:write",
    input: createRuleRunsInput,
    reply: ruleRunsReply,
  },
  (ctx, { conversationId, lastActivityAt, traceIds = [] }) =>
    inTransaction(ctx, async (tx) => {
      const conversation = await findConversation(tx, conversationId);
      const rules = (await configuredRules(tx)).filter(({ enabled }) => enabled).map(({ rule }) => rule);
      await queueRuleRuns(tx, [{ conversationId: conversation.id, lastActivityAt, traceIds }], rules, {
        origin: "on_demand",
      });
      const rows = await tx.db
        .select()
        .from(ruleRuns)
        .where(
          and(
            eq(ruleRuns.projectId, tx.projectId),
            eq(ruleRuns.conversationId, conversation.id),
            eq(ruleRuns.lastActivityAt, lastActivityAt),
          ),
        )
        .orderBy(asc(ruleRuns.createdAt), asc(ruleRuns.id));
      // The client's own id of a conversation may name a person: ours says it as well.
      auditNote(tx, {
        target: { type: "conversation", id: conversation.id },
        after: { lastActivityAt, runs: rows.map((row) => row.id) },
      });
      const versions = new Map(rules.map((rule) => [rule.id, rule.version]));
      return { runs: rows.filter((row) => versions.get(row.ruleId) === row.ruleVersion).map(ruleRunJson) };
    }),
);
