import { and, asc, eq } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
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
      "`conversationId` is Whetstone's id or the client's own. Each Run reads the spans that had ended and the log records that had been written by `lastActivityAt` (Unix ms; a time before the conversation began is a 422), and with `traceIds` only data of those traces. Repeating the request returns the same Runs; a new Run is queued after the Rule changed, after users gave feedback, or when its Run was skipped or failed. Entries of `traceIds` that are not strings are dropped, and traces that do not belong to the conversation contribute nothing.",
    effect: "write",
    capability: "diagnostics:write",
    input: createRuleRunsInput,
    reply: ruleRunsReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: queuedRuleRunsReply },
  },
  (ctx, { conversationId, lastActivityAt, traceIds = [] }) =>
    inTransaction(ctx, async (tx) => {
      const conversation = await findConversation(tx, conversationId);
      if (lastActivityAt < conversation.startedAt) {
        throw unprocessable("/lastActivityAt", `The conversation started later, at ${conversation.startedAt}.`);
      }
      const rules = (await configuredRules(tx)).filter(({ enabled }) => enabled);
      const snapshot = { conversationId: conversation.id, lastActivityAt, traceIds };
      await queueRuleRuns(tx, [snapshot], rules, { origin: "on_demand" });
      const runs = await runsOf(tx, snapshot, rules);
      // The client's own conversation id may name a person, so the audit log gets ours.
      auditNote(tx, {
        target: { type: "conversation", id: conversation.id },
        after: { lastActivityAt, runs: runs.map((run) => run.id) },
      });
      return { runs: runs.map(ruleRunJson) };
    }),
);

/** Returns each Rule's Run for this snapshot; if all were skipped or failed, the newest of them. */
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
    const same = rows.filter(
      (row) => row.ruleId === rule.id && row.ruleVersion === rule.version && row.configurationRevision === revision,
    );
    // A backfill that found the question already answered has stored a skipped Run, newer than the one that answered it.
    return same.findLast(({ status }) => status !== "skipped" && status !== "failed") ?? same.at(-1) ?? [];
  });
}
