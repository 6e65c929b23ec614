import { and, eq, inArray, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { conversations, ruleRuns } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { logger } from "@/server/platform/log";
import { contentsOf } from "@/server/services/telemetry";
import { recordOccurrences } from "./record-occurrences";
import { type ConfiguredRule, configuredRules } from "./rule-settings";
import { type RuleResult, runDetectors } from "./rules";
import type { ConversationSnapshot } from "./types";

type Run = { id: string; ruleId: string; conversationId: string };
type Outcome = { run: Run } & ({ result: RuleResult } | { skipReason: string });

/**
 * Executes Runs that are queued, that a crashed worker left running, or whose job failed and is replayed. Detection is pure; what it found and that the
 * Run is done commit together, so a Run that is executed twice has its effect once. Throws when any Run could not be
 * executed: the rest stays done, and a retry takes up what is left.
 */
export async function executeRuleRuns(ctx: Ctx, runIds: readonly string[]): Promise<{ completed: number }> {
  const started = await startRuns(ctx, runIds);
  if (started.length === 0) return { completed: 0 };

  const rules = new Map((await configuredRules(ctx)).map((configured) => [configured.rule.id, configured]));
  const snapshots = await loadSnapshots(ctx, [...new Set(started.map((run) => run.conversationId))]);

  const outcomes: Outcome[] = [];
  const failures: unknown[] = [];
  for (const run of started) {
    try {
      outcomes.push({ run, ...execute(rules.get(run.ruleId), snapshots.get(run.conversationId)) });
    } catch (error) {
      failures.push(error);
      logger("diagnostics").error({ err: error, runId: run.id, ruleId: run.ruleId }, "A Rule Run failed.");
    }
  }

  await inTransaction(ctx, (tx) => finishRuns(tx, outcomes, snapshots));
  if (failures.length > 0) throw new Error(`${failures.length} Rule Runs failed.`, { cause: failures[0] });
  return { completed: outcomes.length };
}

/** The last word on Runs whose retries are used up. */
export async function failRuleRuns(ctx: Ctx, runIds: readonly string[], message: string) {
  await ctx.db
    .update(ruleRuns)
    .set({ status: "failed", errorMessage: message.slice(0, 2000), finishedAt: NOW })
    .where(
      and(
        eq(ruleRuns.projectId, ctx.projectId),
        isOneOf(ruleRuns.id, runIds),
        inArray(ruleRuns.status, ["queued", "running"]),
      ),
    );
}

async function startRuns(ctx: Ctx, runIds: readonly string[]): Promise<Run[]> {
  if (runIds.length === 0) return [];
  return ctx.db
    .update(ruleRuns)
    .set({
      status: "running",
      attempts: sql`${ruleRuns.attempts} + 1`,
      errorMessage: null,
      startedAt: NOW,
      finishedAt: null,
    })
    .where(
      and(
        eq(ruleRuns.projectId, ctx.projectId),
        isOneOf(ruleRuns.id, runIds),
        inArray(ruleRuns.status, ["queued", "running", "failed"]),
      ),
    )
    .returning({ id: ruleRuns.id, ruleId: ruleRuns.ruleId, conversationId: ruleRuns.conversationId });
}

async function loadSnapshots(ctx: Ctx, ids: readonly string[]): Promise<Map<string, ConversationSnapshot>> {
  const rows = await ctx.db
    .select({
      id: conversations.id,
      userId: conversations.userId,
      startedAt: conversations.startedAt,
      lastActivityAt: conversations.lastActivityAt,
    })
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), isOneOf(conversations.id, ids)));
  const contents = await contentsOf(
    ctx,
    rows.map((row) => row.id),
  );
  return new Map(rows.map((row) => [row.id, { ...row, ...contents.get(row.id)! }]));
}

function execute(configured: ConfiguredRule | undefined, snapshot: ConversationSnapshot | undefined) {
  if (!configured) return { skipReason: "This version does not have the Rule." };
  if (!configured.enabled) return { skipReason: "The Rule is turned off." };
  if (!snapshot || snapshot.messages.length + snapshot.modelCalls.length + snapshot.toolCalls.length === 0) {
    return { skipReason: "The conversation has no messages and no calls." };
  }
  return { result: runDetectors(configured.rule, snapshot, configured.configuration) };
}

async function finishRuns(tx: Ctx, outcomes: readonly Outcome[], snapshots: ReadonlyMap<string, ConversationSnapshot>) {
  const read = outcomes.filter((outcome) => "result" in outcome);
  await recordOccurrences(
    tx,
    read.map(({ run, result }) => ({
      runId: run.id,
      ruleId: run.ruleId,
      conversation: snapshots.get(run.conversationId)!,
      occurrences: result.occurrences,
    })),
  );
  const rows = outcomes.map((outcome) => ({
    id: outcome.run.id,
    status: "result" in outcome ? "completed" : "skipped",
    result_count: "result" in outcome ? outcome.result.occurrences.length : null,
    skip_reason: "skipReason" in outcome ? outcome.skipReason : null,
    notes: "result" in outcome ? outcome.result.notes : [],
  }));
  await tx.db.execute(sql`
    update rule_runs r set status = t.status, result_count = t.result_count, skip_reason = t.skip_reason,
      notes = array(select jsonb_array_elements_text(t.notes)), finished_at = ${NOW}
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as t(id text, status text, result_count int, skip_reason text, notes jsonb)
    where r.project_id = ${tx.projectId} and r.id = t.id`);
}
