import { and, asc, eq } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { impossible } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { findConversation, type Snapshot } from "@/server/services/telemetry";
import { createRuleRunsInput, queuedRuleRunsReply, ruleRunsReply } from "../schemas";
import { type ConfiguredRule, configuredRules } from "../settings/rule-settings";
import { queueRuleRuns, tracesKeyOf } from "./queue-rule-runs";
import { ruleRunJson } from "./rule-run-json";

export const createRuleRuns = verb(
  {
    name: "ruleRuns.create",
    summary: "Queue every enabled Rule for one conversation as it was at `lastActivityAt`.",
    description:
      "`conversationId` is our id or the client's own. Each Run reads the spans that had ended and the log records that were written by `lastActivityAt` (Unix ms; before the conversation began it is a 422), and with `traceIds` only what these traces brought in. Asking twice returns the same Runs; after a change of the Rule, or when its Run was skipped or failed, it is a new one. Entries of `traceIds` that are not strings are dropped, and those that are no trace of the conversation hold nothing to read.",
    effect: "write",
    capability: "diagnostics:write",
    input: createRuleRunsInput,
    reply: ruleRunsReply,
    unread: { unless: ["diagnostics:read"], reply: queuedRuleRunsReply },
  },
  (ctx, { conversationId, lastActivityAt, traceIds = [] }) =>
    inTransaction(ctx, async (tx) => {
      const conversation = await findConversation(tx, conversationId);
      if (lastActivityAt < conversation.startedAt) {
        throw impossible("/lastActivityAt", `The conversation began later, at ${conversation.startedAt}.`);
      }
      const rules = (await configuredRules(tx)).filter(({ enabled }) => enabled);
      const snapshot = { conversationId: conversation.id, lastActivityAt, traceIds };
      await queueRuleRuns(tx, [snapshot], rules, { origin: "on_demand" });
      const runs = await runsOf(tx, snapshot, rules);
      // The client's own id of a conversation may name a person: ours says it as well.
      auditNote(tx, {
        target: { type: "conversation", id: conversation.id },
        after: { lastActivityAt, runs: runs.map((run) => run.id) },
      });
      return { runs: runs.map(ruleRunJson) };
    }),
);

/** The Run of each Rule that answers the question, or will: the newest, for earlier ones were skipped or failed. */
async function runsOf(
  tx: Ctx,
  { conversationId, lastActivityAt, traceIds }: Snapshot,
  rules: readonly ConfiguredRule[],
) {
  const rows = await tx.db
    .select()
    .from(ruleRuns)
    .where(
      and(
        eq(ruleRuns.projectId, tx.projectId),
        eq(ruleRuns.conversationId, conversationId),
        eq(ruleRuns.lastActivityAt, lastActivityAt),
        eq(ruleRuns.tracesKey, tracesKeyOf(traceIds)),
      ),
    )
    .orderBy(asc(ruleRuns.createdAt), asc(ruleRuns.id));
  return rules.flatMap(({ rule, revision }) => {
    const newest = rows.findLast(
      (row) => row.ruleId === rule.id && row.ruleVersion === rule.version && row.configurationRevision === revision,
    );
    return newest ?? [];
  });
}
